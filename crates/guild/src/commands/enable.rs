//! `guild enable`

use super::switching;
use crate::ui::Ui;
use std::process::ExitCode;

/// Switch a skill or plugin on, for everybody or for one agent
///
/// What the configuration switches off stays off. A plugin is checked first: the variables that it needs, and the plugins that it
/// depends on. If it has a hook for this moment (`hooks.onEnable`), that is run in a container once you have approved it; where it
/// fails the plugin stays off, and the reason is kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  guild enable acme
  guild enable deploy --agent reviewer
  guild enable acme --approve once")]
pub struct Args {
    #[command(flatten)]
    switching: switching::SwitchArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    switching::run(&args.switching, true, ui)
}
