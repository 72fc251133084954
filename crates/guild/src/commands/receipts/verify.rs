//! `guild receipts verify`

use crate::books::{Access, ask};
use crate::print::{Ink, escape};
use crate::ui::Ui;
use guild_engine::ledger::PublicKey;
use guild_engine::{receipts_verify, receipts_verify_file};
use std::path::PathBuf;
use std::process::ExitCode;

/// Say whether anybody has rewritten history, and where
///
/// It finds every edit, deletion and reordering by whoever lacks the key, and a missing end. The command ends with 1 if it
/// finds any.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Verify a file that `guild receipts export` has written instead, without any ledger
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The key that has to have signed the file; without it the file only agrees with itself
    #[arg(long, value_name = "KEY", requires = "file")]
    key: Option<PublicKey>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope = match &args.file {
        Some(file) => receipts_verify_file(&ui.machine().directory.join(file), args.key.as_ref()),
        None => ask(ui, Access::Read, async |books| receipts_verify(books).await),
    };
    ui.finish(&envelope, |data, style, out| {
        for broken in &data.broken {
            let fault = style.ink(Ink::Red, broken.fault).to_string();
            let place = broken.receipt.as_deref().unwrap_or(&broken.installation);
            writeln!(out, "{fault}: {}: {}", escape::exact(place), escape::line(&broken.reason))?;
        }
        if data.more > 0 {
            writeln!(out, "and {} more", data.more)?;
        }
        Ok(())
    })
}
