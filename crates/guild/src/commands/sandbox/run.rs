//! `guild sandbox run`

use super::container::ContainerArgs;
use super::streams;
use crate::print::LiveOutput;
use crate::ui::Ui;
use guild_engine::{CommandRequest, RunRequest, container_backends, sandbox_run};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a command in a container of its own
///
/// Output is passed on as it comes, and the command's exit code is this one's: 124 when its time was up, 128 and the
/// signal's number when a signal killed it. What is piped in reaches the command. Of each stream the first 1 MiB comes out and no
/// more, and where that was not all, it is said; `sandbox.output_bytes` in your own configuration raises it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    container: ContainerArgs,
    /// Copy the files that the command leaves in /output to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Start in this directory of the container
    #[arg(long, value_name = "DIR", default_value = "/")]
    workdir: PathBuf,
    /// The command and its arguments
    #[arg(required = true, last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "Examples:
  guild sandbox run -- python3 -c 'print(6 * 7)'
  guild sandbox run --mount .:/workspace -- grep -rn TODO /workspace";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let mut container = args.container.request(ui);
    container.out = args.out.as_ref().map(|out| ui.machine().directory.join(out));
    let mut live = LiveOutput::new(ui.is_json());
    let unread = live.unread();
    let command = CommandRequest {
        argv: args.command.clone(),
        cwd: args.workdir.clone(),
        stdin: streams::stdin(),
        on_output: &mut |chunk| live.show(chunk),
    };
    let images = ui.images();
    let backends = container_backends(&ui.surroundings());
    let places = ui.places();
    let request = RunRequest {
        container: &container,
        backend: args.container.backend(),
        places: &places,
        now: ui.now(),
    };
    let ended = streams::follow(&unread, sandbox_run(&backends, &images, request, command));
    streams::finish(ui, ended, &mut live)
}
