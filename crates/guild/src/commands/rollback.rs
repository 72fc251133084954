//! `guild rollback`

use crate::installing::{SiteArgs, changes, findings, within};
use crate::ui::Ui;
use guild_engine::rollback;
use std::process::ExitCode;

/// Go back to what was installed before the last update
///
/// It comes out of the store, or is fetched again at the commit that it was. Once more goes forward again.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which: `name`, or `skill:name` and `plugin:name` where both are called so
    #[arg(value_name = "NAME")]
    name: String,
    /// Even with edits of your own, which are lost
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope = within(ui, &args.site, async |installer| {
        rollback(installer, args.site.scope(), &args.name, args.force).await
    });
    if !ui.is_json() {
        ui.show(|style, out| findings(&envelope.data.vetted, style, out)).ok();
    }
    ui.finish(&envelope, |data, style, out| changes(&data.changes, style, out))
}
