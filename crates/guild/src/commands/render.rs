//! `guild render`

use crate::books::{Access, ask};
use crate::print::for_models;
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::{RenderRequest, load};
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;

/// Print a skill's text as a model reads it, with arguments filled in
///
/// Placeholders such as `$ARGUMENTS`, `$1` and `${CLAUDE_SKILL_DIR}` are filled in. Commands in the text are not run: they
/// stay as they are written, and a warning says where. Into a pipe the text is printed exactly, on a terminal it is made
/// harmless.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// The arguments; those that begin with a dash stand behind `--`
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
    /// As this agent, which has only the skills it may use
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let caller = &ui.principal(args.agent.as_deref());
    let request = RenderRequest { name: &args.name, arguments: &args.arguments, caller };
    let envelope = ask(ui, Access::Write, async |books| load(&hall, books, ui.moment(), &request).await);
    if !ui.is_quiet() {
        let path = envelope.data.path.as_deref().map(Path::new);
        ui.tell_problems(&envelope.data.problems, path.and_then(Path::parent).unwrap_or(Path::new("")));
    }
    ui.tell_findings(&envelope.data.findings);
    let is_terminal = io::stdout().is_terminal();
    ui.finish(&envelope, |data, _, out| match data.text.as_str() {
        "" => Ok(()),
        text => writeln!(out, "{}", for_models(text, is_terminal)),
    })
}
