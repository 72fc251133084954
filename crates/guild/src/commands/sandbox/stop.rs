//! `guild sandbox stop`

use crate::runtime;
use crate::ui::Ui;
use guild_engine::sandbox_stop;
use std::process::ExitCode;

/// End a container that lives on, and everything in it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The container
    #[arg(value_name = "ID")]
    id: String,
    /// Act for this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let owner = ui.owner(args.owner.as_deref());
    match runtime::block_on(sandbox_stop(&ui.places(), &args.id, &owner, ui.now())) {
        Ok(envelope) => ui.finish(&envelope, |_, _, _| Ok(())),
        Err(error) => ui.defect(&format!("cannot start a runtime: {error}")),
    }
}
