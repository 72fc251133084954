//! `guild sandbox launch`

use super::container::ContainerArgs;
use crate::runtime;
use crate::ui::Ui;
use guild_engine::containers::live::Supervisor;
use guild_engine::{LaunchRequest, container_backends, sandbox_launch};
use std::process::ExitCode;

/// Launch a container that lives on, and print its id
///
/// It ends when it is stopped, when its time is up, or with its supervisor. Commands are run in it by `sandbox exec`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    container: ContainerArgs,
    /// Whose container it is; yours where this is not given
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Let other owners use it
    #[arg(long)]
    shared: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return ui.defect(&format!("cannot find this program: {error}")),
    };
    let supervisor = Supervisor { program, arguments: ["sandbox", "supervise"].map(Into::into).into() };
    let images = ui.images();
    let backends = container_backends(&ui.surroundings());
    let container = args.container.request(ui);
    let owner = ui.owner(args.owner.as_deref());
    let request = LaunchRequest {
        container: &container,
        backend: args.container.backend(),
        owner: &owner,
        shared: args.shared,
        supervisor: &supervisor,
        now: ui.now(),
    };
    match runtime::block_on(sandbox_launch(&ui.places(), &backends, &images, &request)) {
        Ok(envelope) => ui.finish(&envelope, |data, _, out| match &data.container {
            Some(container) => writeln!(out, "{}", container.id),
            None => Ok(()),
        }),
        Err(error) => ui.defect(&format!("cannot start a runtime: {error}")),
    }
}
