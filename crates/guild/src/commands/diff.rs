//! `guild diff`

use crate::books::{Access, ask};
use crate::print::{Ink, Style, difference, escape, mode_change};
use crate::runtime;
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::ledger::DEFAULT_AGENT;
use guild_engine::reply::{CapabilityChange, Comparison, FileChange, SkillDiff};
use guild_engine::{Before, skill_diff};
use std::io::{self, Write};
use std::process::ExitCode;

/// Show what has changed in a skill since it was last approved
///
/// First what the skill may do now and could not before, then every file that changed, line by line. Another hash to compare with
/// is one that `guild hash` has printed on this machine; what it stands for is kept in the store.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// Since it was approved for this agent
    #[arg(long, value_name = "AGENT", default_value = DEFAULT_AGENT)]
    agent: String,
    /// The security hash to compare with instead
    #[arg(long, value_name = "HASH")]
    from: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let (images, places) = (ui.images(), ui.places());
    let envelope = match &args.from {
        Some(from) => {
            let compared = skill_diff(&hall, &images, &places, &args.name, Before::Hash(from));
            match runtime::block_on(compared) {
                Ok(envelope) => envelope,
                Err(error) => return ui.defect(&format!("cannot start a runtime: {error}")),
            }
        }
        None => ask(ui, Access::Read, async |books| {
            let before = Before::Approved { books, agent: &args.agent };
            skill_diff(&hall, &images, &places, &args.name, before).await
        }),
    };
    ui.finish(&envelope, print)
}

fn print(data: &SkillDiff, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    print_comparison(&data.comparison, style, out)
}

/// Prints what differs between two states of a skill; `update` does the same.
pub fn print_comparison(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for change in &comparison.capabilities {
        print_capability(change, style, out)?;
    }
    comparison.files.iter().try_for_each(|file| print_file(file, style, out))
}

fn print_capability(change: &CapabilityChange, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (word, ink) = if change.wider { ("more", Ink::Red) } else { ("less", Ink::Green) };
    let unset = if change.capability.starts_with("limits.") { "default" } else { "none" };
    let shown = |value: &Option<String>| escape::line(value.as_deref().unwrap_or(unset)).into_owned();
    let (before, after) = (shown(&change.before), shown(&change.after));
    writeln!(out, "{} {}: {before} → {after}", style.ink(ink, word), style.ink(Ink::Bold, change.capability))
}

fn print_file(file: &FileChange, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let ink = match file.change {
        "added" => Ink::Green,
        "removed" => Ink::Red,
        _ => Ink::Yellow,
    };
    let path = escape::exact(&file.path);
    write!(out, "{} {}", style.ink(ink, file.change), style.ink(Ink::Bold, &path))?;
    write!(out, "{}", mode_change(file.was_executable, file.is_executable))?;
    if file.lock {
        write!(out, " {}", style.ink(Ink::Yellow, "[dependencies]"))?;
    }
    writeln!(out)?;
    difference(&file.difference, style, out)
}
