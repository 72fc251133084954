//! Asking an admin: a request about something else than a run, which waits until one answers it.

use std::time::Duration;

use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{Matter, Principal};
use guild_manifest::{Digest, canonical};
use serde_json::Value;

use super::Shown;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// How long a request can be answered.
const REQUEST_LASTS: Duration = Duration::from_secs(24 * 60 * 60);

/// What an admin is asked.
pub(crate) struct AdminMatter {
    /// The word for it.
    pub action: &'static str,
    /// What it is about.
    pub name: String,
    /// What decides whether it is the same as something that was asked before.
    pub decided: Value,
    /// What the admin sees.
    pub shown: Shown,
}

/// A request that waits.
pub(crate) struct AskedAdmin {
    /// Its id.
    pub request: String,
    /// The receipt of having asked.
    pub receipt: String,
    /// What whoever asked is told.
    pub told: Refusal,
}

/// Leaves a request.
pub(crate) async fn ask_admin(
    workshop: &Workshop<'_>,
    principal: &Principal,
    asked: AdminMatter,
) -> Result<AskedAdmin, Refusal> {
    let now = workshop.now();
    let matter = Matter {
        action: asked.action.to_owned(),
        agent: principal.agent.clone(),
        skill: asked.name.clone(),
        security_hash: None,
        workspace: workshop.hall.machine.workspace().to_string_lossy().into_owned(),
        plan: Digest::of(canonical::text_of(&asked.decided).as_bytes()),
        shown: asked.shown.to_value(),
    };
    let entry = Entry {
        skill: Some(SkillRef { name: asked.name, security_hash: None }),
        ..Entry::new(Kind::Asked, Code::ApprovalRequired.as_str(), principal.clone())
    };
    let asked = workshop.books.ledger.ask(now, matter, now.after(REQUEST_LASTS), entry).await;
    let (request, receipt) = asked.map_err(|error| workshop.books.refusal(error))?;
    let message = format!("an admin must approve it first; `guild approve {}` answers", request.id);
    Ok(AskedAdmin {
        request: request.id.to_string(),
        receipt: receipt.receipt.id.to_string(),
        told: Refusal::new(Code::ApprovalRequired, message),
    })
}
