//! Attacks by way of `/proc`: the kernel's settings, other processes, and what their descriptors lead to.

use crate::arena::{bash, check, is_root, python_outside};

attacks! {
    fn cannot_write_core_pattern_when_root_launched_it(arena) {
        let script = "print(refused(write, '/proc/sys/kernel/core_pattern'), attempt(read, '/proc/sys/kernel/core_pattern'))";
        if is_root() {
            assert_eq!(python_outside(script), "ok ok");
        }
        arena.python(script, "refused ok");
    }

    fn cannot_write_any_setting_of_the_kernel(arena) {
        arena.python(
            "
            tried, written = 0, []
            for top, directories, files in os.walk('/proc/sys'):
                for file in files:
                    tried += 1
                    if attempt(write, top + '/' + file) == 'ok':
                        written.append(file)
            print(tried > 100, written)
            ",
            "True []",
        );
    }

    fn cannot_pull_the_emergency_brake(arena) {
        arena.python(
            "
            for name in ['sysrq-trigger', 'self/oom_score_adj', 'self/attr/current', 'self/uid_map', 'self/gid_map', 'self/setgroups',
                         'self/clear_refs', 'self/comm', 'self/coredump_filter', 'self/timerslack_ns', '1/oom_score_adj', 'mtrr', 'irq/0/smp_affinity']:
                print(name, attempt(write, '/proc/' + name) in ['EROFS', 'EACCES', 'ENOENT', 'EPERM'])
            ",
            "sysrq-trigger True\nself/oom_score_adj True\nself/attr/current True\nself/uid_map True\nself/gid_map True\n\
             self/setgroups True\nself/clear_refs True\nself/comm True\nself/coredump_filter True\nself/timerslack_ns True\n\
             1/oom_score_adj True\nmtrr True\nirq/0/smp_affinity True",
        );
    }

    fn cannot_read_the_machines_memory_keys_or_interrupts(arena) {
        arena.python(
            "
            for name in ['kcore', 'keys', 'key-users', 'timer_list', 'kpageflags', 'kpagecount', 'kmsg', 'interrupts', 'sched_debug', 'vmallocinfo', 'kallsyms', 'modules']:
                try:
                    # What an engine covers can be read, and is empty.
                    print(name, open('/proc/' + name, 'rb').read(64) == b'')
                except OSError as error:
                    print(name, error.errno in [errno.EACCES, errno.ENOENT, errno.EPERM])
            ",
            "kcore True\nkeys True\nkey-users True\ntimer_list True\nkpageflags True\nkpagecount True\nkmsg True\ninterrupts True\n\
             sched_debug True\nvmallocinfo True\nkallsyms True\nmodules True",
        );
    }

    fn cannot_look_into_the_first_process(arena) {
        arena.python(
            "
            for name in ['root', 'cwd', 'exe', 'fd', 'mem', 'environ', 'maps', 'stack', 'io', 'auxv', 'map_files', 'ns/mnt', 'ns/user', 'task/1/fd']:
                path = '/proc/1/' + name
                tries = [attempt(read, path), attempt(os.listdir, path), attempt(os.readlink, path)]
                print(name, 'ok' not in tries, 'EACCES' in tries or 'EPERM' in tries)
            ",
            "root True True\ncwd True True\nexe True True\nfd True True\nmem True True\nenviron True True\nmaps True True\n\
             stack True True\nio True True\nauxv True True\nmap_files True True\nns/mnt True True\nns/user True True\ntask/1/fd True True",
        );
    }

    fn the_first_process_does_not_tell_how_the_launcher_was_called(arena) {
        let own = std::fs::read("/proc/self/cmdline").unwrap();
        assert!(own.len() > 1);
        arena.python(
            "print(open('/proc/1/cmdline', 'rb').read().strip(b'\\0'), open('/proc/1/comm').read().strip())",
            arena.expecting("b'' guild-init", "b'/.guild-first' .guild-first"),
        );
    }

    fn cannot_see_the_hosts_processes(arena) {
        // In an engine's container whoever has begun the command waits for it.
        arena.python(
            "
            processes = [int(name) for name in os.listdir('/proc') if name.isdigit()]
            print(sorted(processes) == sorted({1, os.getpid(), os.getppid()}), os.getpid() < 100, os.getppid() == 1)
            print(attempt(os.kill, 3999999, 0), attempt(read, '/proc/3999999/status'))
            ",
            arena.expecting("True True True\nESRCH ENOENT", "True True False\nESRCH ENOENT"),
        );
    }

    fn sees_none_of_the_hosts_mounts(arena) {
        let canary = arena.canary();
        let outcome = arena.run(&arena.policy(), &bash("cut -d' ' -f5 /proc/self/mountinfo"));
        let text = outcome.stdout.text();
        let foreign = |point: &&str| {
            let known = ["/usr", "/etc/", "/dev/", "/tmp", "/output", "/proc", "/nix/store", "/lib", "/bin", "/sbin"];
            // `/sys` is one that is covered.
            let engines = arena.expecting([""; 3], ["/dev", "/sys", "/run/.containerenv"]);
            let is_engines = engines.contains(point) || (!arena.is_embedded() && point.starts_with("/sys/"));
            **point != *"/" && !is_engines && !known.iter().any(|known| point.starts_with(known))
        };
        assert_eq!(text.lines().filter(foreign).collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(text.lines().count() > 5);
        let whole = arena.run(&arena.policy(), &bash("cat /proc/self/mountinfo /proc/self/mountstats /proc/mounts"));
        assert!(!whole.stdout.text().contains(canary.parent().unwrap().to_str().unwrap()));
    }

    fn does_not_learn_where_it_is_among_the_hosts_cgroups(arena) {
        let outcome = arena.run(&arena.policy(), &bash("cut -d: -f3 /proc/self/cgroup | sort -u; cut -d: -f3 /proc/1/cgroup | sort -u"));
        check(&outcome, "/\n/");
    }

    fn its_streams_lead_to_nothing_but_its_own_pipes(arena) {
        if !arena.is_embedded() {
            // Without input an engine gives the empty device.
            let script = "
                print([os.readlink('/proc/self/fd/%d' % fd).split(':')[0] for fd in range(3)])
                print(attempt(os.ftruncate, 1, 0), attempt(os.lseek, 1, 0, 0), attempt(os.open, '/proc/self/fd/1/..', os.O_RDONLY))
                ";
            return arena.python(script, "['/dev/null', 'pipe', 'pipe']\nEINVAL ESPIPE ENOTDIR");
        }
        arena.python(
            "
            print([os.readlink('/proc/self/fd/%d' % fd).split(':')[0] for fd in range(3)])
            again = os.open('/proc/self/fd/0', os.O_WRONLY)
            os.write(again, b'its own words')
            print(os.read(0, 100))
            print(attempt(os.ftruncate, 1, 0), attempt(os.lseek, 0, 0, 0), attempt(os.open, '/proc/self/fd/1/..', os.O_RDONLY))
            ",
            "['pipe', 'pipe', 'pipe']\nb'its own words'\nEINVAL ESPIPE ENOTDIR",
        );
    }

    fn standard_streams_can_be_opened_by_name(arena) {
        let outcome = arena.run(&arena.policy(), &bash("echo out > /dev/stdout && echo error > /dev/stderr"));
        check(&outcome, "out");
        assert_eq!(outcome.stderr.text(), "error\n");
    }

    fn a_program_from_memory_gains_nothing(arena) {
        arena.python(
            "
            memory = os.memfd_create('program', 0)
            os.write(memory, open('/usr/bin/cat', 'rb').read())
            theirs, ours = os.pipe()
            if os.fork() == 0:
                os.dup2(ours, 1)
                os.execve(memory, ['cat', '/proc/self/status'], {})
            os.wait()
            said = dict(line.split(':', 1) for line in os.read(theirs, 65536).decode().splitlines())
            print([said[key].strip() for key in ['CapPrm', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp']])
            print([said[key].strip() == status(key) for key in ['Uid', 'Gid', 'Groups']])
            ",
            "['0000000000000000', '0000000000000000', '0000000000000000', '1', '2']\n[True, True, True]",
        );
    }
}
