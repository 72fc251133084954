//! `guild contract`

use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::contract;
use std::process::ExitCode;

/// Print a contract that would fit what a skill's scripts evidently need
///
/// What the scripts need is seen by reading them: network, environment variables, files that they write. What a program
/// computes while it runs is not seen. Differences from what is declared are told beside it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let envelope = contract(&hall, &args.name);
    if !ui.is_quiet() {
        ui.tell_findings(&envelope.data.findings);
    }
    ui.finish(&envelope, |data, _, out| write!(out, "{}", data.contract))
}
