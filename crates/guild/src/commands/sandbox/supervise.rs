//! `guild sandbox supervise`: what `sandbox launch` starts; people have no use for it.

use crate::runtime;
use crate::ui::Ui;
use guild_engine::{container_backends, sandbox_supervise};
use std::path::PathBuf;
use std::process::ExitCode;

/// Hold a container that lives on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The container's directory
    place: PathBuf,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match runtime::block_on(sandbox_supervise(
        &args.place,
        container_backends(&ui.surroundings()),
        std::io::stdout(),
    )) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(refusal)) => ui.defect(&refusal.message),
        Err(error) => ui.defect(&format!("cannot start a runtime: {error}")),
    }
}
