//! `guild disable`

use super::switching;
use crate::ui::Ui;
use std::process::ExitCode;

/// Switch a skill or plugin off, for everybody or for one agent
///
/// What is off is listed, and neither offered to agents nor run. If a plugin has a hook for this moment (`hooks.onDisable`), that is
/// run in a container once you have approved it. A plugin that another one needs stays on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  guild disable deploy
  guild disable acme --agent reviewer")]
pub struct Args {
    #[command(flatten)]
    switching: switching::SwitchArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    switching::run(&args.switching, false, ui)
}
