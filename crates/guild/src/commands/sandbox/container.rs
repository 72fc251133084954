//! Options that `sandbox run` and `sandbox launch` share.

use super::values::{self, Variable};
use crate::ui::Ui;
use guild_engine::containers::Network;
use guild_engine::{ContainerRequest, LimitRequest, MountRequest};
use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::Duration;

/// Options that say what a container is.
#[derive(Debug, clap::Args)]
pub struct ContainerArgs {
    /// The image role whose root file system it has
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Show a directory or file of the host: ro (default), rw, or cow, which keeps the host's files as they are
    #[arg(long, value_name = "SRC:DST[:MODE]", value_parser = values::mount)]
    mount: Vec<MountRequest>,
    /// Pass on a variable of yours, or set one
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = values::variable)]
    env: Vec<Variable>,
    /// Give it the host's network, local services included
    #[arg(long)]
    network: bool,
    /// Memory, such as 512M; at least 16M
    #[arg(long, value_name = "SIZE", value_parser = values::memory, allow_negative_numbers = true)]
    memory: Option<u64>,
    /// Processors, such as 0.5
    #[arg(long, value_name = "N", value_parser = values::processors, allow_negative_numbers = true)]
    cpus: Option<f64>,
    /// Processes and threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), allow_negative_numbers = true)]
    pids: Option<u32>,
    /// How long it may take, such as 90s
    #[arg(long, value_name = "TIME", value_parser = values::time, allow_negative_numbers = true)]
    timeout: Option<Duration>,
    /// The runtime: embedded, docker or podman; else the first that is usable
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
            mounts: self.mount.iter().map(|mount| from(mount, &machine.directory)).collect(),
            env: self.env.iter().filter_map(value).collect::<BTreeMap<_, _>>(),
            network: if self.network { Network::Host } else { Network::None },
            limits: LimitRequest {
                output: None,
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

/// The mount, its source taken from this directory where it is relative.
fn from(mount: &MountRequest, directory: &Path) -> MountRequest {
    let named = |component: &Component<'_>| *component != Component::CurDir;
    let source = directory.join(&mount.source).components().filter(named).collect();
    MountRequest { source, ..mount.clone() }
}
