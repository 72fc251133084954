//! What is kept of a command's output.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use expect_test::expect;
use guild_sandbox::{Outcome, Policy, Scratch};

use crate::world::{World, policy, with_both};

with_both! {
    fn regular_files_and_directories_come_out(world) {
        let script = "mkdir -p a/b; echo text > a/b/file; printf '#!/bin/sh' > run; chmod 755 run; ln run again; chmod 600 a/b/file;
            mkdir a/empty; touch 'odd name'; mkdir -m 700 closed; echo x > closed/x";
        let outcome = keep(world, script);
        expect![[r#"
            a/b/file 5 644
            again 9 755
            closed/x 2 644
            odd name 0 644
            run 9 755
        "#]].assert_eq(&kept(world, &outcome));
    }

    fn links_pipes_and_sockets_stay_behind_and_nothing_is_followed(world) {
        fs::write(world.path("outside"), "untouched").unwrap();
        let script = "ln -s /etc/passwd passwd; ln -s ../outside up; ln -s / root; mkfifo pipe; ln -s nowhere dangling;
            mkdir d; ln -s .. d/up; echo ok > d/file";
        let outcome = keep(world, script);
        expect![[r#"
            d/file 3 644
            d/up: not a regular file but a symbolic link
            dangling: not a regular file but a symbolic link
            passwd: not a regular file but a symbolic link
            pipe: not a regular file but a pipe
            root: not a regular file but a symbolic link
            up: not a regular file but a symbolic link
        "#]].assert_eq(&kept(world, &outcome));
        assert_eq!(fs::read_to_string(world.path("outside")).unwrap(), "untouched");
    }

    fn a_file_that_is_longer_than_its_content_is_not_written_out(world) {
        let outcome = keep(world, "truncate -s 1T huge; echo 1 > a; echo 2 > z");
        let shown = kept(world, &outcome);
        assert!(shown.contains("huge: larger than what is left"), "{shown}");
        assert!(shown.contains("a 2 644"), "{shown}");
    }

    fn what_was_written_before_the_time_ran_out_comes_out_too(world) {
        let mut policy = keeping(world);
        policy.limits.timeout = Duration::from_secs(5);
        let outcome = world.shell(&policy, "cd /kept; echo half > done; sleep 1000");
        assert!(outcome.timed_out);
        expect![[r#"
            done 5 644
        "#]].assert_eq(&kept(world, &outcome));
    }

    fn many_files_and_a_large_one_come_out_whole(world) {
        let script = "for i in $(seq 300); do echo $i > file-$i; done; head -c 20000000 /dev/urandom > large; cksum=$(cat large | wc -c); echo $cksum";
        let outcome = keep(world, script);
        assert_eq!((outcome.kept.len(), outcome.left_behind.len()), (301, 0));
        assert_eq!(fs::metadata(world.path("kept/large")).unwrap().len(), 20_000_000);
        assert_eq!(fs::read_to_string(world.path("kept/file-300")).unwrap(), "300\n");
    }

    fn two_places_are_kept_apart(world) {
        let mut policy = keeping(world);
        policy.scratch.push(Scratch { size: 1 << 20, keep: Some(world.path("other")), ..Scratch::new("/other") });
        let outcome = world.shell(&policy, "echo one > /kept/one; echo two > /other/two");
        assert_eq!(outcome.kept.len(), 2);
        assert_eq!(fs::read_to_string(world.path("kept/one")).unwrap(), "one\n");
        assert_eq!(fs::read_to_string(world.path("other/two")).unwrap(), "two\n");
    }

    fn what_is_there_already_is_not_overwritten(world) {
        fs::create_dir(world.path("kept")).unwrap();
        fs::write(world.path("kept/mine"), "mine").unwrap();
        std::os::unix::fs::symlink(world.path("outside"), world.path("kept/link")).unwrap();
        let outcome = keep(world, "echo theirs > mine; echo theirs > link; echo new > new");
        expect![[r#"
            new 4 644
            link: there is something of that name already
            mine: there is something of that name already
        "#]].assert_eq(&kept(world, &outcome));
        assert_eq!(fs::read_to_string(world.path("kept/mine")).unwrap(), "mine");
        assert!(!world.path("outside").exists());
    }
}

fn keeping(world: &World) -> Policy {
    let mut policy = policy();
    policy.scratch.push(Scratch { size: 64 << 20, keep: Some(world.path("kept")), ..Scratch::new("/kept") });
    policy
}

#[track_caller]
fn keep(world: &World, script: &str) -> Outcome {
    let outcome = world.shell(&keeping(world), &format!("cd /kept || exit 9; {script}"));
    assert_eq!(outcome.exit_code(), 0, "{}", outcome.stderr.text());
    outcome
}

/// What came out and what did not, with what is really there.
fn kept(world: &World, outcome: &Outcome) -> String {
    let mut shown = String::new();
    for file in &outcome.kept {
        let path = world.path("kept").join(&file.path);
        let metadata = fs::symlink_metadata(&path).unwrap();
        assert!(metadata.is_file() && metadata.len() == file.size, "{}", path.display());
        let mode = metadata.permissions().mode() & 0o7777;
        shown.push_str(&format!("{} {} {mode:o}\n", file.path.display(), file.size));
    }
    for (path, reason) in &outcome.left_behind {
        shown.push_str(&format!("{}: {reason}\n", path.display()));
        assert!(path == Path::new(".") || !outcome.kept.iter().any(|file| file.path == *path));
    }
    shown
}
