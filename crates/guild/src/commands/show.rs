//! `guild show`

use crate::books::{self, Lesson};
use crate::print::{Ink, Style, escape, print_facts, problem_line};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{Detail, History, Show};
use guild_engine::show;
use std::io::{self, Write};
use std::process::ExitCode;

/// Show everything about one skill
///
/// The name is the one that `guild list` shows, a bare name if only one skill bears it, or an alias. The skill's text is
/// printed as it is, made harmless for the terminal.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// Leave the instructions out
    #[arg(long)]
    no_body: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = books::hall(ui, Freshness::Indexed, Lesson::Experience);
    let envelope = show(&hall, &args.name);
    ui.finish(&envelope, |data: &Show<'_>, style, out| match &data.skill {
        Some(skill) => print(skill, args.no_body, style, out),
        None => Ok(()),
    })
}

fn print(skill: &Detail<'_>, no_body: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let summary = &skill.summary;
    let title = summary.title.map(|title| format!(" ({title})")).unwrap_or_default();
    let heading = format!("{}{title}", summary.qualified_name);
    writeln!(out, "{}", style.ink(Ink::Bold, &escape::line(&heading)))?;
    writeln!(out, "{}\n", escape::line(summary.description))?;
    print_facts(&facts(skill), style, out)?;
    for problem in &skill.diagnostics {
        problem_line(problem, skill.directory, style, out)?;
    }
    if !no_body {
        writeln!(out, "\n{}", escape::block(skill.body.trim_end()))?;
    }
    Ok(())
}

/// What is known of the skill.
fn facts(skill: &Detail<'_>) -> Vec<(&'static str, String)> {
    let summary = &skill.summary;
    let contract = &skill.contract;
    let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
    let params =
        skill.params.iter().map(|p| format!("{}{}: {}", p.name, if p.required { "*" } else { "" }, p.kind));
    let places = summary.also_at.iter().map(|path| path.to_string_lossy().into_owned());
    let hidden = skill.shadows.iter().map(|path| path.to_string_lossy().into_owned());
    let join = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(", ");
    let facts = [
        ("when to use", summary.when_to_use.unwrap_or_default().to_owned()),
        ("kind", summary.kind.to_owned()),
        ("source", summary.scope.to_owned()),
        ("path", summary.path.to_string()),
        ("also at", join(&mut places.into_iter())),
        ("hides", join(&mut hidden.into_iter())),
        ("aliases", skill.aliases.join(", ")),
        ("eligible", if summary.eligible { yes(true) } else { format!("no: {}", summary.unmet.join("; ")) }),
        ("enabled", summary.off.map_or_else(|| yes(true), |off| format!("no: {off}"))),
        ("off for", summary.off_for.join(", ")),
        ("for models", yes(summary.model_invocable)),
        ("for people", yes(summary.user_invocable)),
        ("script", skill.script.unwrap_or_default().to_owned()),
        ("params", join(&mut params.into_iter())),
        ("needs", format!("workspace {}, network {}", contract.workspace, contract.network)),
        ("environment", contract.env.join(", ")),
        ("tools", contract.tools.join(", ")),
        ("time-out", format!("{} s", skill.timeout_seconds)),
        ("install", join(&mut skill.install.iter().map(|step| format!("{} {}", step.kind, step.target)))),
        ("activates on", skill.paths.join(", ")),
        ("files", skill.files.join(", ")),
        ("digest", skill.digest.clone()),
        ("runs", skill.history.as_ref().map(runs).unwrap_or_default()),
        ("last runs", skill.history.as_ref().map(last_runs).unwrap_or_default()),
        ("feedback", skill.history.as_ref().map(feedback).unwrap_or_default()),
    ];
    facts.into()
}

/// How many runs there were, and how many of them went well.
fn runs(history: &History) -> String {
    let rate = history.success_rate.map(|rate| format!(", {:.0} % of them well", rate * 100.0));
    rate.map(|rate| format!("{}{rate}", history.runs)).unwrap_or_default()
}

fn last_runs(history: &History) -> String {
    let runs: Vec<String> =
        history.last_runs.iter().map(|run| format!("{} ({})", run.receipt, run.code)).collect();
    runs.join(", ")
}

fn feedback(history: &History) -> String {
    if history.good + history.bad == 0 {
        return String::new();
    }
    let notes: String = history.notes.iter().map(|note| format!("; {note}")).collect();
    format!("{} good, {} bad{notes}", history.good, history.bad)
}
