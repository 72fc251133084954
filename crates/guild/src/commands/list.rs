//! `guild list`

mod installed;

use crate::print::{Cell, Ink, Style, escape, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{List, SkillSummary};
use guild_engine::{ListRequest, Status, counted, list};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// List every skill, from every convention, with where it came from
///
/// Without options all skills that load are listed, those included that are switched off or ask for something this
/// machine does not have. A skill of the same name in a nearer place hides the others; `--all` shows which.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only skills of this source: project, custom, user, system, extra, plugin or builtin
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Only skills that this agent may use, in the order of its allowlist
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Also skills that do not load, and what hides what
    #[arg(long)]
    all: bool,
    /// What Guildhall has installed instead: from where, and whether it is as it was
    #[arg(long, conflicts_with_all = ["source", "agent", "all", "file"])]
    installed: bool,
    /// Mark the skills whose `paths` match this file, and list them first
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    if args.installed {
        return installed::run(ui);
    }
    let hall = ui.hall(Freshness::Indexed);
    let request = ListRequest {
        source: args.source.as_deref(),
        agent: args.agent.as_deref(),
        all: args.all,
        file: args.file.as_deref(),
        page: None,
    };
    let mut envelope = list(&hall, &request);
    if envelope.status == Status::Ok {
        let is_whole = args.source.is_none() && args.agent.is_none();
        let broken = if is_whole { hall.snapshot.broken.len() } else { 0 };
        let hidden = if is_whole { hall.snapshot.collisions.len() } else { 0 };
        let notes = [footer(&envelope.data, broken, hidden), std::mem::take(&mut envelope.message)];
        envelope.message = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; ");
    }
    ui.finish(&envelope, |data, style, out| print(data, args.all, style, out))
}

fn print(data: &List<'_>, all: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !data.skills.is_empty() {
        print_skills(&data.skills.iter().collect::<Vec<_>>(), style, out)?;
    }
    for broken in data.broken.iter().flatten() {
        let reason = broken.problems.iter().find(|problem| problem.severity == "error");
        let reason = escape::line(reason.map_or("", |problem| problem.message.as_ref()));
        let label = style.ink(Ink::Red, "does not load:");
        writeln!(out, "{label} {} ({}): {reason}", escape::line(&broken.name), broken.scope)?;
    }
    let path = |path: &Path| escape::exact(&path.to_string_lossy());
    for collision in data.collisions.iter().filter(|_| all) {
        let (name, label) = (escape::line(collision.name), style.ink(Ink::Yellow, "hidden:"));
        writeln!(
            out,
            "{label} {name} at {}, by {}",
            path(collision.skipped_path),
            path(collision.kept_path)
        )?;
    }
    Ok(())
}

/// Prints skills as a table; `search` does the same.
pub fn print_skills(skills: &[SkillSummary<'_>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let states: Vec<String> = skills.iter().map(state).collect();
    let rows: Vec<[Cell<'_>; 5]> = skills
        .iter()
        .zip(&states)
        .map(|(skill, state)| {
            [
                Cell::new(Ink::Bold, &skill.qualified_name),
                Cell::plain(skill.kind),
                Cell::plain(skill.scope),
                Cell::new(if state == "ready" { Ink::Green } else { Ink::Yellow }, state),
                Cell::plain(skill.description),
            ]
        })
        .collect();
    table(["NAME", "KIND", "SOURCE", "STATE", "DESCRIPTION"], &rows, style, out)
}

fn state(skill: &SkillSummary<'_>) -> String {
    let mut words = Vec::new();
    if skill.verdict == Some("deny") {
        words.push("denied");
    }
    if !skill.enabled {
        words.push("off");
    }
    if !skill.eligible {
        words.push("ineligible");
    }
    if !skill.model_invocable {
        words.push("manual");
    }
    if skill.matches_file == Some(true) {
        words.push("matches");
    }
    if words.is_empty() { "ready".to_owned() } else { words.join(",") }
}

/// How many there are, and what a person would miss in the list.
fn footer(data: &List<'_>, broken: usize, hidden: usize) -> String {
    let mut parts = vec![counted(data.count, "skill")];
    if broken > 0 {
        let verb = if broken == 1 { "does" } else { "do" };
        parts.push(format!("{broken} that {verb} not load (see `guild check`)"));
    }
    if hidden > 0 {
        parts.push(format!("{hidden} hidden by another of the same name (see `--all`)"));
    }
    let others = data.problems.iter().filter(|problem| problem.severity != "info").count();
    if others > 0 {
        parts.push(format!("{} (see `guild check`)", counted(others, "other problem")));
    }
    parts.join(", ")
}
