//! `guild gc`

use crate::books::{Access, ask};
use crate::print::size;
use crate::ui::Ui;
use guild_engine::reply::Gc;
use guild_engine::{Code, GcRequest, Lifetime, counted, gc};
use std::process::ExitCode;

/// Remove content that nothing refers to any more
///
/// Every skill that was installed, run or approved is kept by its digest in Guildhall's own store. What is installed somewhere, granted,
/// asked for, running or linked stays, and so does what receipts name, or what was used in the last day. With `--keep` an older
/// receipt stays as it is, but `guild replay` may not find what it ran. Other commands may run meanwhile.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    /// Only so long back receipts and uses count, such as 90d; a day at least
    #[arg(long, value_name = "TIME")]
    keep: Option<Lifetime>,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let request = GcRequest {
        keep: args.keep.map(|lifetime| lifetime.0),
        dry_run: args.dry_run,
        now: ui.moment(),
        by: ui.principal(args.agent.as_deref()),
    };
    let mut envelope =
        ask(ui, Access::Write, async |books| gc(books, ui.machine(), &ui.places(), &request).await);
    if envelope.code == Code::Ok {
        let Gc { removed, kept, freed, .. } = envelope.data;
        let verb = if args.dry_run { "would go" } else { "removed" };
        envelope.message =
            format!("{} {verb}, {} freed; {kept} kept", counted(removed, "object"), size(freed));
    }
    ui.finish(&envelope, |_, _, _| Ok(()))
}
