//! Who may decide: a person, of enough role, in a way that counts.
//!
//! Whoever may not leaves a receipt of having tried.

use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{Principal, Role, Timestamp};

use crate::{Books, Code, Refusal};

/// Lets a run be started or taken back: by an agent, whose runs wait for a person, or by a person who may answer for them.
pub(crate) fn may_run(by: &Principal) -> Result<(), Refusal> {
    if by.is_agent() || by.role >= Role::Operator { Ok(()) } else { Err(insufficient(by, Role::Operator)) }
}

/// Lets people look at what concerns everybody, whatever their role; an agent sees what is its own.
///
/// # Errors
/// Where it is an agent, or where the books cannot be written.
pub async fn may_look(books: &Books, now: Timestamp, by: &Principal) -> Result<(), Refusal> {
    books.authorise(now, by, Role::Viewer).await
}

fn insufficient(by: &Principal, role: Role) -> Refusal {
    let message = format!("this takes the role `{}`, and yours is `{}`", role.as_str(), by.role.as_str());
    Refusal::new(Code::RoleInsufficient, message)
}

impl Books {
    /// Lets a decision pass that `by` makes, if they are a person of at least this role.
    pub(crate) async fn authorise(&self, now: Timestamp, by: &Principal, role: Role) -> Result<(), Refusal> {
        let refusal = if by.is_agent() {
            let message = format!("agent `{}` cannot decide this; it takes a person", by.agent);
            Refusal::new(Code::PersonRequired, message)
        } else if by.role < role {
            insufficient(by, role)
        } else {
            return Ok(());
        };
        Err(self.denied(now, by, refusal).await)
    }

    /// The refusal, once there is a receipt of it; or why there is none.
    pub(crate) async fn denied(&self, now: Timestamp, by: &Principal, refusal: Refusal) -> Refusal {
        let entry = Entry {
            note: Some(refusal.message.clone()),
            ..Entry::new(Kind::Denied, refusal.code.as_str(), by.clone())
        };
        match self.ledger.append(now, entry).await {
            Ok(_) => refusal,
            Err(error) => self.refusal(error),
        }
    }
}
