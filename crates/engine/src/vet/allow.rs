//! `vet allow`, `vet allowed` and `vet disallow`: warnings that a person has looked at, for one content and one version of the rules.
//!
//! A denial is never lifted here: that is a person's policy, and stands in their configuration.

use guild_ledger::{EndError, Principal, Role, SuppressError, SuppressionId, Timestamp, Warning};
use guild_manifest::Digest;
use guild_manifest::fold::nearest;
use guild_vet::{Code as Rule, RULES, Suppression, Tier};

use super::{Gate, Subject};
use crate::hall::Hall;
use crate::reply::{AllowedWarning, Ended, VetAllow, VetAllowed};
use crate::resolve::resolve;
use crate::{Books, Code, Envelope, Refusal};

/// Which warning, and why it is nothing to worry about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllowRequest<'a> {
    /// The skill, by any of its names.
    pub name: &'a str,
    /// The warning's code.
    pub rule: &'a str,
    /// Why.
    pub reason: &'a str,
}

impl Hall {
    /// Counts the warnings that the books say a person has allowed, for every later vet of this hall.
    pub async fn allow(&mut self, books: &Books) -> Result<(), Refusal> {
        let found = books.ledger.suppressions().await.map_err(|error| books.refusal(error))?;
        // Those of other rules are of no use here, and the gate would not count them.
        let current = found.into_iter().filter(|it| it.warning.rules == RULES.to_string());
        self.allowed = current
            .filter_map(|it| {
                let code = Rule::named(&it.warning.code)?;
                Some(Suppression { code, digest: it.warning.content, rules: RULES })
            })
            .collect();
        Ok(())
    }
}

/// Allows a warning for the skill as it is now. When a byte of it changes, the warning is back.
pub async fn vet_allow(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    request: AllowRequest<'_>,
    by: Principal,
) -> Envelope<VetAllow> {
    let entry = match resolve(hall, request.name) {
        Ok(entry) => entry,
        Err(unresolved) => {
            let reply = VetAllow { candidates: unresolved.candidates, ..VetAllow::default() };
            return Envelope::error(unresolved.code, unresolved.message, reply);
        }
    };
    let skill = Some(entry.qualified_name().into_owned());
    let allowed = async {
        books.authorise(now, &by, Role::Admin).await?;
        let rule = warning(request.rule)?;
        let content = content(hall, &Subject::of_entry(&hall.snapshot, entry), rule)?;
        suppress(books, now, (rule, content, request.reason), by).await
    };
    match allowed.await {
        Ok(warning) => Envelope::ok(VetAllow { skill, warning: Some(warning), ..VetAllow::default() }),
        Err(refusal) => {
            Envelope::error(refusal.code, refusal.message, VetAllow { skill, ..VetAllow::default() })
        }
    }
}

/// The warnings that people have allowed, the oldest first.
pub async fn vet_allowed(books: &Books) -> Envelope<VetAllowed> {
    match books.ledger.suppressions().await {
        Ok(found) => {
            let warnings: Vec<AllowedWarning> = found.iter().map(AllowedWarning::of).collect();
            Envelope::ok(VetAllowed { count: warnings.len(), warnings })
        }
        Err(error) => books.refusal(error).into_envelope(),
    }
}

/// Shows a warning again.
pub async fn vet_disallow(books: &Books, now: Timestamp, id: &str, by: Principal) -> Envelope<Ended> {
    let unknown = || {
        let message = format!("nobody has allowed `{id}`; `guild vet allowed` shows what was");
        Refusal::new(Code::WarningNotFound, message)
    };
    let done = async {
        books.authorise(now, &by, Role::Admin).await?;
        let suppression: SuppressionId = id.parse().map_err(|_| unknown())?;
        books.ledger.unsuppress(now, suppression, by).await.map_err(|error| match error {
            EndError::NotFound { .. } => unknown(),
            EndError::AlreadyEnded { .. } => Refusal::new(Code::AlreadyDecided, error.to_string()),
            EndError::NotAPerson => Refusal::new(Code::PersonRequired, error.to_string()),
            EndError::Write(error) => books.refusal(error),
        })
    };
    Ended::envelope(id, done.await)
}

/// The warning of this code.
fn warning(rule: &str) -> Result<Rule, Refusal> {
    let Some(code) = Rule::named(rule) else {
        let near = nearest(rule, Rule::ALL.iter().map(|code| code.as_str()));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Refusal::new(Code::UnknownCode, format!("there is no code `{rule}`{hint}")));
    };
    if code.tier() == Tier::Deny {
        let message = format!(
            "`{code}` denies, and that cannot be allowed for one skill; `vet.downgrade` in your own configuration makes it a \
             warning everywhere"
        );
        return Err(Refusal::new(Code::WarningNotAllowable, message));
    }
    Ok(code)
}

/// The digest of the skill as it is now, if it has the warning.
fn content(hall: &Hall, subject: &Subject<'_>, rule: Rule) -> Result<Digest, Refusal> {
    let mut gate = Gate::open(hall);
    let vetted = gate.vet(subject);
    gate.close();
    if !vetted.partial.is_empty() {
        let message = format!(
            "parts of skill `{}` were left unread, so nobody can tell what would be allowed: {}",
            vetted.name,
            vetted.partial.join("; ")
        );
        return Err(Refusal::new(Code::WarningNotAllowable, message));
    }
    let has_it = vetted.findings.iter().any(|finding| finding.code == rule.as_str());
    let missing = || {
        let message = format!("skill `{}` has no warning `{rule}`, or it is allowed already", vetted.name);
        Refusal::new(Code::WarningNotFound, message)
    };
    has_it.then(|| vetted.digest.parse().ok()).flatten().ok_or_else(missing)
}

async fn suppress(
    books: &Books,
    now: Timestamp,
    (rule, content, reason): (Rule, Digest, &str),
    by: Principal,
) -> Result<AllowedWarning, Refusal> {
    let (code, rules) = (rule.as_str().to_owned(), RULES.to_string());
    let warning = Warning { code, content, rules, why: reason.to_owned() };
    let suppressed = books.ledger.suppress(now, warning, by).await.map_err(|error| match error {
        SuppressError::NotAPerson => Refusal::new(Code::PersonRequired, error.to_string()),
        SuppressError::Write(error) => books.refusal(error),
    })?;
    Ok(AllowedWarning::of(&suppressed))
}
