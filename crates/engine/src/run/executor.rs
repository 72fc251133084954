//! The registry of kinds: what each kind of skill would do, and how it is done.
//!
//! Whether it may be done is decided between the two, and not here.

use std::path::PathBuf;

use guild_ledger::receipt;
use guild_manifest::skill::Kind;
use guild_sandbox::Gate;

use super::prepare::{Draft, Prepared};
use super::stop::Stop;
use super::{Invocation, inline, script, subagent, tool};
use crate::ports::Pending;
use crate::security_hash::{RunnerIdentity, ToolIdentity};
use crate::workshop::Workshop;
use crate::{Code, Refusal, reply};

/// What a kind would do with one skill and its parameters.
#[derive(Debug, Default)]
pub struct Call {
    /// Whether a person must have allowed it.
    pub needs_grant: bool,
    /// The command.
    pub command: Vec<String>,
    /// The command with the values of secrets left out.
    pub shown: Vec<String>,
    /// The tool, as `provider:tool`.
    pub tool: Option<String>,
    /// Whether a person's word holds for this once and no longer.
    pub asks_every_time: bool,
    /// The tool as somebody else describes it, which becomes a part of what is approved.
    pub described: Option<ToolIdentity>,
    /// Who runs the child agent, which becomes a part of what is approved too.
    pub runner: Option<RunnerIdentity>,
    /// The directory that a child agent's tools look at.
    pub workspace: Option<PathBuf>,
}

/// What came of it.
pub struct Done {
    /// Its stable word.
    pub code: Code,
    /// What a person should know of it.
    pub message: String,
    /// The reply.
    pub reply: reply::Run,
    /// What the receipt says of it.
    pub outcome: Option<receipt::Outcome>,
}

/// One kind of skill.
pub trait Executor: Sync {
    /// Which.
    fn kind(&self) -> Kind;

    /// What it would do, or why it cannot.
    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        draft: &'a Draft<'_>,
    ) -> Pending<'a, Result<Call, Box<Stop>>>;

    /// Makes what stands behind a skill a part of what is hashed, as it is where somebody approves it.
    fn bind<'a>(&'a self, _: &'a Workshop<'_>, _: &'a mut Draft<'_>) -> Pending<'a, Result<(), Refusal>> {
        Box::pin(async { Ok(()) })
    }

    /// Does it.
    fn execute<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Done>;

    /// Does it once the gate is open; what runs nothing may be done before. Nothing if the gate stays shut.
    fn execute_behind<'a>(
        &'a self,
        gate: Gate,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Option<Done>> {
        Box::pin(async move {
            gate.opened().await.ok()?;
            Some(self.execute(workshop, invocation, prepared).await)
        })
    }
}

const EXECUTORS: &[&dyn Executor] = &[&inline::Inline, &script::Script, &tool::Tool, &subagent::Subagent];

/// Whoever runs skills of a kind.
pub fn executor_of(kind: Kind) -> Option<&'static dyn Executor> {
    EXECUTORS.iter().copied().find(|executor| executor.kind() == kind)
}

impl Done {
    /// It did what was asked.
    pub fn ok(reply: reply::Run) -> Self {
        Self { code: Code::Ok, message: String::new(), reply, outcome: None }
    }

    /// It did not.
    pub fn failed(reply: reply::Run, refusal: Refusal) -> Self {
        let Refusal { code, message } = refusal;
        Self { code, message, reply, outcome: None }
    }
}
