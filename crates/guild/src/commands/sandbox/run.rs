//! `guild sandbox run`

use super::values::{self, MountValue, Variable};
use crate::print::LiveOutput;
use crate::runtime;
use crate::ui::Ui;
use guild_engine::containers::{ChildStdin, Network};
use guild_engine::{
    CommandRequest, ContainerRequest, LimitRequest, configure, container_backends, sandbox_run,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Run a command in a container of its own
///
/// Output is passed on as it comes, and the command's exit code is this one's: 124 when its time was up, 128 and the
/// signal's number when a signal killed it. What is piped in reaches the command.
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

/// Options that say what a container is.
#[derive(Debug, clap::Args)]
pub struct ContainerArgs {
    /// The image role whose root file system it has
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Show a directory or file of the host: ro (default), rw, or cow, which keeps the host's files as they are
    #[arg(long, value_name = "SRC:DST[:MODE]", value_parser = values::mount)]
    mount: Vec<MountValue>,
    /// Pass on a variable of yours, or set one
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = values::variable)]
    env: Vec<Variable>,
    /// Give it the host's network, local services included
    #[arg(long)]
    network: bool,
    /// Memory, such as 512M
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    memory: Option<u64>,
    /// Processors, such as 0.5
    #[arg(long, value_name = "N", value_parser = values::processors)]
    cpus: Option<f64>,
    /// Processes and threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pids: Option<u32>,
    /// How long it may take, such as 90s
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    timeout: Option<Duration>,
    /// The runtime: embedded, docker or podman
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

impl ContainerArgs {
    /// The container as the engine takes it.
    pub fn request(&self, ui: &Ui) -> ContainerRequest {
        let machine = ui.machine();
        let value = |variable: &Variable| {
            let value = variable.value.clone().or_else(|| machine.env.get(&variable.name).cloned());
            value.map(|value| (variable.name.clone(), value))
        };
        ContainerRequest {
            role: self.role.clone(),
            mounts: self.mount.iter().map(|mount| mount.mount(&machine.directory)).collect(),
            env: self.env.iter().filter_map(value).collect::<BTreeMap<_, _>>(),
            network: if self.network { Network::Host } else { Network::None },
            limits: LimitRequest {
                cpus: self.cpus,
                memory: self.memory,
                pids: self.pids,
                timeout: self.timeout,
            },
            out: None,
        }
    }

    /// The runtime that was named.
    pub fn backend(&self) -> Option<&str> {
        self.backend.as_deref()
    }
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let mut container = args.container.request(ui);
    container.out = args.out.as_ref().map(|out| ui.machine().directory.join(out));
    let mut live = LiveOutput::new(ui.is_json());
    let command = CommandRequest {
        argv: args.command.clone(),
        cwd: args.workdir.clone(),
        stdin: (!io::stdin().is_terminal()).then(|| Box::new(feed) as Box<dyn FnOnce(ChildStdin) + Send>),
        on_output: &mut |chunk| live.show(chunk),
    };
    let settings = configure(&ui.config_files()).config.sandbox;
    let backends = container_backends();
    let run = sandbox_run(&backends, &settings, args.container.backend(), &container, command);
    match runtime::block_on(run) {
        Ok(envelope) => {
            live.finish();
            let code = match u8::try_from(envelope.data.exit_code) {
                Ok(code) => code,
                Err(_) => envelope.exit_code(),
            };
            ui.finish_with(&envelope, code, |_, _, _| Ok(()))
        }
        Err(error) => ui.defect(&format!("cannot start a runtime: {error}")),
    }
}

/// Passes on what is piped in, on a thread of its own: reading may take for ever, and then ends with the process.
fn feed(stdin: ChildStdin) {
    let pass = move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = io::stdin().read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default().to_vec();
            if stdin.write_blocking(bytes).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("stdin".to_owned()).spawn(pass).ok();
}
