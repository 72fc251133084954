//! The interface that every container runtime stands behind, and the ways in which a launch can be refused.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use serde::{Deserialize, Serialize};

use crate::child::Child;
use crate::command::Command;
use crate::gate::Gate;
use crate::policy::{Mount, Policy};
use crate::probe::{Feature, Finding, Probe};

/// An answer that is still being worked on.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A container runtime.
pub trait Backend: Send + Sync {
    /// `embedded`, `docker` or `podman`.
    fn name(&self) -> &'static str;

    /// Whether a copy-on-write mount of this directory is a layer over it; else it is a copy.
    fn takes_overlay_of(&self, source: &Path) -> bool;

    /// What it can do here. Cheap enough to be asked before every launch.
    fn probe(&self) -> Pending<'_, Probe>;

    /// Runs one command in a container of its own, which ends with it, and at the latest with this process.
    fn launch<'a>(
        &'a self,
        policy: &'a Policy,
        command: &'a Command,
    ) -> Pending<'a, Result<Child, LaunchError>>;

    /// The same for a command that runs once a gate is open, and never if it stays shut. What can be made before is made meanwhile.
    fn launch_behind<'a>(
        &'a self,
        gate: Gate,
        policy: &'a Policy,
        command: &'a Command,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        Box::pin(async move {
            gate.opened().await?;
            self.launch(policy, command).await
        })
    }

    /// Starts a container that waits for commands. It ends when it is stopped or when this process ends. The policy's time limit is
    /// that of the container.
    fn start<'a>(&'a self, policy: &'a Policy) -> Pending<'a, Result<Box<dyn Container>, LaunchError>>;

    /// Removes the copy of a root file system that launches have put into a store of the runtime's own; whether there was one.
    fn forget_root<'a>(&'a self, digest: &'a str) -> Pending<'a, Result<bool, LaunchError>>;
}

/// A container that lives on.
pub trait Container: Send + Sync {
    /// Runs one command in it, with mounts that only this command sees. `timeout` is that of the command.
    fn exec<'a>(
        &'a self,
        command: &'a Command,
        mounts: &'a [Mount],
        timeout: std::time::Duration,
    ) -> Pending<'a, Result<Child, LaunchError>>;

    /// Whether its first process still lives.
    fn alive(&self) -> Pending<'_, bool>;

    /// Ends it and everything in it.
    fn stop(self: Box<Self>) -> Pending<'static, Result<(), LaunchError>>;
}

/// Why nothing was launched, or why a launch did not come to an outcome.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The backend cannot run anything here.
    #[error("{backend} cannot run containers here: {}", .finding.cause)]
    Unavailable {
        /// Name of the backend.
        backend: &'static str,
        /// Cause and remedy.
        finding: Finding,
    },
    /// A limit of the policy cannot be enforced here.
    #[error("{backend} cannot enforce the limit on {}: {}", .feature.name(), .finding.cause)]
    LimitUnenforceable {
        /// Name of the backend.
        backend: &'static str,
        /// Which limit.
        feature: Feature,
        /// Cause and remedy.
        finding: Finding,
    },
    /// Something else that the policy asks for cannot be had here.
    #[error("{backend} cannot provide {}: {}", .feature.name(), .finding.cause)]
    Unsupported {
        /// Name of the backend.
        backend: &'static str,
        /// What was asked for.
        feature: Feature,
        /// Cause and remedy.
        finding: Finding,
    },
    /// The policy contradicts itself.
    #[error("the policy cannot be applied: {reason}")]
    InvalidPolicy {
        /// What is wrong with it.
        reason: String,
    },
    /// A mount's source is not there, or is nothing that can be mounted.
    #[error("cannot mount {}", .path.display())]
    Source {
        /// The path on the host.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program is not in the container, or cannot be executed.
    #[error("cannot execute `{program}` in the container")]
    Exec {
        /// The program as it was asked for.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The directory to start in is not in the container, or cannot be entered.
    #[error("cannot start in `{}` of the container", .path.display())]
    Directory {
        /// The directory as it was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A step of the set-up failed.
    #[error("cannot set up the container: {step}")]
    Step {
        /// Which step.
        step: String,
        /// What the system said.
        source: io::Error,
    },
    /// The container engine answered with an error.
    #[error("{backend} refused: {message}")]
    Engine {
        /// Name of the backend.
        backend: &'static str,
        /// What it said.
        message: String,
    },
    /// The container is gone.
    #[error("the container has ended")]
    Ended,
    /// The refusal came from another process, which holds the container.
    #[error("{message}")]
    Elsewhere {
        /// What kind of refusal it was there.
        kind: RefusalKind,
        /// All that was said there.
        message: String,
    },
}

/// The kinds of [`LaunchError`], for decisions and for passing them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RefusalKind {
    /// [`LaunchError::Unavailable`]
    Unavailable,
    /// [`LaunchError::LimitUnenforceable`]
    LimitUnenforceable,
    /// [`LaunchError::Unsupported`]
    Unsupported,
    /// [`LaunchError::InvalidPolicy`]
    InvalidPolicy,
    /// [`LaunchError::Source`]
    Source,
    /// [`LaunchError::Exec`] and [`LaunchError::Directory`]
    Exec,
    /// [`LaunchError::Step`]
    Step,
    /// [`LaunchError::Engine`]
    Engine,
    /// [`LaunchError::Ended`]
    Ended,
}

impl LaunchError {
    /// What kind of refusal it is.
    pub fn kind(&self) -> RefusalKind {
        match self {
            LaunchError::Unavailable { .. } => RefusalKind::Unavailable,
            LaunchError::LimitUnenforceable { .. } => RefusalKind::LimitUnenforceable,
            LaunchError::Unsupported { .. } => RefusalKind::Unsupported,
            LaunchError::InvalidPolicy { .. } => RefusalKind::InvalidPolicy,
            LaunchError::Source { .. } => RefusalKind::Source,
            LaunchError::Exec { .. } | LaunchError::Directory { .. } => RefusalKind::Exec,
            LaunchError::Step { .. } => RefusalKind::Step,
            LaunchError::Engine { .. } => RefusalKind::Engine,
            LaunchError::Ended => RefusalKind::Ended,
            LaunchError::Elsewhere { kind, .. } => *kind,
        }
    }

    /// The whole message: what happened, what the system said, and what a person can do.
    pub fn explanation(&self) -> String {
        let mut text = self.to_string();
        if let Some(source) = std::error::Error::source(self) {
            text = format!("{text}: {source}");
        }
        match self {
            LaunchError::Unavailable { finding, .. }
            | LaunchError::LimitUnenforceable { finding, .. }
            | LaunchError::Unsupported { finding, .. } => format!("{text}; {}", finding.fix),
            _ => text,
        }
    }
}
