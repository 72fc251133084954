//! `guild sandbox exec`

use super::{streams, values};
use crate::print::LiveOutput;
use crate::ui::Ui;
use guild_engine::{CommandRequest, sandbox_exec};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Run a command in a container that lives on
///
/// The command and everything it started end together; the container stays. Its exit code is this one's.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The container
    #[arg(value_name = "ID")]
    id: String,
    /// Act for this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// How long it may take, such as 90s; at most as long as the container
    #[arg(long, value_name = "TIME", value_parser = values::time, allow_negative_numbers = true)]
    timeout: Option<Duration>,
    /// Start in this directory of the container
    #[arg(long, value_name = "DIR", default_value = "/")]
    workdir: PathBuf,
    /// The command and its arguments
    #[arg(required = true, last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let mut live = LiveOutput::new(ui.is_json());
    let unread = live.unread();
    let command = CommandRequest {
        argv: args.command.clone(),
        cwd: args.workdir.clone(),
        stdin: streams::stdin(),
        on_output: &mut |chunk| live.show(chunk),
    };
    let owner = ui.owner(args.owner.as_deref());
    let places = ui.places();
    let ended = streams::follow(&unread, sandbox_exec(&places, &args.id, &owner, args.timeout, command));
    streams::finish(ui, ended, &mut live)
}
