//! What an agent asks for waits for an admin: a request, and doing what it asks once it is approved.
//!
//! Whoever approves is the one who acts; the agent never is.

use guild_ledger::SubjectKind;
use serde_json::{Value, json};

use super::subject::Found;
use super::toggle::{ToggleRequest, toggle};
use crate::approvals::{AdminMatter, Shown, ask_admin};
use crate::inquiry::ANSWER;
use crate::reply::{RequestLine, Toggle};
use crate::workshop::Workshop;
use crate::{Envelope, Refusal};

const ENABLE: &str = "enable";
const DISABLE: &str = "disable";

/// Whether a request of this action changes what is installed or on, so that an admin has to answer it.
pub fn is_management(action: &str) -> bool {
    !matches!(action, guild_ledger::RUN | ANSWER)
}

/// Leaves a request.
pub(super) async fn ask(
    workshop: &Workshop<'_>,
    found: &Found<'_>,
    request: &ToggleRequest<'_>,
    reply: &mut Toggle,
) -> Result<String, Refusal> {
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
    let asked = ask_admin(workshop, request.principal, AdminMatter { action, name, decided, shown }).await?;
    reply.request = Some(asked.request);
    reply.receipt = Some(asked.receipt);
    Err(asked.told)
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
