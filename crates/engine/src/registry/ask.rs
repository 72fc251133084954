//! What an agent asks for waits for an admin: a request, and doing what it asks once it is approved.
//!
//! Whoever approves is the one who acts; the agent never is.

use std::time::Duration;

use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{Matter, SubjectKind};
use guild_manifest::{Digest, canonical};
use serde_json::{Value, json};

use super::subject::Found;
use super::toggle::{ToggleRequest, toggle};
use crate::approvals::Shown;
use crate::reply::{RequestLine, Toggle};
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal};

/// How long a request can be answered.
const REQUEST_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
const ENABLE: &str = "enable";
const DISABLE: &str = "disable";

/// Whether a request of this action changes what is installed or on, so that an admin has to answer it.
pub fn is_management(action: &str) -> bool {
    action != guild_ledger::RUN
}

/// Leaves a request.
pub(super) async fn ask(
    workshop: &Workshop<'_>,
    found: &Found<'_>,
    request: &ToggleRequest<'_>,
    reply: &mut Toggle,
) -> Result<String, Refusal> {
    let now = workshop.now();
    let action = if request.on { ENABLE } else { DISABLE };
    let (name, kind) = (found.name(), found.kind().as_str());
    let mut command = vec!["guild", action, &name, "--kind", kind];
    command.extend(request.agent.iter().flat_map(|agent| ["--agent", *agent]));
    let mut parameters = vec![("kind".to_owned(), Value::from(kind))];
    parameters.extend(request.agent.map(|agent| ("agent".to_owned(), Value::from(agent))));
    let shown = Shown {
        source: found.source(),
        command: command.into_iter().map(str::to_owned).collect(),
        parameters: parameters.into_iter().collect(),
        ..Shown::default()
    };
    let decided = json!({"version": 1, "action": action, "place": found.place(), "agent": request.agent});
    let matter = Matter {
        action: action.to_owned(),
        agent: request.principal.agent.clone(),
        skill: name.clone(),
        security_hash: None,
        workspace: workshop.hall.machine.workspace().to_string_lossy().into_owned(),
        plan: Digest::of(canonical::text_of(&decided).as_bytes()),
        shown: shown.to_value(),
    };
    let entry = Entry {
        skill: Some(SkillRef { name, security_hash: None }),
        ..Entry::new(Kind::Asked, Code::ApprovalRequired.as_str(), request.principal.clone())
    };
    let asked = workshop.books.ledger.ask(now, matter, now.after(REQUEST_LASTS), entry).await;
    let (asked, receipt) = asked.map_err(|error| workshop.books.refusal(error))?;
    reply.request = Some(asked.id.to_string());
    reply.receipt = Some(receipt.receipt.id.to_string());
    let message = format!("an admin must approve it first; `guild approve {}` answers", asked.id);
    Err(Refusal::new(Code::ApprovalRequired, message))
}

/// Does what an approved request asks for, as the person who approved it. `like` says who that is.
pub async fn perform_request(
    workshop: &Workshop<'_>,
    request: &RequestLine,
    like: ToggleRequest<'_>,
) -> Option<Envelope<Toggle>> {
    let on = match request.action.as_str() {
        ENABLE => true,
        DISABLE => false,
        _ => return None,
    };
    let shown = Shown::read(&request.shown)?;
    let text = |key: &str| shown.parameters.get(key).and_then(Value::as_str);
    let kind = SubjectKind::ALL.iter().copied().find(|kind| text("kind") == Some(kind.as_str()));
    let asked = ToggleRequest { name: &request.skill, kind, on, agent: text("agent"), ..like };
    Some(toggle(workshop, asked).await)
}
