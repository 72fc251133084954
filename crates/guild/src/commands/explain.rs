//! `guild explain`

use crate::print::Ink;
use crate::ui::Ui;
use guild_engine::explain;
use std::process::ExitCode;

/// Explain a code that a problem or an error bears
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The code, such as `yaml_repaired`
    #[arg(value_name = "CODE")]
    code: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    ui.finish(&explain(&args.code), |data, style, out| {
        let Some(explained) = data else { return Ok(()) };
        writeln!(
            out,
            "{} ({}, {})",
            style.ink(Ink::Bold, &explained.code),
            explained.kind,
            explained.weight
        )?;
        writeln!(out, "{}", explained.about)?;
        if explained.excludes {
            writeln!(out, "What has this problem is kept out of the catalog until it is mended.")?;
        }
        Ok(())
    })
}
