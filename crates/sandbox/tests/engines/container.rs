//! Containers that live on, and commands in them.

use std::time::Duration;

use expect_test::expect;
use guild_sandbox::{Backend, Command, Container, ExitStatus, LaunchError, Mount, Outcome, Stdin};

use crate::world::{NOTHING, World, block_on, policy, shell, shown, with_both};

const A_WHILE: Duration = Duration::from_secs(60);

with_both! {
    fn commands_share_a_container_and_its_memory(world) {
        in_container(world, async |container| {
            let first = exec(container, &shell("echo $$ > /tmp/file; id -u; pwd").cwd("/tmp")).await;
            let second = exec(container, &Command::new("cat").arg("-").arg("/tmp/file").stdin(Stdin::Bytes(b"in ".to_vec()))).await;
            assert_eq!(shown(&first), "0 \"1000\\n/tmp\\n\" \"\"");
            assert!(second.stdout.text().starts_with("in "), "{}", shown(&second));
            assert!(container.alive().await);
        });
    }

    fn what_a_command_leaves_running_ends_with_it_and_nothing_else_does(world) {
        in_container(world, async |container| {
            let mut other = container.exec(&shell("echo begun; exec sleep 1000"), &[], A_WHILE).await.unwrap();
            other.next().await.unwrap();
            let left = exec(container, &shell("sleep 1000 & (setsid sleep 1000 &); echo begun; exit 4")).await;
            assert_eq!(shown(&left), "4 \"begun\\n\" \"\"");
            assert_eq!(sleeping(container).await, 1);
        });
    }

    fn a_command_out_of_time_is_killed_and_the_container_lives_on(world) {
        in_container(world, async |container| {
            let mut other = container.exec(&shell("echo begun; exec sleep 1000"), &[], A_WHILE).await.unwrap();
            other.next().await.unwrap();
            let slow = shell("echo begun; (setsid sleep 1000 &); sleep 1000 | sleep 1000");
            let outcome = container.exec(&slow, &[], Duration::from_secs(3)).await.unwrap().wait().await.unwrap();
            assert_eq!((outcome.exit_code(), outcome.timed_out, &*outcome.stdout.text()), (124, true, "begun\n"));
            assert_eq!(sleeping(container).await, 1);
        });
    }

    fn a_command_that_is_dropped_is_killed(world) {
        in_container(world, async |container| {
            let mut child = container.exec(&shell("echo begun; exec sleep 1000"), &[], A_WHILE).await.unwrap();
            child.next().await.unwrap();
            drop(child);
            while sleeping(container).await > 0 {}
        });
    }

    fn memory_that_runs_out_is_told_of_the_command_that_it_happened_to(world) {
        in_container(world, async |container| {
            let greedy = exec(container, &Command::new("python3").arg("-c").arg("x = bytearray(300 << 20)")).await;
            assert_eq!((greedy.status, greedy.oom), (ExitStatus::Signal(9), true));
            let modest = exec(container, &shell("exit 0")).await;
            assert_eq!((modest.status, modest.oom), (ExitStatus::Code(0), false));
        });
    }

    fn orphans_are_reaped(world) {
        in_container(world, async |container| {
            let script = "for i in 1 2 3; do (sleep 0 &); done; while ps -A -o comm | grep -q sleep; do :; done; echo none";
            assert_eq!(shown(&exec(container, &shell(script)).await), "0 \"none\\n\" \"\"");
        });
    }

    fn mounts_for_one_command_are_refused(world) {
        in_container(world, async |container| {
            let mounts = [Mount::read_only("/usr", "/u")];
            let error = container.exec(&shell("true"), &mounts, A_WHILE).await.unwrap_err();
            let LaunchError::Unsupported { finding, .. } = error else { panic!("{error}") };
            expect!["start the container with these mounts, or use the embedded runtime"].assert_eq(&finding.fix);
        });
    }

    fn a_container_that_is_stopped_is_gone(world) {
        block_on(async {
            let container = world.engine.start(&policy()).await.unwrap();
            assert_eq!(world.left(), "1 containers, 0 volumes");
            container.stop().await.unwrap();
            assert_eq!(world.left(), NOTHING);
        });
    }

    fn a_container_that_is_dropped_is_gone_too(world) {
        block_on(async {
            drop(world.engine.start(&policy()).await.unwrap());
            world.wait_until_nothing_is_left().await;
        });
    }

    fn a_container_ends_when_its_time_is_up_and_its_commands_with_it(world) {
        let mut policy = policy();
        policy.limits.timeout = Duration::from_secs(4);
        block_on(async {
            let container = world.engine.start(&policy).await.unwrap();
            let outcome = exec(&*container, &shell("sleep 1000")).await;
            assert_eq!((outcome.status, outcome.timed_out), (ExitStatus::Signal(9), false));
            world.wait_until_nothing_is_left().await;
            assert!(!container.alive().await);
            assert!(container.exec(&shell("true"), &[], A_WHILE).await.is_err());
            container.stop().await.unwrap();
        });
    }
}

/// Starts a container, does something with it, and stops it.
fn in_container(world: &World, does: impl AsyncFnOnce(&dyn Container)) {
    block_on(async {
        let container = world.engine.start(&policy()).await.unwrap();
        does(&*container).await;
        container.stop().await.unwrap();
        assert_eq!(world.left(), NOTHING);
    });
}

/// How many processes of the container sleep.
async fn sleeping(container: &dyn Container) -> usize {
    let processes = exec(container, &shell("ps -A -o comm")).await;
    processes.stdout.text().lines().filter(|line| *line == "sleep").count()
}

async fn exec(container: &dyn Container, command: &Command) -> Outcome {
    container.exec(command, &[], A_WHILE).await.unwrap().wait().await.unwrap()
}
