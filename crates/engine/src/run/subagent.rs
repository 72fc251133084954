//! Skills for a child agent: it gets the instructions and gives one answer.

use guild_ledger::receipt;
use guild_manifest::skill::Kind;

use super::executor::{Call, Done, Executor};
use super::prepare::{Draft, Prepared};
use super::stop::Stop;
use super::{Invocation, inline};
use crate::ports::{Pending, SubagentTask};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// Hands the skill to a runner.
pub struct Subagent;

impl Executor for Subagent {
    fn kind(&self) -> Kind {
        Kind::Subagent
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        draft: &'a Draft<'_>,
    ) -> Pending<'a, Result<Call, Box<Stop>>> {
        let call = match workshop.subagents {
            Some(_) => Ok(Call { needs_grant: true, ..Call::default() }),
            None => Err(draft.stop(unbound())),
        };
        Box::pin(async { call })
    }

    fn execute<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Done> {
        Box::pin(async move {
            let mut reply = prepared.reply();
            let Some(runner) = workshop.subagents else { return Done::failed(reply, unbound()) };
            let task = SubagentTask {
                skill: prepared.name.clone(),
                instructions: inline::rendered(workshop, invocation, prepared),
                tools: prepared.contract.tools.clone(),
            };
            let started = workshop.now();
            let answer = runner.run(&task).await;
            let outcome = receipt::Outcome::at(started, workshop.now());
            match answer {
                Ok(answer) => {
                    reply.exit_code = 0;
                    reply.output = Some(answer.into());
                    Done { outcome: Some(outcome), ..Done::ok(reply) }
                }
                Err(error) => {
                    let refusal = Refusal::new(Code::SubagentFailed, error.message);
                    Done { outcome: Some(outcome), ..Done::failed(reply, refusal) }
                }
            }
        })
    }
}

fn unbound() -> Refusal {
    let message = "the skill asks for an agent of its own, and nothing here runs one; `guild render` prints its instructions";
    Refusal::new(Code::ExecutorUnbound, message)
}
