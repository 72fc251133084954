//! `guild sync`

use crate::installing::{SiteArgs, changes, findings, within};
use crate::print::{Ink, escape};
use crate::ui::Ui;
use guild_engine::reply::InstalledChange;
use guild_engine::{SyncRequest, sync};
use std::process::ExitCode;

/// Install what the lock says, exactly that
///
/// What is missing comes out of the store, or is fetched again at the locked commit and has to have the locked digest. What was installed
/// here and is not in the lock any more is taken away. What has edits of yours is left alone. With `--frozen` anything that differs from the lock is a failure, as CI wants it, and so is having none.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fail where anything that is installed differs from the lock
    #[arg(long)]
    frozen: bool,
    /// Replace what was edited by what the lock says
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let request = SyncRequest { scope: args.site.scope(), frozen: args.frozen, replace: args.replace };
    let envelope = within(ui, &args.site, async |installer| sync(installer, &request).await);
    if !ui.is_json() {
        ui.show(|style, out| findings(&envelope.data.vetted, style, out)).ok();
    }
    ui.finish(&envelope, |data, style, out| {
        let restored: Vec<InstalledChange> =
            data.changes.iter().filter(|change| change.change != "unchanged").cloned().collect();
        changes(&restored, style, out)?;
        data.drift.iter().try_for_each(|line| {
            writeln!(out, "{} {} {}", style.ink(Ink::Yellow, line.state), line.kind, escape::line(&line.name))
        })
    })
}
