//! `tools call`: one tool called by itself, without a skill that somebody wrote around it.
//!
//! The call is made into a skill of one line, so that contract, vet, approval, container and receipt are those of every run. Its
//! name in the books is the tool's.

use std::time::Duration;

use guild_ledger::Principal;
use guild_manifest::skill::Dispatch;

use super::prepare::{Draft, Prepared, prepare_call};
use super::stop::Stop;
use super::{Consent, Given, Invocation, Stage, carry_through};
use crate::security_hash::stage_call;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, reply};

/// A call as it is asked for.
pub struct ToolRequest<'a> {
    /// The tool, as `provider:tool`.
    pub tool: &'a str,
    /// What it is given, as values by name.
    pub given: &'a Given,
    /// Who asks.
    pub principal: &'a Principal,
    /// What the person who asks has decided already.
    pub consent: Option<Consent>,
    /// How long to wait for somebody's answer.
    pub wait: Option<Duration>,
    /// Only say what would be called.
    pub dry_run: bool,
    /// Told of what takes time.
    pub on_stage: &'a (dyn Fn(Stage<'_>) + Send + Sync),
}

impl<'a> ToolRequest<'a> {
    /// A call that nobody has decided about, and that waits for nobody.
    pub fn new(tool: &'a str, given: &'a Given, principal: &'a Principal) -> Self {
        let on_stage = &|_: Stage<'_>| {};
        Self { tool, given, principal, consent: None, wait: None, dry_run: false, on_stage }
    }
}

/// Calls a tool.
pub async fn tools_call(workshop: &Workshop<'_>, request: ToolRequest<'_>) -> Envelope<reply::Run> {
    let store = workshop.store.for_one_run();
    let workshop = &Workshop { store: &store, ..*workshop };
    let mut unseen = |_: &guild_sandbox::Chunk| {};
    let invocation = Invocation {
        consent: request.consent,
        wait: request.wait,
        dry_run: request.dry_run,
        on_stage: request.on_stage,
        ..Invocation::new(request.tool, request.principal, request.given, &mut unseen)
    };
    let prepared = prepared(workshop, &invocation).await;
    carry_through(workshop, invocation, prepared).await
}

async fn prepared<'w>(
    workshop: &Workshop<'w>,
    invocation: &Invocation<'_>,
) -> Result<Prepared<'w>, Box<Stop>> {
    let name = invocation.name;
    let stop = |refusal: Refusal| Stop::of(name, refusal);
    let Some((provider, tool)) = name.split_once(':') else {
        let message = format!("`{name}` is no tool: one is `provider:tool`; `guild tools list` shows them");
        return Err(stop(Refusal::new(Code::ProviderToolUnregistered, message)));
    };
    let dispatch = Dispatch { provider: provider.to_owned(), tool: tool.to_owned() };
    let staged = stage_call(workshop.hall, &dispatch, workshop.store).map_err(stop)?;
    let draft = Draft { source: "tool".to_owned(), ..Draft::of(name.to_owned(), staged, invocation) };
    prepare_call(workshop, invocation, draft).await
}
