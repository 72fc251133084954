//! `guild watch`

use crate::books::switching;
use crate::print::{Ink, Style, escape};
use crate::surroundings;
use crate::ui::{Ui, end};
use guild_engine::catalog::{Machine, Status as RootStatus};
use guild_engine::reply::{Watch, WatchLine};
use guild_engine::{Envelope, Hall, Live, Status, counted, watch};
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// Print what changes: one line for each skill that comes, goes or becomes another
///
/// `+` is a skill that came, `-` one that went, `~` one whose file, place or state changed. A look that fails, because a
/// configuration file or a directory can no longer be read, keeps what was known and says so. With `--json` every line is
/// one envelope (JSON Lines). It ends with Ctrl-C, or when nobody reads its output any more.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How long to wait between two looks
    #[arg(long, default_value = "1", value_parser = seconds, value_name = "SECONDS", allow_negative_numbers = true)]
    interval: Duration,
    /// End after this time
    #[arg(long = "for", value_parser = seconds, value_name = "SECONDS", allow_negative_numbers = true)]
    bound: Option<Duration>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let started = Instant::now();
    let live = Live::open(machine(ui), &ui.config_files());
    ui.warn_of_ignored(&live.current());
    if !ui.is_quiet() {
        writeln!(io::stderr(), "{}", opening(&live.current(), args.interval)).ok();
    }
    let mut told = String::new();
    loop {
        let left = args.bound.map(|bound| bound.saturating_sub(started.elapsed()));
        if left == Some(Duration::ZERO) {
            return ExitCode::SUCCESS;
        }
        thread::sleep(left.map_or(args.interval, |left| left.min(args.interval)));
        let envelope = watch(&live, machine(ui), &ui.config_files());
        if is_worth_telling(&envelope, &told)
            && let Err(error) = ui.print(&envelope, print)
        {
            return end(&error, 0);
        }
        told = envelope.message;
    }
}

/// The machine, with what is switched off by now.
fn machine(ui: &Ui) -> Machine {
    switching(ui, &ui.config_files()).over(surroundings::again(ui.machine()))
}

/// Whether something changed, or a look failed for another reason than the one that was told last.
fn is_worth_telling(envelope: &Envelope<Watch>, told: &str) -> bool {
    let Watch { added, removed, changed, .. } = &envelope.data;
    match envelope.status {
        Status::Error => envelope.message != told,
        Status::Ok => !(added.is_empty() && removed.is_empty() && changed.is_empty()),
    }
}

fn opening(hall: &Hall, interval: Duration) -> String {
    let roots = hall.snapshot.roots.iter().filter(|root| root.status == RootStatus::Ok).count();
    format!(
        "watching {} in {}, every {} s",
        counted(hall.snapshot.skills.len(), "skill"),
        counted(roots, "place"),
        interval.as_secs_f64()
    )
}

fn print(data: &Watch, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = |ink: Ink, mark: &str, lines: &[WatchLine]| {
        lines.iter().try_for_each(|line| {
            let (mark, name, path) =
                (style.ink(ink, mark), escape::line(&line.name), escape::exact(&line.path));
            let note = if line.loaded { "" } else { " (does not load)" };
            writeln!(out, "{mark} {name} {path}{note}")
        })
    };
    lines(Ink::Green, "+", &data.added)?;
    lines(Ink::Red, "-", &data.removed)?;
    lines(Ink::Yellow, "~", &data.changed)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.01..=86_400.0).contains(number));
    let duration = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    duration.ok_or_else(|| "write a number of seconds from 0.01 to 86400".to_owned())
}
