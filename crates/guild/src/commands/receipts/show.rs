//! `guild receipts show`

use crate::books::{Access, ask};
use crate::print::escape;
use crate::ui::Ui;
use guild_engine::receipts_show;
use std::process::ExitCode;

/// Show everything that a receipt says
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The receipt
    #[arg(value_name = "ID")]
    id: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let mut envelope = ask(ui, Access::Read, async |books| receipts_show(books, &args.id).await);
    if envelope.data.found {
        envelope.message = match envelope.data.signed {
            Some(true) => "its signature is this installation's".to_owned(),
            Some(false) => "its signature is NOT this installation's: see `guild receipts verify`".to_owned(),
            None => "another installation has written it".to_owned(),
        };
    }
    ui.finish(&envelope, |data, _, out| match &data.receipt {
        Some(receipt) => writeln!(out, "{}", escape::json(&format!("{receipt:#}"))),
        None => Ok(()),
    })
}
