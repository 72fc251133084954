//! `guild requests`

use crate::books::{Access, ask};
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use guild_engine::{counted, requests};
use std::process::ExitCode;

/// List what waits for a person's approval
///
/// `guild approve` and `guild deny` answer them. One that nobody answers expires.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, ui: &Ui) -> ExitCode {
    let mut envelope = ask(ui, Access::Read, async |books| requests(books, ui.moment()).await);
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "request");
    }
    ui.finish(&envelope, |data, style, out| {
        if data.requests.is_empty() {
            return Ok(());
        }
        let rows: Vec<[Cell<'_>; 5]> = data
            .requests
            .iter()
            .map(|request| {
                [
                    Cell::new(Ink::Bold, &request.id),
                    Cell::plain(&request.action),
                    Cell::plain(&request.agent),
                    Cell::new(Ink::Cyan, &request.skill),
                    Cell::new(Ink::Dim, &request.expires),
                ]
            })
            .collect();
        table(["ID", "ACTION", "AGENT", "SKILL", "EXPIRES"], &rows, style, out)
    })
}
