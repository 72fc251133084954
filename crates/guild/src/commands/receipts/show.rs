//! `guild receipts show`

use crate::books::{Access, ask};
use crate::print::{Ink, escape};
use crate::ui::Ui;
use guild_engine::receipts_show;
use std::process::ExitCode;

/// Show everything that a receipt says, and what is kept of what the run printed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The receipt
    #[arg(value_name = "ID")]
    id: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let store = ui.places().store().ok();
    let mut envelope =
        ask(ui, Access::Read, async |books| receipts_show(books, store.as_ref(), &args.id).await);
    if envelope.data.found {
        envelope.message = match envelope.data.signed {
            Some(true) => "its signature is this installation's".to_owned(),
            Some(false) => "its signature is NOT this installation's: see `guild receipts verify`".to_owned(),
            None => "another installation has written it".to_owned(),
        };
    }
    ui.finish(&envelope, |data, style, out| {
        if let Some(receipt) = &data.receipt {
            writeln!(out, "{}", escape::json(&format!("{receipt:#}")))?;
        }
        for (name, text) in [("stdout", &data.stdout), ("stderr", &data.stderr)] {
            if let Some(text) = text {
                writeln!(out, "{}", style.ink(Ink::Dim, name))?;
                writeln!(out, "{}", escape::block(text).trim_end_matches('\n'))?;
            }
        }
        Ok(())
    })
}
