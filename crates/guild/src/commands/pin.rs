//! `guild pin`

use crate::installing::{SiteArgs, within};
use crate::ui::Ui;
use guild_engine::pin;
use std::process::ExitCode;

/// Keep updates from installed skills and plugins
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which: `name`, or `skill:name` and `plugin:name` where both are called so
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Let updates have them again
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope = within(ui, &args.site, async |installer| {
        pin(installer, args.site.scope(), &args.names, !args.off).await
    });
    ui.finish(&envelope, |_, _, _| Ok(()))
}
