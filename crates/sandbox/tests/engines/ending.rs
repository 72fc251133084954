//! How commands end, and that nothing is left of them.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use guild_sandbox::{Backend, Command, Engine, ExitStatus, LaunchError, Scratch, Surroundings};

use crate::world::{Found, NOTHING, World, block_on, policy, shell, with_both};

with_both! {
    fn what_a_command_leaves_running_dies_with_it(world) {
        let outcome = world.shell(&policy(), "sleep 1000 & setsid sleep 1000 & echo begun");
        assert_eq!((outcome.exit_code(), outcome.stdout.text().as_ref(), outcome.timed_out), (0, "begun\n", false));
        assert_eq!(world.left(), NOTHING);
    }

    fn a_child_that_is_dropped_is_killed_and_its_container_removed(world) {
        let policy = policy();
        block_on(async {
            let mut child = world.engine.launch(&policy, &shell("echo begun; sleep 1000")).await.unwrap();
            child.next().await.unwrap();
            assert_eq!(world.left(), "1 containers, 0 volumes");
            drop(child);
            world.wait_until_nothing_is_left().await;
        });
    }

    fn a_child_can_be_killed_by_whoever_does_not_wait_for_it(world) {
        let policy = policy();
        let outcome = block_on(async {
            let mut child = world.engine.launch(&policy, &shell("echo begun; sleep 1000")).await.unwrap();
            child.next().await.unwrap();
            let killer = child.killer();
            killer.kill();
            let outcome = child.wait().await.unwrap();
            killer.kill();
            outcome
        });
        assert_eq!((outcome.status, outcome.timed_out, outcome.oom), (ExitStatus::Signal(9), false, false));
        assert_eq!(outcome.stdout.text(), "begun\n");
        assert_eq!(world.left(), NOTHING);
    }

    fn nothing_is_left_of_commands_however_they_end(world) {
        let mut policy = policy();
        policy.scratch.push(Scratch { keep: Some(world.path("kept")), ..Scratch::new("/kept") });
        world.shell(&policy, "exit 1");
        let _ = world.try_run(&policy, &Command::new("/nope")).unwrap_err();
        policy.limits.timeout = Duration::from_secs(3);
        assert!(world.shell(&policy, "sleep 1000").timed_out);
        assert_eq!(world.left(), NOTHING);
    }

    fn a_command_that_ends_whoever_waits_for_it_gains_nothing(world) {
        let mut policy = policy();
        policy.scratch.push(Scratch { keep: Some(world.path("kept")), ..Scratch::new("/kept") });
        let script = "echo before > /kept/file; (while :; do echo after > /kept/late; done) & kill -9 $PPID; exit 0";
        let outcome = world.shell(&policy, script);
        // Where there is Landlock it cannot even do that.
        assert!(matches!(outcome.status, ExitStatus::Signal(9) | ExitStatus::Code(0)), "{:?}", outcome.status);
        assert_eq!(std::fs::read_to_string(world.path("kept/file")).unwrap(), "before\n");
        assert_eq!(world.left(), NOTHING);
    }

    fn containers_die_with_a_process_that_is_killed_and_the_next_start_removes_them(world) {
        if Doomed::is_me() {
            return until_killed(world);
        }
        let mut doomed = Doomed::start();
        assert_eq!(doomed.line(), "begun\n");
        let process = doomed.0.id();
        let found = || world.containers_of(process);
        assert_eq!(found(), [Found { running: true }]);
        doomed.kill();
        while found().iter().any(|found| found.running) {}
        // This engine has not launched anything yet: its first launch is the next start.
        assert_eq!(world.shell(&policy(), "exit 0").exit_code(), 0);
        assert_eq!(found(), []);
    }
}

/// This test once more, in a process that is killed while it waits for a command.
struct Doomed(Child);

impl Doomed {
    const VARIABLE: &str = "GUILD_TEST_DOOMED";

    fn is_me() -> bool {
        #[expect(clippy::disallowed_methods, reason = "a test speaks to itself in another process")]
        std::env::var_os(Doomed::VARIABLE).is_some()
    }

    fn start() -> Doomed {
        let program = std::env::current_exe().unwrap();
        let test = std::thread::current().name().unwrap().to_owned();
        #[expect(clippy::disallowed_methods, reason = "somebody has to be killed")]
        let mut command = std::process::Command::new(program);
        command.args(["--exact", &test, "--nocapture"]).env(Doomed::VARIABLE, "1").stdout(Stdio::piped());
        Doomed(command.spawn().unwrap())
    }

    /// What its command says next.
    fn line(&mut self) -> String {
        let mut output = BufReader::new(self.0.stdout.as_mut().unwrap());
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "it ended");
            if let Some((_, said)) = line.split_once("the command said ") {
                return said.to_owned();
            }
        }
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn until_killed(world: &World) {
    let policy = policy();
    block_on(async {
        let mut child = world.engine.launch(&policy, &shell("echo begun; sleep 1000")).await.unwrap();
        let said = child.next().await.unwrap().bytes;
        println!("the command said {}", String::from_utf8(said).unwrap().trim_end());
        child.wait().await.unwrap();
    });
}

#[test]
fn an_engine_that_nobody_runs_is_unavailable() {
    let around = Surroundings {
        docker_host: Some("unix:///nowhere/docker.sock".to_owned()),
        ..Surroundings::default()
    };
    let engine = Engine::docker(&around);
    let error = block_on(engine.launch(&policy(), &shell("true"))).unwrap_err();
    assert!(matches!(error, LaunchError::Unavailable { .. }), "{error}");
}
