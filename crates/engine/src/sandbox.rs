//! Containers as a person asks for them: a role, mounts and limits made into a policy, and a command run under it.
//!
//! How containers are made is the sandbox's to know; nothing here touches the kernel.

mod backend;
mod live;
mod policy;
mod refusal;
mod run;

pub use backend::{Backends, container_backends};
pub(crate) use live::usable;
pub use live::{LaunchRequest, sandbox_exec, sandbox_launch, sandbox_list, sandbox_stop, sandbox_supervise};
pub use policy::{ContainerRequest, LimitRequest, MountMode, MountRequest};
pub use refusal::Refusal;
pub use run::{CommandRequest, RunRequest, sandbox_run};
pub(crate) use run::{obstructed, remarks, run_contained};
