//! `guild reload`

use crate::print::{Ink, escape};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reload;
use std::process::ExitCode;

/// Read every skill anew, without the index, and say what does not load
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Reread);
    ui.finish(&reload(&hall), |data, style, out| {
        for error in &data.errors {
            let label = style.ink(Ink::Red, "does not load:").to_string();
            writeln!(out, "{label} {}: {}", escape::exact(&error.path), escape::line(&error.reason))?;
        }
        Ok(())
    })
}
