//! Attacks on who one is: users, groups, capabilities, and what the launcher's own environment would tell.

use std::os::unix::fs::PermissionsExt;

use guild_sandbox::{Access, Command};

use crate::arena::{check, is_root, python};

attacks! {
    fn has_no_capability_in_any_set(arena) {
        arena.python(
            "print([status(key).strip('0') for key in ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']])",
            "['', '', '', '', '']",
        );
    }

    fn root_inside_has_no_capability_either(arena) {
        let mut policy = arena.policy();
        policy.user = 0;
        let script = "
            print(os.getuid(), [status(key).strip('0') for key in ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']])
            print(call('mount', b'none', b'/tmp', b'tmpfs', 0, 0), attempt(os.mknod, '/tmp/device', 0o60666, 1) in ['EPERM', 'EACCES'], refused(write, '/proc/sys/kernel/core_pattern'))
            print(attempt(os.setuid, 1) in ['EINVAL', 'EPERM'], refused(os.mkdir, '/usr/attack'), attempt(os.open, '/proc/1/mem', os.O_RDWR) in ['EACCES', 'EROFS'])
            sys.stdout.flush()
            if os.fork() == 0:
                os.execv('/bin/grep', ['grep', 'CapEff', '/proc/self/status'])
            os.wait()
            ";
        let rest = "['', '', '', '', '']\nEPERM True refused\nTrue refused True\nCapEff:\t0000000000000000";
        check(&arena.run(&policy, &python(script)), &format!("{} {rest}", arena.user(0)));
    }

    fn cannot_become_another_user(arena) {
        let user = arena.user(1000);
        let refused = "True ".repeat(16);
        arena.python(
            "
            for user in [0, 1, 1001, 65534]:
                print(attempt(os.setuid, user) != 'ok', attempt(os.setgid, user) != 'ok', attempt(os.setresuid, user, user, user) != 'ok',
                      attempt(os.setgroups, [user]) != 'ok', end=' ')
            print(os.getresuid(), os.getresgid())
            ",
            &format!("{refused}({user}, {user}, {user}) ({user}, {user}, {user})"),
        );
    }

    fn cannot_give_itself_capabilities(arena) {
        arena.python(
            "
            header = struct.pack('II', 0x20080522, 0)
            print(libc.capset(header, struct.pack('6I', 1 << 21, 1 << 21, 0, 0, 0, 0)), libc.prctl(47, 2, 21, 0, 0), libc.prctl(28, 1, 0, 0, 0))
            print(status('CapEff'))
            ",
            "-1 -1 -1\n0000000000000000",
        );
    }

    fn does_not_belong_to_the_launchers_groups(arena) {
        if is_root() {
            let groups: [libc::gid_t; 2] = [4, 42];
            // SAFETY: the list has the length that is given.
            assert_eq!(unsafe { libc::setgroups(groups.len(), groups.as_ptr()) }, 0);
        }
        arena.python("print([group for group in os.getgroups() if group != os.getgid()])", "[]");
    }

    fn cannot_read_another_users_files_in_a_mount(arena) {
        let directory = arena.directory("shown");
        let secret = directory.join("secret");
        std::fs::write(&secret, "another's").unwrap();
        std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o600)).unwrap();
        let (policy, path) = if is_root() {
            std::os::unix::fs::chown(&secret, Some(4242), Some(4242)).unwrap();
            (arena.with_mount(&directory, "/shown", Access::ReadOnly), "/shown/secret")
        } else {
            (arena.with_mount("/etc".as_ref(), "/shown", Access::ReadOnly), "/shown/shadow")
        };
        let script = format!("print(os.path.exists({path:?}), attempt(read, {path:?}), refused(os.chmod, {path:?}, 0o666))");
        check(&arena.run(&policy, &python(&script)), "True EACCES refused");
    }

    fn sees_nothing_of_the_launchers_environment(arena) {
        assert!(std::env::vars_os().count() > 1);
        let mut policy = arena.policy();
        policy.env.insert("GIVEN".to_owned(), "by the policy".to_owned());
        check(&arena.run(&policy, &Command::new("/usr/bin/env")), "GIVEN=by the policy");
        check(&arena.run(&arena.policy(), &Command::new("/usr/bin/env")), "");
    }

    fn does_not_learn_the_machines_name(arena) {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let mut policy = arena.policy();
        policy.hostname = "elsewhere".to_owned();
        let script = "print(os.uname().nodename, open('/proc/sys/kernel/hostname').read().strip(), attempt(socket.sethostname, 'mine'))";
        check(&arena.run(&policy, &python(script)), "elsewhere elsewhere EPERM");
        assert_ne!(host, "elsewhere");
    }
}
