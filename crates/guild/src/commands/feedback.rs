//! `guild feedback`

use crate::books::{Access, ask};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::{FeedbackRequest, feedback};
use std::process::ExitCode;

/// Say whether a skill's last run was good
///
/// What you say is kept with the state of the skill that ran. Search ranks skills that answer a query alike by how their runs end
/// and by what you say; `guild show` shows both, and `guild improve` reads your notes.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("judgement").required(true).args(["good", "bad"])))]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// It did what it should
    #[arg(long)]
    good: bool,
    /// It did not
    #[arg(long)]
    bad: bool,
    /// Why, for whoever improves it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// As this agent, which is refused: only a person judges
    #[arg(long, value_name = "AGENT", hide = true)]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let principal = ui.principal(args.agent.as_deref());
    let envelope = ask(ui, Access::Write, async |books| {
        let request = FeedbackRequest {
            name: &args.name,
            good: args.good,
            note: args.note.as_deref(),
            principal: &principal,
        };
        feedback(&hall, books, ui.moment(), &request).await
    });
    ui.finish(&envelope, |data, _, out| {
        let Some(id) = &data.id else { return Ok(()) };
        let word = if data.good == Some(true) { "good" } else { "bad" };
        writeln!(out, "{} was {word}: {id}", data.skill)
    })
}
