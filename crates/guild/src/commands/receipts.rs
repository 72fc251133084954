//! `guild receipts`

mod list;
mod show;
mod verify;

use crate::books::{Access, ask};
use crate::ui::Ui;
use guild_engine::{counted, receipts_accept_loss, receipts_export};
use std::path::PathBuf;
use std::process::ExitCode;

/// List, show, verify and export receipts: what was run, refused and decided
///
/// Every run and every refusal leaves one. They are signed and chained: whoever changes, deletes or moves one without this
/// installation's key is found out by `guild receipts verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Verify(verify::Args),
    /// Write this installation's receipts to a file that others can verify without it
    Export {
        /// The file, which must not be there yet
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Accept that the end of the chain is lost, so that the ledger can be written to again
    ///
    /// That happens when the database is restored from a backup, or when somebody has cut it. The chain says for ever what was
    /// lost and why it was accepted.
    AcceptLoss {
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::List(args) => list::run(args, ui),
        Command::Show(args) => show::run(args, ui),
        Command::Verify(args) => verify::run(args, ui),
        Command::Export { file } => {
            let path = ui.machine().directory.join(file);
            let mut envelope =
                ask(ui, Access::Read, async |books| receipts_export(books, ui.moment(), &path).await);
            if envelope.message.is_empty() {
                let count = counted(usize::try_from(envelope.data.count).unwrap_or(usize::MAX), "receipt");
                envelope.message =
                    format!("{count} written; verify them with --key {}", envelope.data.public_key);
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
        Command::AcceptLoss { reason } => {
            let by = ui.principal(None);
            // Nothing can be written before, not even that a run was interrupted.
            let mut envelope = ask(ui, Access::Read, async |books| {
                receipts_accept_loss(books, ui.moment(), reason, by).await
            });
            if let Some(receipt) = &envelope.data.receipt {
                envelope.message = format!("the loss is accepted: {}", receipt.id);
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
    }
}
