//! Whoever applies, undoes or recovers is killed, at every step and at any moment. What is left is what was or what was to be,
//! and nothing in between.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use guild_sandbox::changes::{ApplyError, ChangeSetId, ChangeStore, Progress, Status};
use guild_testkit::{Dice, rounds};
use rustix::process::{Signal, getpid, kill_process};

use crate::world::{Way, World, inside};

/// Every kind of action, in an order that a killed one could get wrong.
const FILES: &str = "
//- /a.txt
alpha
//- /b.txt
beta
//- /d/c.txt
gamma
//- /d/e/f.txt
delta
//- /l link:a.txt
//- /becomes/file
x
//- /ro/x
x
//- /ro/ mode:555
";

const SCRIPT: &str = "echo 2 >> a.txt; rm b.txt; rm -r d; ln -sf n.txt l; echo n > n.txt
    rm -r becomes; echo flat > becomes; mkdir -p x/y; echo z > x/y/z; chmod 500 x/y
    chmod u+w ro; echo 2 >> ro/x; echo n > ro/n; chmod 511 ro";

/// What the process that is to be killed does.
#[derive(Clone, Copy, Debug)]
enum Task {
    Apply,
    /// Applies, while somebody puts something in the way of the last thing to be moved.
    ApplyInVain,
    Recover,
}

#[test]
fn whoever_is_killed_at_any_step_leaves_the_old_or_the_new() {
    if as_victim() {
        return;
    }
    for (task, way) in [(Task::Apply, Way::User), (Task::ApplyInVain, Way::Root)] {
        inside(way, || {
            let mut step = 1;
            while killed_at(step, task, way, None) {
                step += 1;
            }
            assert!(step > 20, "{task:?} took {step} steps");
        });
    }
}

#[test]
fn whoever_is_killed_while_recovering_leaves_the_old_or_the_new() {
    if as_victim() {
        return;
    }
    let mut dice = Dice::new(4711);
    for iteration in 0..rounds() {
        let way = if iteration % 2 == 0 { Way::Root } else { Way::User };
        let task = if iteration % 3 == 0 { Task::ApplyInVain } else { Task::Apply };
        let (first, second) = (1 + dice.below(30), 1 + dice.below(20));
        inside(way, || killed_at(first, task, way, Some(second)));
    }
}

#[test]
fn whoever_is_killed_from_outside_leaves_the_old_or_the_new() {
    if as_victim() {
        return;
    }
    let mut dice = Dice::new(42);
    for iteration in 0..rounds() {
        let way = if iteration % 2 == 0 { Way::Root } else { Way::User };
        let lines = dice.below(36);
        inside(way, || {
            let case = Case::new(way);
            let mut victim = start(&case.world, Task::Apply, usize::MAX);
            let mut told = BufReader::new(victim.stderr.take().unwrap()).lines();
            let mut steps: Vec<String> = told.by_ref().take(lines).map(Result::unwrap).collect();
            // The kill arrives some moments after that step, wherever the victim is by then.
            victim.kill().unwrap();
            victim.wait().unwrap();
            steps.extend(told.map(Result::unwrap));
            // A journal may have been written that nobody was told of any more.
            let applied = steps.iter().any(|step| step == "Journalled");
            case.settle(applied.then_some(Status::Applied));
        });
    }
}

/// A set that waits, with what its source is and what it would be.
struct Case {
    world: World,
    old: String,
    new: String,
}

/// Has a process killed at a step, and, where `again` says so, the one that recovers after it too. Says whether the first one lived
/// to reach that step.
fn killed_at(step: usize, task: Task, way: Way, again: Option<usize>) -> bool {
    let case = Case::new(way);
    let output = start(&case.world, task, step).wait_with_output().unwrap();
    let steps = String::from_utf8(output.stderr).unwrap();
    let killed = is_killed(output.status);
    if let Some(step) = again {
        is_killed(start(&case.world, Task::Recover, step).wait().unwrap());
    }
    case.settle(Some(expected(task, &steps)));
    killed
}

/// What has to become of the set after these steps: once all is journalled there is only one way.
fn expected(task: Task, steps: &str) -> Status {
    match task {
        Task::Apply if steps.contains("Journalled") => Status::Applied,
        _ => Status::Pending,
    }
}

impl Case {
    fn new(way: Way) -> Case {
        let world = World::new(FILES, way);
        world.save_run(SCRIPT);
        Case { old: world.snapshot("source"), new: world.snapshot("merged"), world }
    }

    /// Recovers, and looks whether what is there is the old or the new, as it should be, and whether the old can still become the
    /// new.
    #[track_caller]
    fn settle(&self, expected: Option<Status>) {
        let Case { world, old, new } = self;
        for recovery in world.store.recover(&mut |_| {}).unwrap() {
            recovery.outcome.unwrap();
        }
        // What somebody put in the way is theirs, and still there.
        let in_the_way = world.source().join("x");
        if in_the_way.is_file() {
            std::fs::remove_file(in_the_way).unwrap();
        }
        let status = world.store.load(&world.id).unwrap().status;
        assert_eq!(status, expected.unwrap_or(status));
        if status == Status::Pending {
            assert_eq!(world.snapshot("source"), *old);
            world.apply().unwrap();
        }
        assert_eq!(world.snapshot("source"), *new);
        assert!(world.store.recover(&mut |_| {}).unwrap().is_empty());
        world.store.discard(&world.id).unwrap();
        let left: Vec<_> = std::fs::read_dir(world.fixture.join("state")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

fn is_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    assert!(status.success() || status.signal() == Some(9), "{status}");
    !status.success()
}

/// Starts this very test once more, as the process that is to be killed.
fn start(world: &World, task: Task, step: usize) -> Child {
    #[expect(
        clippy::disallowed_methods,
        reason = "a process that is killed has to be another one than the test"
    )]
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "crashes::whoever_is_killed_at_any_step_leaves_the_old_or_the_new"])
        .env("GUILD_TEST_STATE", world.fixture.join("state"))
        .env("GUILD_TEST_SOURCE", world.source())
        .env("GUILD_TEST_TASK", format!("{task:?}"))
        .env("GUILD_TEST_STEP", step.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether this is the process that is to be killed; it has done what it was started for, then.
#[expect(clippy::disallowed_methods, reason = "the test tells the process that it starts what to do")]
fn as_victim() -> bool {
    let Ok(state) = std::env::var("GUILD_TEST_STATE") else { return false };
    let source = std::env::var("GUILD_TEST_SOURCE").unwrap();
    let task = std::env::var("GUILD_TEST_TASK").unwrap();
    let step: usize = std::env::var("GUILD_TEST_STEP").unwrap().parse().unwrap();
    let store = ChangeStore::open(Path::new(&state)).unwrap();
    let (mut taken, mut told) = (0, std::io::stderr());
    let mut killing = |progress: Progress| {
        taken += 1;
        told.write_all(format!("{progress:?}\n").as_bytes()).unwrap();
        if taken == step {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
    };
    let id: ChangeSetId = "chg_1".to_owned().try_into().unwrap();
    match task.as_str() {
        "Apply" => store.apply(&id, &mut killing).unwrap(),
        "ApplyInVain" => {
            let result = store.apply(&id, &mut |progress| {
                if progress == Progress::Journalled {
                    std::fs::write(Path::new(&source).join("x"), "in the way\n").unwrap();
                }
                killing(progress);
            });
            assert!(matches!(result, Err(ApplyError::Conflict { .. })), "{result:?}");
        }
        _ => {
            for recovery in store.recover(&mut killing).unwrap() {
                recovery.outcome.unwrap();
            }
        }
    }
    true
}
