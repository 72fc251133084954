//! Why a container was not made: a code, a sentence that names the cause, and what to do about it.

use guild_sandbox::{LaunchError, RefusalKind};

use crate::{Code, Envelope};

/// A reason not to run something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Its stable word.
    pub code: Code,
    /// What happened, and what to do.
    pub message: String,
}

impl Refusal {
    /// A refusal of ours.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    /// An envelope that says so, with an empty reply.
    pub fn into_envelope<T: Default>(self) -> Envelope<T> {
        Envelope::error(self.code, self.message, T::default())
    }
}

impl From<LaunchError> for Refusal {
    fn from(error: LaunchError) -> Refusal {
        let code = match error.kind() {
            RefusalKind::Unavailable => Code::SandboxUnavailable,
            RefusalKind::LimitUnenforceable => Code::SandboxLimitUnenforceable,
            RefusalKind::Unsupported => Code::SandboxUnsupported,
            RefusalKind::InvalidPolicy => Code::SandboxPolicyInvalid,
            RefusalKind::Source => Code::SandboxMountFailed,
            RefusalKind::Exec => Code::SandboxExecFailed,
            RefusalKind::Step | RefusalKind::Engine => Code::SandboxLaunchFailed,
            RefusalKind::Ended => Code::SandboxEnded,
        };
        let mut message = error.explanation();
        if code == Code::SandboxLimitUnenforceable {
            message.push_str(
                "; or set `sandbox.limits = \"best-effort\"` in your own configuration to run without it",
            );
        }
        Refusal { code, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use guild_sandbox::{Feature, Finding};
    use std::io;

    #[track_caller]
    fn check(error: LaunchError, expected: &Expect) {
        let refusal = Refusal::from(error);
        expected.assert_eq(&format!("{}: {}", refusal.code.as_str(), refusal.message));
    }

    fn finding() -> Finding {
        Finding::new("the cause", "do this")
    }

    #[test]
    fn what_the_machine_cannot_do_names_the_cause_and_the_remedy() {
        check(
            LaunchError::Unavailable { backend: "embedded", finding: finding() },
            &expect!["sandbox_unavailable: embedded cannot run containers here: the cause; do this"],
        );
        check(
            LaunchError::LimitUnenforceable {
                backend: "embedded",
                feature: Feature::Memory,
                finding: finding(),
            },
            &expect![[
                r#"sandbox_limit_unenforceable: embedded cannot enforce the limit on memory: the cause; do this; or set `sandbox.limits = "best-effort"` in your own configuration to run without it"#
            ]],
        );
        check(
            LaunchError::Unsupported { backend: "docker", feature: Feature::HostRoot, finding: finding() },
            &expect!["sandbox_unsupported: docker cannot provide host-root: the cause; do this"],
        );
    }

    #[test]
    fn what_failed_on_the_way_names_the_step_and_what_the_system_said() {
        let denied = || io::Error::from_raw_os_error(13);
        check(
            LaunchError::Step { step: "mount /proc".to_owned(), source: denied() },
            &expect![
                "sandbox_launch_failed: cannot set up the container: mount /proc: Permission denied (os error 13)"
            ],
        );
        check(
            LaunchError::Exec { program: "x".to_owned(), source: denied() },
            &expect![
                "sandbox_exec_failed: cannot execute `x` in the container: Permission denied (os error 13)"
            ],
        );
        check(LaunchError::Ended, &expect!["sandbox_ended: the container has ended"]);
        check(
            LaunchError::Engine { backend: "podman", message: "no".to_owned() },
            &expect!["sandbox_launch_failed: podman refused: no"],
        );
    }
}
