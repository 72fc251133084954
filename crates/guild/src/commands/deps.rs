//! `guild deps`

use crate::books::{Access, ask};
use crate::confirm::choose;
use crate::print::{Cell, Ink, Style, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{Deps, DepsInstalled, StepLine};
use guild_engine::{Code, Envelope, Hall, InstallRequest, Status, command_line, counted, deps, deps_install};
use std::io::{self, Write};
use std::process::{ExitCode, Stdio};

/// Show how a skill says that what it needs can be installed, and install it
///
/// Steps are a stranger's wishes: of each only the kind and the name count. `--install` runs one on this machine, outside any container,
/// with a fixed command of ours that switches scripts of packages off. It takes a person at a terminal, who sees the command and types
/// a word. Steps of the kinds `apt` and `download` are only shown.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// Run the step of this number; without one the first that can be run and brings a program that is missing
    #[arg(long, value_name = "STEP", num_args = 0..=1, default_missing_value = "0")]
    install: Option<usize>,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let mut envelope = deps(&hall, &args.name);
    let Some(number) = args.install.filter(|_| envelope.status == Status::Ok) else {
        if envelope.status == Status::Ok {
            envelope.message = counted(envelope.data.steps.len(), "install step");
        }
        return ui.finish(&envelope, print);
    };
    let Envelope { status, code, message, data } = install(args, number, ui, &hall, &envelope.data);
    let data = Deps { installed: Some(data), ..envelope.data };
    ui.finish(&Envelope { status, code, message, data }, |_, _, _| Ok(()))
}

fn install(args: &Args, number: usize, ui: &Ui, hall: &Hall, deps: &Deps) -> Envelope<DepsInstalled> {
    let skill = deps.skill.clone().unwrap_or_default();
    let stopped = |code, message: String| {
        Envelope::error(code, message, DepsInstalled { skill: skill.clone(), ..DepsInstalled::default() })
    };
    let is_meant = |step: &&StepLine| match number {
        0 => step.command.is_some() && (step.bins.is_empty() || !step.missing.is_empty()),
        number => step.number == number,
    };
    let Some(step) = deps.steps.iter().find(is_meant) else {
        let message = format!("there is no such step to run; `guild deps {skill}` shows what there is");
        return stopped(Code::StepNotFound, message);
    };
    let by = ui.principal(args.agent.as_deref());
    // Without a terminal, for an agent, and for what is not run, the engine refuses; nobody has to be asked for that.
    let is_asked = ui.is_terminal() && !by.is_agent();
    if let Some(command) = step.command.as_ref().filter(|_| is_asked) {
        let asked = ui
            .show(|_, out| writeln!(out, "{}", command_line(command)))
            .and_then(|()| choose("Run this on your machine, outside any container?", &["yes", "no"]));
        if asked.ok().flatten() != Some("yes") {
            return stopped(Code::NotConfirmed, "nothing was installed".to_owned());
        }
    }
    let request = InstallRequest { name: &skill, step: step.number };
    let output = Stdio::from(io::stderr());
    ask(ui, Access::Write, async |books| deps_install(hall, books, ui.moment(), (request, output), by).await)
}

fn print(data: &Deps, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let texts: Vec<[String; 4]> = data
        .steps
        .iter()
        .map(|step| {
            let brings: Vec<String> = step
                .bins
                .iter()
                .map(|bin| if step.missing.contains(bin) { bin.clone() } else { format!("{bin} (here)") })
                .collect();
            let command = step.command.as_ref().map(|command| command_line(command));
            let what = command
                .unwrap_or_else(|| format!("not run: {}", step.refused.as_deref().unwrap_or_default()));
            [step.number.to_string(), format!("{} {}", step.kind, step.target), brings.join(", "), what]
        })
        .collect();
    let rows: Vec<[Cell<'_>; 4]> = texts
        .iter()
        .map(|[number, step, brings, what]| {
            [Cell::new(Ink::Bold, number), Cell::plain(step), Cell::plain(brings), Cell::plain(what)]
        })
        .collect();
    if rows.is_empty() { Ok(()) } else { table(["STEP", "ASKS FOR", "BRINGS", "COMMAND"], &rows, style, out) }
}
