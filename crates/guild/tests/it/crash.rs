//! `guild run` and `guild approve` killed at any moment, on either database: what they had said stays true, nothing is allowed twice,
//! and the next start leaves nothing of them behind.

mod aftermath;
mod world;

use guild_testkit::{Dice, Output, Postgres, Running, rounds};
use std::time::Duration;

use aftermath::Said;
use world::{World, envelope_of};

/// A way to be killed: starts a command about run `number`, kills it, and gives what it had said.
type Act = fn(&World, u64, Moment<'_>) -> Said;

const ACTS: &[Act] = &[a_run, a_run_for_programs, a_run_that_writes, an_approval, a_run_that_waits];

#[test]
fn whoever_is_killed_while_running_or_approving_leaves_sound_books_on_sqlite() {
    long_life(World::new(None));
}

#[test]
fn whoever_is_killed_while_running_or_approving_leaves_sound_books_on_postgresql() {
    let server = Postgres::start();
    long_life(World::new(Some(&server.database("long"))));
}

#[test]
fn whoever_is_killed_while_the_books_are_made_leaves_sound_books_on_sqlite() {
    first_days(|_| World::new(None));
}

#[test]
fn whoever_is_killed_while_the_books_are_made_leaves_sound_books_on_postgresql() {
    let server = Postgres::start();
    first_days(|number| World::new(Some(&server.database(&format!("first{number}")))));
}

/// One installation, in which again and again somebody is killed.
fn long_life(mut world: World) {
    world.settle();
    let mut dice = Dice::new(0x4b11_1ed5);
    for number in 0..rounds() {
        let act = *dice.pick(ACTS).unwrap();
        let said = act(&world, number, Moment(&mut dice));
        world.survey(number, &said);
    }
    world.tell();
}

/// Every time another installation, whose first command is killed.
fn first_days(make: impl Fn(u64) -> World) {
    let mut dice = Dice::new(0x0f15_57da);
    // A new installation takes longer than a new round, and its beginning is short.
    for number in 0..rounds().div_ceil(5) {
        let mut world = make(number);
        let said = a_run(&world, number, Moment(&mut dice));
        world.survey(number, &said);
    }
}

/// When somebody is killed.
struct Moment<'a>(&'a mut Dice);

impl Moment<'_> {
    /// Kills a command somewhere between its start and a little after its usual end.
    fn kill(self, running: Running, usual: Duration) -> Output {
        let most = usize::try_from(usual.as_micros()).unwrap() * 5 / 4;
        std::thread::sleep(Duration::from_micros(self.0.below(most) as u64));
        running.kill()
    }
}

/// A run that is approved in the same breath; that its script has said something means that it had started.
fn a_run(world: &World, number: u64, moment: Moment<'_>) -> Said {
    let running = world.run("tell", number, &["--approve", "once"]).spawn();
    let process = running.id();
    let stdout = moment.kill(running, world.usual.run).stdout();
    Said { started: stdout.contains(&format!("did {number}\n")), ..Said::by(process, "tell") }
}

/// The same, whose end is said in an envelope.
fn a_run_for_programs(world: &World, number: u64, moment: Moment<'_>) -> Said {
    let running = world.run("tell", number, &["--approve", "once", "--json"]).spawn();
    let process = running.id();
    let envelope = envelope_of(&moment.kill(running, world.usual.run));
    let receipt = envelope.as_ref().and_then(|envelope| envelope["data"]["receipt"].as_str());
    Said { started: envelope.is_some(), receipt: receipt.map(str::to_owned), ..Said::by(process, "tell") }
}

/// A run that may write, so that there is a layer which nobody has looked at.
fn a_run_that_writes(world: &World, number: u64, moment: Moment<'_>) -> Said {
    let running = world.run("change", number, &["--approve", "once"]).spawn();
    let process = running.id();
    let stdout = moment.kill(running, world.usual.run).stdout();
    Said { started: stdout.contains(&format!("did {number}\n")), ..Said::by(process, "change") }
}

/// An approval of what was asked for before.
fn an_approval(world: &World, number: u64, moment: Moment<'_>) -> Said {
    let request = world.ask(number);
    let running = world.desk.env.invocation(&["approve", &request, "--once", "--json"]).spawn();
    let process = running.id();
    let envelope = envelope_of(&moment.kill(running, world.usual.approval));
    let text = |place: &str| Some(envelope.as_ref()?.pointer(place)?.as_str()?.to_owned());
    Said { grant: text("/data/grant/id"), receipt: text("/data/receipt"), ..Said::by(process, "tell") }
}

/// A run that waits for its answer and is killed while the answer comes.
fn a_run_that_waits(world: &World, number: u64, moment: Moment<'_>) -> Said {
    let mut running = world.run("tell", number, &["--wait", "10m"]).spawn();
    let process = running.id();
    let line = running.error_line();
    let request = line.trim_end().rsplit(' ').next().unwrap();
    let approval = world.desk.env.invocation(&["approve", request, "--once", "--json"]).spawn();
    let stdout = moment.kill(running, world.usual.approval + world.usual.run).stdout();
    let envelope = envelope_of(&approval.finish()).unwrap();
    let text = |place: &str| Some(envelope.pointer(place)?.as_str()?.to_owned());
    Said {
        started: stdout.contains(&format!("did {number}\n")),
        grant: Some(text("/data/grant/id").unwrap()),
        receipt: text("/data/receipt"),
        ..Said::by(process, "tell")
    }
}
