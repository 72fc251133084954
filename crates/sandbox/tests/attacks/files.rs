//! Attacks on the host's files: reading what was not shown, writing what was, and files that lend privileges.

use std::os::unix::fs::PermissionsExt;

use guild_sandbox::Access;

use crate::arena::{bash, check, is_root, python, python_outside, rounds};

attacks! {
    fn cannot_read_the_hosts_shadow_file(arena) {
        arena.python(
            "
            for path in ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssh', '/../etc/shadow', '/tmp/../../etc/shadow']:
                print(path, attempt(read, path))
            print(sorted(line.split(':')[0] for line in open('/etc/passwd')))
            ",
            "/etc/shadow ENOENT\n/etc/gshadow ENOENT\n/etc/sudoers ENOENT\n/etc/ssh ENOENT\n/../etc/shadow ENOENT\n\
             /tmp/../../etc/shadow ENOENT\n['guild', 'nobody']",
        );
    }

    fn cannot_see_the_hosts_own_directories(arena) {
        let canary = arena.canary();
        let script = format!("print(attempt(read, {canary:?}))");
        assert_eq!(python_outside(&script), "ok");
        arena.python(&script, "ENOENT");
        // Engines mount a `/sys`, and cover it with nothing; Podman says by an empty file that this is a container.
        arena.python(
            "
            names = [name for name in ['boot', 'home', 'media', 'opt', 'root', 'run', 'srv', 'sys', 'var', 'work'] if os.path.lexists('/' + name)]
            print([name for name in names if ALL or os.listdir('/' + name) not in [[], ['.containerenv']]])
            print(attempt(os.stat, '/run/.containerenv') != 'ok' or os.stat('/run/.containerenv').st_size == 0)
            "
            .replace("ALL", arena.expecting("True", "False"))
            .as_str(),
            "[]\nTrue",
        );
    }

    fn cannot_write_anywhere_but_in_tmp_and_output(arena) {
        let script = "
            tried, written = 0, []
            for top, directories, files in os.walk('/'):
                if top in ['/tmp', '/output', '/proc']:
                    directories.clear()
                    if top != '/proc':
                        continue
                tried += 1
                if tried > MOST:
                    break
                if attempt(os.mkdir, top + '/attack') == 'ok' or attempt(os.open, top + '/attack', os.O_CREAT | os.O_WRONLY) == 'ok':
                    written.append(top)
            print(tried > 100, written, attempt(os.mkdir, '/tmp/attack'), attempt(os.mkdir, '/output/attack'))
            ";
        // Engines give shared memory a place of its own, as large as `/tmp`, where the embedded runtime has a link to that.
        let expected = arena.expecting("True [] ok ok", "True ['/dev/shm'] ok ok");
        arena.python(&script.replace("MOST", &rounds(5000).to_string()), expected);
    }

    fn cannot_change_the_hosts_programs(arena) {
        arena.python(
            "
            program = os.path.realpath('/usr/bin/python3')
            for change in [lambda: write(program), lambda: os.truncate(program, 0), lambda: os.unlink(program),
                           lambda: os.rename(program, program + '2'), lambda: os.chmod(program, 0o777), lambda: os.utime(program),
                           lambda: os.setxattr(program, 'user.a', b'b'), lambda: os.symlink('a', '/usr/bin/attack')]:
                print(refused(change), end=' ')
            ",
            "refused refused refused refused refused refused refused refused",
        );
    }

    fn cannot_write_to_a_read_only_mount(arena) {
        let directory = arena.directory("shown");
        std::fs::write(directory.join("file"), "as it was").unwrap();
        arena.give_away(&directory.join("file"));
        let script = "
            print(open('/shown/file').read())
            for change in [lambda: write('/shown/file'), lambda: os.unlink('/shown/file'), lambda: os.mkdir('/shown/new'),
                           lambda: os.chmod('/shown/file', 0o777), lambda: os.chmod('/shown', 0o777), lambda: os.utime('/shown/file'),
                           lambda: os.link('/shown/file', '/shown/link'), lambda: os.rename('/shown/file', '/tmp/file')]:
                print(refused(change), end=' ')
            ";
        let outcome =
            arena.run(&arena.with_mount(&directory, "/shown", Access::ReadOnly), &python(script));
        check(&outcome, "as it was\nrefused refused refused refused refused refused refused EXDEV");
        let writable = arena.run(
            &arena.with_mount(&directory, "/shown", Access::ReadWrite),
            &bash("echo changed > /shown/file && cat /shown/file"),
        );
        check(&writable, "changed");
    }

    fn cannot_speak_into_a_pipe_that_a_read_only_mount_shows(arena) {
        let directory = arena.directory("shown");
        let made = std::process::Command::new("mkfifo").arg("-m666").arg(directory.join("pipe")).status();
        assert!(made.unwrap().success());
        let reader = rustix::fs::open(
            directory.join("pipe"),
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK,
            rustix::fs::Mode::empty(),
        );
        let _reader = reader.unwrap();
        let script = "print(attempt(write, '/shown/pipe'))";
        let shown = arena.with_mount(&directory, "/shown", Access::ReadOnly);
        check(&arena.run(&shown, &python(script)), "EACCES");
        let given = arena.with_mount(&directory, "/shown", Access::ReadWrite);
        check(&arena.run(&given, &python(script)), "ok");
    }

    fn cannot_watch_which_of_the_hosts_programs_are_started(arena) {
        arena.python(
            "
            watch = libc.inotify_init1(0)
            for mask in [0x1, 0x20, 0x10, 0xfff, 0x2 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200]:
                ctypes.set_errno(0)
                print(libc.inotify_add_watch(watch, b'/usr/bin', mask) > 0, told(ctypes.get_errno()), end=' ')
            ",
            "False ENOSYS False ENOSYS False ENOSYS False ENOSYS True 0",
        );
    }

    fn cannot_keep_the_host_waiting_by_a_lease_on_what_a_mount_shows(arena) {
        let directory = arena.directory("shown");
        std::fs::write(directory.join("file"), "as it was").unwrap();
        arena.give_away(&directory.join("file"));
        let script = "
            import fcntl
            file = os.open('/shown/file', os.O_RDONLY)
            print(attempt(fcntl.fcntl, file, 1024, fcntl.F_RDLCK), attempt(fcntl.fcntl, file, 1024, fcntl.F_WRLCK))
            print(attempt(fcntl.fcntl, file, fcntl.F_GETFL), attempt(fcntl.fcntl, file, fcntl.F_DUPFD_CLOEXEC, 10), attempt(fcntl.fcntl, file, 1025))
            ";
        for access in [Access::ReadOnly, Access::ReadWrite] {
            check(&arena.run(&arena.with_mount(&directory, "/shown", access), &python(script)), "EPERM EPERM\nok ok ok");
        }
    }

    fn a_link_in_a_mount_does_not_lead_out(arena) {
        let canary = arena.canary();
        let directory = arena.directory("shown");
        std::os::unix::fs::symlink(&canary, directory.join("absolute")).unwrap();
        std::os::unix::fs::symlink("../canary", directory.join("relative")).unwrap();
        std::os::unix::fs::symlink("..", directory.join("up")).unwrap();
        assert!(std::fs::read(directory.join("relative")).is_ok());
        let script = "
            for path in ['/shown/absolute', '/shown/relative', '/shown/up/canary', '/shown/up/up/canary', '/shown/../canary']:
                print(attempt(read, path), refused(lambda: open(path, 'w')))
            ";
        let outcome =
            arena.run(&arena.with_mount(&directory, "/shown", Access::ReadWrite), &python(script));
        check(&outcome, "ENOENT ENOENT\nENOENT refused\nENOENT refused\nENOENT ENOENT\nENOENT refused");
        arena.check_canary();
    }

    fn cannot_climb_out_of_the_root(arena) {
        arena.python(
            "
            root = os.stat('/')
            for path in ['/..', '/../../../..', '/proc/self/root/..', '/proc/self/cwd/..', '/dev/fd/../root/..']:
                print(os.path.samestat(root, os.stat(path)), end=' ')
            directory = os.open('/', os.O_RDONLY)
            print(attempt(os.chroot, '/tmp'), attempt(os.fchdir, directory))
            print(attempt(read, '/../../../../root/.profile'))
            ",
            "True True True True True EPERM ok\nENOENT",
        );
    }

    fn cannot_open_files_by_their_handles(arena) {
        let script = format!(
            "
            handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0), 136)
            mount = ctypes.c_int()
            print(call('name_to_handle_at', -100, b{:?}, ctypes.byref(handle), ctypes.byref(mount), 0))
            root = os.open('/', os.O_RDONLY)
            print(call('open_by_handle_at', root, ctypes.byref(handle), 0))
            ",
            arena.directory("known")
        );
        assert_eq!(python_outside(&script).lines().next(), Some("ok"));
        arena.python(&script, "EPERM\nEPERM");
    }

    fn cannot_link_the_hosts_files_to_where_they_could_be_written(arena) {
        arena.python(
            "print(attempt(os.link, '/usr/bin/id', '/tmp/id') in ['EXDEV', 'EPERM', 'EACCES'], attempt(os.symlink, '/usr/bin/id', '/tmp/id'), refused(write, '/tmp/id'))",
            "True ok refused",
        );
    }

    fn cannot_make_a_program_set_id(arena) {
        arena.python(
            "
            file = os.open('/tmp/program', os.O_CREAT | os.O_WRONLY, 0o755)
            for mode in [0o4755, 0o2755, 0o6777]:
                print(attempt(os.chmod, '/tmp/program', mode), attempt(os.fchmod, file, mode), call('fchmodat2', -100, b'/tmp/program', mode, 0),
                      attempt(os.open, '/tmp/another', os.O_CREAT | os.O_WRONLY, mode), attempt(os.open, '/tmp', os.O_TMPFILE | os.O_RDWR, mode),
                      attempt(os.mknod, '/tmp/another', mode))
            print(call('openat2', -100, b'/tmp/another', struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24))
            print(os.listdir('/tmp'), attempt(os.chmod, '/tmp/program', 0o1755), oct(os.stat('/tmp/program').st_mode))
            ",
            "EPERM EPERM EPERM EPERM EPERM EPERM\nEPERM EPERM EPERM EPERM EPERM EPERM\nEPERM EPERM EPERM EPERM EPERM EPERM\n\
             ENOSYS\n['program'] ok 0o101755",
        );
    }

    fn leaves_no_set_id_program_of_its_owner_in_a_writable_mount(arena) {
        let directory = arena.directory("given");
        let script = "cp /usr/bin/bash /given/shell && chmod 6755 /given/shell; chmod u+s /given/shell; chmod g+s /given/shell";
        arena.run(&arena.with_mount(&directory, "/given", Access::ReadWrite), &bash(script));
        let mode = std::fs::metadata(directory.join("shell")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o755);
    }

    fn cannot_give_a_file_capabilities(arena) {
        let script = "
            open('/tmp/program', 'w').close()
            capability = struct.pack('IIIII', 0x02000001, 1 << 21, 0, 0, 0)
            print(attempt(os.setxattr, '/tmp/program', 'security.capability', capability))
            ";
        if is_root() {
            assert_eq!(python_outside(&script.replace("/tmp/program", &format!("/tmp/program-{}", std::process::id()))), "ok");
            std::fs::remove_file(format!("/tmp/program-{}", std::process::id())).unwrap();
        }
        arena.python(script, "EPERM");
    }

    fn cannot_make_devices(arena) {
        arena.python(
            "
            import stat
            for kind, major, minor in [(stat.S_IFCHR, 1, 1), (stat.S_IFCHR, 1, 3), (stat.S_IFBLK, 254, 0), (stat.S_IFBLK, 8, 0), (stat.S_IFCHR, 10, 200)]:
                print(attempt(os.mknod, '/tmp/device', kind | 0o666, os.makedev(major, minor)) in ['EPERM', 'EACCES'], end=' ')
            print(attempt(os.mkfifo, '/tmp/pipe'))
            ",
            "True True True True True ok",
        );
    }

    fn finds_only_harmless_devices(arena) {
        arena.python(
            "
            import stat
            blocks = [name for name in os.listdir('/dev') if stat.S_ISBLK(os.lstat('/dev/' + name).st_mode)]
            characters = sorted(name for name in os.listdir('/dev') if stat.S_ISCHR(os.lstat('/dev/' + name).st_mode))
            print(blocks, characters)
            ",
            // Without a terminal nobody can open the one that engines show.
            arena.expecting("[] ['full', 'null', 'random', 'urandom', 'zero']", "[] ['full', 'null', 'random', 'tty', 'urandom', 'zero']"),
        );
    }

    fn every_mount_ignores_set_id_bits_and_devices(arena) {
        // Engines leave both out where nothing can be written: no privileges can be gained and no devices made there either.
        let script = "
            wrong = []
            for line in open('/proc/self/mountinfo'):
                point, options = line.split()[4], line.split()[5].split(',')
                if 'nosuid' not in options or ('nodev' not in options and not point.startswith('/dev/')):
                    if ALL or ('rw' in options and attempt(os.open, point, os.O_TMPFILE | os.O_RDWR, 0o600) == 'ok'):
                        wrong.append(point)
            print(wrong, status('NoNewPrivs'))
            ";
        arena.python(&script.replace("ALL", arena.expecting("True", "False")), "[] 1");
    }
}
