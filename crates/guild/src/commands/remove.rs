//! `guild remove`

use crate::installing::{SiteArgs, changes, wished, within};
use crate::ui::Ui;
use guild_engine::reply::Changed;
use guild_engine::{RemoveRequest, Wish, remove};
use std::process::ExitCode;

/// Remove installed skills and plugins, and their lines in the lock
///
/// What has edits of yours is kept until you say `--force`. What Guildhall did not install is never removed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which: `name`, or `skill:name` and `plugin:name` where both are called so
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Even with edits of your own, which are lost
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let request = RemoveRequest { names: &args.names, scope: args.site.scope(), force: args.force };
    let (names, scope) = (args.names.clone(), args.site.scope());
    let wish = Wish::Uninstall { names, scope };
    let waits = wished(ui, &args.site, wish, |reply: &mut Changed, id| reply.request = Some(id));
    let envelope =
        waits.unwrap_or_else(|| within(ui, &args.site, async |installer| remove(installer, &request).await));
    ui.finish(&envelope, |data, style, out| changes(&data.changes, style, out))
}
