//! `guild explain`

use crate::print::Ink;
use crate::ui::Ui;
use guild_engine::explain;
use std::process::ExitCode;

/// Explain a code that a problem, an error or a finding bears
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The code, such as `yaml_repaired`
    #[arg(value_name = "CODE")]
    code: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    run_code(&args.code, ui)
}

/// Explains one code; `vet --explain` does the same.
pub fn run_code(code: &str, ui: &Ui) -> ExitCode {
    ui.finish(&explain(code), |data, style, out| {
        let Some(explained) = data else { return Ok(()) };
        writeln!(
            out,
            "{} ({}, {})",
            style.ink(Ink::Bold, &explained.code),
            explained.kind,
            explained.weight
        )?;
        writeln!(out, "{}", explained.about)?;
        if let Some(advice) = explained.advice {
            writeln!(out, "What to do: {advice}.")?;
            writeln!(out, "OWASP Agentic Skills Top 10: {}.", explained.classes.join(", "))?;
        }
        if explained.excludes {
            writeln!(out, "What has this problem is kept out of the catalog until it is mended.")?;
        }
        Ok(())
    })
}
