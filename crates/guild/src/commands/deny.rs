//! `guild deny`

use crate::books::{Access, ask};
use crate::ui::Ui;
use guild_engine::deny;
use std::process::ExitCode;

/// Deny what an agent asked for
///
/// The denial is remembered until the skill changes or `guild grants lift` lifts it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The request, as `guild requests` lists it
    #[arg(value_name = "ID")]
    id: String,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let by = ui.principal(args.agent.as_deref());
    let envelope = ask(ui, Access::Write, async |books| deny(books, ui.moment(), &args.id, by).await);
    ui.finish(&envelope, |_, _, _| Ok(()))
}
