//! `changes apply` and `changes drop`: a person's decision, which stands in the books before anything is done about it.

use guild_ledger::receipt::{Entry, Kind, Outcome};
use guild_ledger::{Principal, Role, Timestamp};
use guild_sandbox::changes::{ChangeSet, Status};

use super::{id, store, unknown};
use crate::counted::counted;
use crate::reply::{ChangeSummary, ChangesDecided};
use crate::{Books, Code, Envelope, Places, Refusal};

/// Which change set is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApplyRequest<'a> {
    /// The set.
    pub id: &'a str,
    /// Whether a person has confirmed, on their own, the files that decide what agents and machines do.
    pub sensitive: bool,
}

/// Applies a change set to its directory, wholly or not at all.
pub async fn changes_apply(
    places: &Places,
    books: &Books,
    now: Timestamp,
    request: ApplyRequest<'_>,
    by: Principal,
) -> Envelope<ChangesDecided> {
    let applied = async {
        let (store, id) = (store(places)?, id(request.id)?);
        let set = store.load(&id)?;
        let deciding = Deciding { books, now, by: &by, set: &set };
        books.authorise(now, &by, Role::Operator).await?;
        if !request.sensitive {
            deciding.expect_nothing_sensitive().await?;
        }
        // Applying it twice is no decision; the store says so.
        let receipt =
            if set.status == Status::Pending { Some(deciding.record("applied").await?) } else { None };
        if let Err(error) = store.apply(&id, &mut |_| {}) {
            return Err(deciding.failed(error.into()).await);
        }
        Ok((set, receipt))
    };
    decided(request.id, applied.await)
}

/// Forgets a change set; its directory stays as it is.
pub async fn changes_drop(
    places: &Places,
    books: &Books,
    now: Timestamp,
    name: &str,
    by: Principal,
) -> Envelope<ChangesDecided> {
    let dropped = async {
        let (store, id) = (store(places)?, id(name)?);
        let set = store.load(&id)?;
        if set.status == Status::Applied {
            return Err(unknown(name));
        }
        let deciding = Deciding { books, now, by: &by, set: &set };
        books.authorise(now, &by, Role::Operator).await?;
        let receipt = Some(deciding.record("dropped").await?);
        if let Err(error) = store.discard(&id) {
            return Err(deciding.failed(error.into()).await);
        }
        Ok((set, receipt))
    };
    decided(name, dropped.await)
}

/// Somebody who decides about a change set.
struct Deciding<'a> {
    books: &'a Books,
    now: Timestamp,
    by: &'a Principal,
    set: &'a ChangeSet,
}

impl Deciding<'_> {
    /// Writes the decision down; the receipt's id.
    async fn record(&self, decision: &str) -> Result<String, Refusal> {
        let summary = ChangeSummary::of(self.set);
        let mut outcome = Outcome::at(self.now, self.now);
        outcome.changes = Some(summary.kept());
        let entry = Entry {
            outcome: Some(outcome),
            note: Some(summary.directory),
            ..Entry::new(Kind::Decision, decision, self.by.clone())
        };
        let written = self.books.ledger.append(self.now, entry).await;
        let receipt = written.map_err(|error| self.books.refusal(error))?;
        Ok(receipt.receipt.id.to_string())
    }

    /// Refuses where files that decide what agents and machines do would change.
    async fn expect_nothing_sensitive(&self) -> Result<(), Refusal> {
        let marked = self.set.changes.iter().filter(|change| change.sensitive);
        let marked: Vec<String> = marked.map(|change| change.path.display().to_string()).collect();
        if marked.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{} that decide what agents and machines do would change: {}; look at them and add --sensitive",
            counted(marked.len(), "file"),
            marked.join(", ")
        );
        Err(self.failed(Refusal::new(Code::ChangesSensitive, message)).await)
    }

    /// Writes down that it did not come to pass.
    async fn failed(&self, refusal: Refusal) -> Refusal {
        self.books.denied(self.now, self.by, refusal).await
    }
}

fn decided(name: &str, done: Result<(ChangeSet, Option<String>), Refusal>) -> Envelope<ChangesDecided> {
    let id = name.to_owned();
    match done {
        Ok((set, receipt)) => {
            let changes = Some(ChangeSummary::of(&set));
            Envelope::ok(ChangesDecided { id, done: true, changes, receipt })
        }
        Err(refusal) => {
            Envelope::error(refusal.code, refusal.message, ChangesDecided { id, ..ChangesDecided::default() })
        }
    }
}
