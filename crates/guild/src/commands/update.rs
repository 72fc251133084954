//! `guild update`

use crate::commands::diff::print_comparison;
use crate::confirm::choose;
use crate::installing::{SiteArgs, changes, findings, short, within};
use crate::print::{Ink, Style, escape};
use crate::ui::Ui;
use guild_engine::reply::{InstalledChange, Update, UpdateLine};
use guild_engine::{Edits, UpdateRequest, update};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bring installed skills and plugins up to date, once you have seen what changes
///
/// First what each may do then and cannot now, every file that changes, and what the vet says of it; then you are asked. What you have
/// edited is never overwritten without being asked: keep it, replace it, or merge it with the update.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only these skills or plugins
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Agree to it without being asked; it is shown all the same
    #[arg(long, short)]
    yes: bool,
    /// Leave alone what you have edited
    #[arg(long, group = "edits")]
    keep: bool,
    /// Replace what you have edited
    #[arg(long, group = "edits")]
    replace: bool,
    /// Merge your edits with the update, line by line; contradictions change nothing
    #[arg(long, group = "edits")]
    merge: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let edits = match () {
        () if args.keep => Edits::Keep,
        () if args.replace => Edits::Replace,
        () if args.merge => Edits::Merge,
        () => Edits::Refuse,
    };
    let was_shown = AtomicBool::new(false);
    let ask = |reply: &Update| {
        ui.show(|style, out| plan(reply, style, out)).ok();
        was_shown.store(true, Ordering::Relaxed);
        args.yes || matches!(choose("Update?", &["yes", "no"]), Ok(Some("yes")))
    };
    let request = UpdateRequest {
        names: &args.names,
        scope: args.site.scope(),
        edits,
        agreed: args.yes && ui.is_json(),
        confirm: if (args.yes || ui.is_terminal()) && !ui.is_json() { Some(&ask) } else { None },
    };
    let envelope = within(ui, &args.site, async |installer| update(installer, &request).await);
    ui.finish(&envelope, |data, style, out| {
        if !was_shown.load(Ordering::Relaxed) {
            plan(data, style, out)?;
        }
        let updated: Vec<InstalledChange> =
            data.changes.iter().filter(|change| change.change != "unchanged").cloned().collect();
        changes(&updated, style, out)?;
        let told = data.updates.iter().filter(|line| matches!(line.state, "pinned" | "kept" | "unknown"));
        told.map(|line| (line, line.reason.as_deref())).try_for_each(|(line, reason)| {
            let why = reason.map(|reason| format!(": {}", escape::line(reason))).unwrap_or_default();
            let state = style.ink(Ink::Yellow, line.state);
            writeln!(out, "{state} {} {}{why}", line.kind, escape::line(&line.name))
        })
    })
}

/// Shows what an update would do.
fn plan(reply: &Update, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for line in reply.updates.iter().filter(|line| line.state == "update") {
        let UpdateLine { name, kind, from, to, edits, comparison, .. } = line;
        let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), short);
        write!(
            out,
            "{} {kind} {}",
            style.ink(Ink::Cyan, "update"),
            style.ink(Ink::Bold, &escape::line(name))
        )?;
        write!(out, " {} → {}", escape::line(&shown(from)), escape::line(&shown(to)))?;
        writeln!(
            out,
            "{}",
            if *edits == "none" { String::new() } else { format!(" (your edits: {edits})") }
        )?;
        print_comparison(comparison, style, out)?;
    }
    findings(&reply.vetted, style, out)
}
