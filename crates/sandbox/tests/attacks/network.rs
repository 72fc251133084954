//! Attacks on the network, and on the host's sockets where there is none.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use guild_sandbox::{Access, Backend as _, Embedded, Network, Stdin, Surroundings};

use crate::arena::{bash, check, python, python_outside};

attacks! {
    fn cannot_open_a_socket_of_any_family(arena) {
        arena.python(
            "
            opened = []
            for family in range(0, 64):
                for kind in [1, 2, 3, 5]:
                    answer = attempt(lambda: socket.socket(family, kind))
                    if answer != 'EPERM':
                        opened.append((family, kind, answer))
            print(opened)
            ",
            "[]",
        );
    }

    fn the_families_that_reach_other_kernels_and_drivers_are_closed(arena) {
        let script = "
            for family, kind, protocol in [(40, 1, 0), (38, 5, 0), (16, 3, 9), (17, 3, 768), (2, 3, 1), (31, 3, 1), (44, 3, 0)]:
                print(attempt(lambda: socket.socket(family, kind, protocol)), end=' ')
            ";
        assert!(python_outside(script).contains("ok"));
        arena.python(script, "EPERM EPERM EPERM EPERM EPERM EPERM EPERM");
        let mut online = arena.policy();
        online.network = Network::Host;
        check(&arena.run(&online, &python(script)), "EPERM EPERM EPERM EPERM EPERM EPERM EPERM");
    }

    fn a_pair_of_sockets_cannot_be_turned_on_a_socket_of_the_host(arena) {
        let directory = arena.directory("shown");
        let host = UnixDatagram::bind(directory.join("socket")).unwrap();
        host.set_nonblocking(true).unwrap();
        let policy = arena.with_mount(&directory, "/shown", Access::ReadOnly);
        let script = "
            print(attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)), attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)))
            for kind in [socket.SOCK_STREAM, socket.SOCK_SEQPACKET]:
                ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
                print(attempt(ours.connect, '/shown/socket'), attempt(ours.sendto, b'x', '/shown/socket') != 'ok' or theirs.recv(1))
                print(attempt(ours.bind, '/tmp/socket'), attempt(ours.listen), attempt(ours.accept))
            ";
        check(
            &arena.run(&policy, &python(script)),
            "EPERM EPERM\nEPERM True\nEPERM EPERM EPERM\nEPERM b'x'\nEPERM EPERM EPERM",
        );
        assert_eq!(host.recv(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
        let outside = UnixDatagram::unbound().unwrap();
        outside.send_to(b"x", directory.join("socket")).unwrap();
        assert_eq!(host.recv(&mut [0; 1]).unwrap(), 1);
    }

    fn cannot_connect_to_a_socket_that_a_mount_shows(arena) {
        let directory = arena.directory("shown");
        let host = UnixListener::bind(directory.join("socket")).unwrap();
        host.set_nonblocking(true).unwrap();
        for access in [Access::ReadOnly, Access::ReadWrite] {
            let policy = arena.with_mount(&directory, "/shown", access);
            let script = "print(os.path.exists('/shown/socket'), attempt(lambda: socket.socket(socket.AF_UNIX).connect('/shown/socket')))";
            check(&arena.run(&policy, &python(script)), "True EPERM");
        }
        assert_eq!(host.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }

    fn cannot_reach_a_service_on_the_hosts_loopback(arena) {
        let host = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        host.set_nonblocking(true).unwrap();
        let port = host.local_addr().unwrap().port();
        let script = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached || echo not");
        check(&arena.run(&arena.policy(), &bash(&script)), "not");
        assert_eq!(host.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        let mut online = arena.policy();
        online.network = Network::Host;
        check(&arena.run(&online, &bash(&script)), "reached");
    }

    fn sees_no_interface_but_a_loopback_of_its_own(arena) {
        let _host = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        arena.bash(
            "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; tail -n +2 -q /proc/net/tcp /proc/net/unix /proc/net/packet 2>/dev/null | wc -l",
            "lo\n0",
        );
    }

    fn containers_that_run_at_once_have_a_network_each(arena) {
        let (policy, command) = (arena.policy(), bash("readlink /proc/self/ns/net; read").stdin(Stdin::Piped));
        let waiting = arena.start(&policy);
        let mut seen = vec![
            std::fs::read_link("/proc/self/ns/net").unwrap().display().to_string(),
            arena.exec(&*waiting, &command.clone().stdin(Stdin::Empty), &[]).stdout.text().trim_end().to_owned(),
        ];
        arena.wait(async {
            let mut children = Vec::new();
            for _ in 0..3 {
                let mut child = arena.backend().launch(&policy, &command).await.unwrap();
                let stdin = child.take_stdin().unwrap();
                children.push((child, stdin));
            }
            for (child, stdin) in children {
                drop(stdin);
                seen.push(child.wait().await.unwrap().stdout.text().trim_end().to_owned());
            }
        });
        arena.wait(waiting.stop()).unwrap();
        let all = seen.iter().collect::<std::collections::BTreeSet<_>>();
        assert!(all.len() == 5 && all.iter().all(|network| network.starts_with("net:[")), "{seen:?}");
    }

    fn what_a_container_tries_on_its_network_the_next_does_not_find(arena) {
        let tries = "
            import fcntl
            ours, theirs = socket.socketpair()
            attempt(lambda: fcntl.ioctl(ours, 0x8914, struct.pack('16sh22x', b'lo', 1)))
            attempt(lambda: open('/proc/sys/net/ipv4/ip_default_ttl', 'w').write('7'))
            attempt(lambda: ours.bind('\\0left'))
            os.fork() or time.sleep(1000)
            ";
        let finds = "
            import fcntl
            sockets = len(open('/proc/net/unix').readlines()) - 1
            ours, theirs = socket.socketpair()
            flags = fcntl.ioctl(ours, 0x8913, struct.pack('16sh22x', b'lo', 0))
            print(sockets, struct.unpack('16sh22x', flags)[1] & 1)
            print(open('/proc/sys/net/ipv4/ip_default_ttl').read())
            ";
        for _ in 0..arena.rounds(3) {
            arena.run(&arena.policy(), &python(tries));
            arena.python(finds, arena.expecting("0 0\n64", "0 1\n64"));
        }
    }

    fn a_container_has_no_say_over_the_network_it_was_handed(arena) {
        if !arena.is_embedded() {
            // Engines hand nothing on.
            return;
        }
        // To whom a namespace belongs, and what is around a user namespace, the kernel tells those alone who are in there or above.
        let script = "
            import fcntl
            asked = [('net', 0xb701), ('user', 0xb702)]
            owners = [attempt(lambda: os.close(fcntl.ioctl(os.open('/proc/self/ns/' + name, os.O_RDONLY), what))) for name, what in asked]
            print(os.readlink('/proc/self/ns/net'), *owners)
            ";
        let said = || arena.run(&arena.policy(), &python(script)).stdout.text().trim_end().to_owned();
        // The first of a process may have one that is its own.
        let all = [said(), said(), said()];
        assert!(all[1].ends_with("] EPERM EPERM") && all[1] == all[2], "{all:?}");
    }

    fn with_the_hosts_network_there_is_no_way_to_its_abstract_sockets(arena) {
        let name = format!("guild-attack-{}", std::process::id());
        let host = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        host.set_nonblocking(true).unwrap();
        let script = format!("print(attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}')))");
        check(&arena.run(&arena.policy(), &python(&script)), "EPERM");
        let mut online = arena.policy();
        online.network = Network::Host;
        // Landlock has a wall for it from its sixth version on. Before, this network is what it says: local services included.
        let embedded = Embedded::new(&Surroundings::default());
        let version = arena.wait(embedded.probe()).version.unwrap();
        let walled = version.rsplit("Landlock ").next().unwrap().parse::<u32>().is_ok_and(|number| number >= 6);
        let outcome = arena.run(&online, &python(&script));
        check(&outcome, if walled { "EPERM" } else { "ok" });
        assert_eq!(walled, host.accept().is_err());
        assert_eq!(host.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(python_outside(&script), "ok");
    }

    fn with_the_hosts_network_it_cannot_be_changed(arena) {
        let mut online = arena.policy();
        online.network = Network::Host;
        let script = "
            routes = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
            # Take the loopback interface down.
            routes.send(struct.pack('IHHIIBBHiII', 32, 16, 5, 1, 0, 0, 0, 0, 1, 0, 1))
            answer = routes.recv(4096)
            print(told(-struct.unpack('i', answer[16:20])[0]))
            print(attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)), attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)))
            ";
        check(&arena.run(&online, &python(script)), "EPERM\nEPERM EPERM");
    }
}
