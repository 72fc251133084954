//! Attacks on the host by way of the files that it keeps.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use guild_sandbox::Outcome;

use crate::arena::{Arena, bash, python};

attacks! {
    fn symlink_in_output_is_not_followed_by_the_host(arena) {
        let canary = arena.canary();
        let outcome = keep(arena, &format!("ln -s {0} /output/file; ln -s {1} /output/directory; ln -s /proc/self/environ /output/own; echo kept > /output/kept", canary.display(), canary.parent().unwrap().display()));
        assert_eq!(told(&outcome), "kept\n- directory: not a regular file but a symbolic link\n- file: not a regular file but a symbolic link\n- own: not a regular file but a symbolic link\n");
        assert_eq!(names(&arena.directory_of("kept")), ["kept"]);
        arena.check_canary();
    }

    fn directory_swapped_for_a_link_is_not_followed(arena) {
        let canary = arena.canary();
        let outcome = keep(arena, &format!("mkdir /output/a; echo x > /output/a/x; mv /output/a /output/b; ln -s {} /output/a", canary.parent().unwrap().display()));
        assert_eq!(told(&outcome), "b/x\n- a: not a regular file but a symbolic link\n");
    }

    fn pipes_and_sockets_do_not_hang_the_host(arena) {
        let outcome = keep(arena, "mkfifo /output/pipe; mkdir /output/within; mkfifo /output/within/pipe; echo x > /output/x");
        assert_eq!(told(&outcome), "x\n- pipe: not a regular file but a pipe\n- within/pipe: not a regular file but a pipe\n");
    }

    fn holes_do_not_fill_the_hosts_disk(arena) {
        let outcome = keep(arena, "truncate -s 1T /output/hole; echo x > /output/x");
        // An engine's archive has all the zeros of a hole in it, and is read no further.
        let expected = arena.expecting(
            "x\n- hole: larger than what is left of the directory's size\n",
            "- .: the archive is larger than the place, or damaged\n- hole: larger than what is left of the directory's size\n",
        );
        assert_eq!(told(&outcome), expected);
    }

    fn many_names_of_one_file_do_not_fill_the_hosts_disk(arena) {
        let outcome = keep(arena, "head -c 100M /dev/zero > /output/1; for each in $(seq 2 100); do ln /output/1 /output/$each; done");
        assert_eq!((outcome.kept.len(), outcome.left_behind.len()), (2, 98));
    }

    fn deep_directories_end_somewhere(arena) {
        let script = "
            os.chdir('/output')
            for each in range(1000):
                os.mkdir('d')
                os.chdir('d')
            open('file', 'w').close()
            open('/output/x', 'w').close()
            ";
        let policy = arena.keeping(&arena.directory_of("kept"));
        let outcome = arena.run(&policy, &python(script));
        assert!(outcome.success(), "{}", outcome.stderr.text());
        assert_eq!((outcome.kept.len(), outcome.left_behind.len()), (1, 1));
        assert!(outcome.left_behind[0].1.contains("too many directories"));
    }

    fn long_names_do_not_fill_the_memory_of_the_host(arena) {
        let script = "
            os.chdir('/output')
            for each in range(13):
                os.mkdir('d' * 250)
                os.chdir('d' * 250)
            for each in range(8000):
                os.close(os.open('%d' % each, os.O_CREAT | os.O_WRONLY))
            ";
        let policy = arena.keeping(&arena.directory_of("kept"));
        let outcome = arena.run(&policy, &python(script));
        assert!(outcome.success(), "{}", outcome.stderr.text());
        let told: usize = outcome.kept.iter().map(|file| file.path.as_os_str().len()).sum();
        assert!(told > 8 << 20 && told <= 16 << 20, "{told}");
        assert_eq!(outcome.left_behind, [(".".into(), "there are more names than can be told".to_owned())]);
    }

    fn odd_names_stay_within_the_directory(arena) {
        let script = r"
            for each in [b'line\nbreak', b'-rf', b'..hidden', b'\xff\xfe', b'...', b'a b', b'\x1b[2J', b'n' * 255]:
                open(b'/output/' + each, 'w').close()
            ";
        let kept = arena.directory_of("kept");
        let outcome = arena.run(&arena.keeping(&kept), &python(script));
        assert_eq!((outcome.kept.len(), outcome.left_behind.len()), (8, 0), "{}", outcome.stderr.text());
        assert_eq!(names(&kept).len(), 8);
        assert!(fs::read_dir(&kept).unwrap().any(|entry| entry.unwrap().file_name().as_bytes() == b"\xff\xfe"));
    }

    fn what_lies_in_the_hosts_directory_is_not_overwritten(arena) {
        let canary = arena.canary();
        let kept = arena.directory("kept");
        symlink(&canary, kept.join("link")).unwrap();
        symlink(canary.parent().unwrap(), kept.join("directory")).unwrap();
        fs::write(kept.join("file"), "as it was").unwrap();
        let outcome = keep(arena, "echo x > /output/link; mkdir /output/directory; echo x > /output/directory/canary; echo x > /output/file");
        assert_eq!(outcome.kept, []);
        assert_eq!(outcome.left_behind.len(), 3);
        assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "as it was");
        arena.check_canary();
    }

    fn kept_files_belong_to_the_launcher_and_have_plain_modes(arena) {
        let outcome = keep(arena, "echo x > /output/plain; chmod 666 /output/plain; cp /bin/true /output/program; chmod 1777 /output/program; mkdir -m 777 /output/open; echo x > /output/open/x");
        assert!(outcome.success(), "{}", outcome.stderr.text());
        let kept = arena.directory_of("kept");
        let mode = |name: &str| fs::metadata(kept.join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("plain"), mode("program"), mode("open/x")), (0o644, 0o755, 0o644));
        assert_eq!(mode("open") & 0o022, 0);
        let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(kept.join("plain")).unwrap());
        assert_eq!(owner, rustix::process::geteuid().as_raw());
    }

    fn directories_that_cannot_be_read_do_not_spoil_the_rest(arena) {
        let outcome = keep(arena, "mkdir /output/shut; echo x > /output/shut/x; chmod 0 /output/shut; echo x > /output/x; echo x > /output/y; chmod 0 /output/y");
        assert!(told(&outcome).contains("x\n"), "{}", told(&outcome));
        assert!(outcome.kept.iter().any(|file| file.path == Path::new("x")));
    }
}

/// Runs a script of the shell whose `/output` is kept in `kept`.
fn keep(arena: &Arena, script: &str) -> Outcome {
    arena.run(&arena.keeping(&arena.directory_of("kept")), &bash(script))
}

/// What was kept, and behind it what was not and why.
fn told(outcome: &Outcome) -> String {
    let kept = outcome.kept.iter().map(|file| format!("{}\n", file.path.display()));
    let left = outcome.left_behind.iter().map(|(path, reason)| format!("- {}: {reason}\n", path.display()));
    kept.chain(left).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
