//! `grants`: what people have allowed and denied, and taking it back.

use guild_ledger::receipt::SignedReceipt;
use guild_ledger::{EndError, GrantId, Principal, Role, Timestamp, via};

use crate::reply::{Ended, GrantLine, Grants};
use crate::{Books, Code, Envelope, Refusal};

/// The grants and denials that hold, the oldest first.
pub async fn grants_list(books: &Books, now: Timestamp) -> Envelope<Grants> {
    match books.ledger.grants(now).await {
        Ok(grants) => {
            let grants: Vec<GrantLine> = grants.iter().map(GrantLine::of).collect();
            Envelope::ok(Grants { count: grants.len(), grants })
        }
        Err(error) => books.refusal(error).into_envelope(),
    }
}

/// Takes a grant back; what it allowed is asked for again.
pub async fn grants_revoke(books: &Books, now: Timestamp, id: &str, by: Principal) -> Envelope<Ended> {
    let done = async {
        books.authorise(now, &by, Role::Operator).await?;
        ended(books, id, books.ledger.revoke(now, grant_id(id)?, by).await)
    };
    Ended::envelope(id, done.await)
}

/// Lifts a denial; what it denied is asked for again.
pub async fn grants_lift(books: &Books, now: Timestamp, id: &str, by: Principal) -> Envelope<Ended> {
    let done = async {
        books.authorise(now, &by, Role::Operator).await?;
        if by.via == via::ELICITATION || (by.via == via::FLAG && !books.approvals.flag) {
            let refusal = Refusal::new(Code::ApprovalWayForbidden, "lift a denial at a terminal");
            return Err(books.denied(now, &by, refusal).await);
        }
        ended(books, id, books.ledger.lift(now, grant_id(id)?, by).await)
    };
    Ended::envelope(id, done.await)
}

fn grant_id(text: &str) -> Result<GrantId, Refusal> {
    text.parse().map_err(|_| unknown(text))
}

fn unknown(id: &str) -> Refusal {
    let message = format!(
        "there is no such grant or denial `{id}`; `guild grants list` shows them: grants are revoked, denials lifted"
    );
    Refusal::new(Code::GrantNotFound, message)
}

fn ended(books: &Books, id: &str, ended: Result<SignedReceipt, EndError>) -> Result<SignedReceipt, Refusal> {
    ended.map_err(|error| match error {
        EndError::NotFound { .. } => unknown(id),
        EndError::AlreadyEnded { .. } => Refusal::new(Code::AlreadyDecided, error.to_string()),
        EndError::NotAPerson => Refusal::new(Code::PersonRequired, error.to_string()),
        EndError::Write(error) => books.refusal(error),
    })
}
