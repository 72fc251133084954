//! Giving grants, denying, and taking both back: each is a person's decision and leaves a receipt.
//!
//! Giving never lifts a denial by the way; that is a decision of its own.

use guild_manifest::Digest;

use super::standing::{active, denial};
use super::{ALLOWING, Ask, DENYING, Grant, Mode};
use crate::chain::{Links, WriteError, Writing};
use crate::receipt::{SignedReceipt, SkillRef};
use crate::record::{EndError, NotAPerson, decision, has_ended, person};
use crate::{GrantId, Ledger, Principal, RequestId, StoreError, Timestamp};

/// A grant to be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrant {
    /// For which agent.
    pub agent: String,
    /// For which skill, by its qualified name.
    pub skill: String,
    /// For which state of the skill.
    pub security_hash: Digest,
    /// For which workspace, by its path.
    pub workspace: String,
    /// What is decided.
    pub mode: Mode,
    /// Until when it holds; for ever if absent.
    pub expires: Option<Timestamp>,
}

/// Why a grant was not given.
#[derive(Debug, thiserror::Error)]
pub enum GiveError {
    /// A person has denied it, and nobody has lifted that.
    #[error("it is denied by {}; lift that first", .0.id)]
    Denied(Box<Grant>),
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Ledger {
    /// Gives a grant or denies one, by a person's decision. A grant for every run replaces the one before it; a denial ends
    /// the grants that it contradicts.
    ///
    /// # Errors
    /// Where a denial stands against it, where no person decides, or where it was not written.
    pub async fn give(
        &self,
        now: Timestamp,
        new: NewGrant,
        by: Principal,
    ) -> Result<(Grant, SignedReceipt), GiveError> {
        person(&by).map_err(|NotAPerson| GiveError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        match writing.give(new, by, None).await {
            Err(GiveError::Denied(denial)) => {
                writing.abandon().await?;
                Err(GiveError::Denied(denial))
            }
            Err(error) => Err(error),
            Ok(given) => {
                writing.commit().await?;
                Ok(given)
            }
        }
    }

    /// Takes a grant back.
    ///
    /// # Errors
    /// Where there is none, or it has ended, or it was not written.
    pub async fn revoke(
        &self,
        now: Timestamp,
        id: GrantId,
        by: Principal,
    ) -> Result<SignedReceipt, EndError> {
        self.end_record(now, id.to_string(), &[ALLOWING], decision("revoked", by)).await
    }

    /// Lifts a denial.
    ///
    /// # Errors
    /// Where there is none, or it has ended, or it was not written.
    pub async fn lift(&self, now: Timestamp, id: GrantId, by: Principal) -> Result<SignedReceipt, EndError> {
        self.end_record(now, id.to_string(), &[DENYING], decision("lifted", by)).await
    }

    /// The grants and denials that hold at `now`, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn grants(&self, now: Timestamp) -> Result<Vec<Grant>, StoreError> {
        let mut grants: Vec<Grant> = self.active(ALLOWING).await?;
        grants.extend(self.active::<Grant>(DENYING).await?);
        grants.retain(|grant| !grant.is_expired(now));
        grants.sort_by_key(|grant| grant.id);
        Ok(grants)
    }
}

impl Writing<'_> {
    /// Adds a grant with its receipt, which also ends the `request` that it answers.
    pub(crate) async fn give(
        &mut self,
        new: NewGrant,
        by: Principal,
        request: Option<RequestId>,
    ) -> Result<(Grant, SignedReceipt), GiveError> {
        self.settle(&new, &by).await?;
        let NewGrant { agent, skill, security_hash, workspace, mode, expires } = new;
        let id: GrantId = self.issue()?;
        let at = self.now;
        let grant = Grant { id, agent, skill, security_hash, workspace, mode, at, expires, by, request };
        let begins = Some(self.insert_record(&grant).await?);
        let links = Links { begins, ends: request.map(|id| id.to_string()) };
        let mut entry = decision(mode.as_str(), grant.by.clone());
        entry.skill = Some(SkillRef { name: grant.skill.clone(), security_hash: Some(security_hash) });
        let receipt = self.append(entry, links).await?;
        Ok((grant, receipt))
    }

    /// Makes room for a grant: it may not contradict a denial, and what it replaces ends.
    async fn settle(&mut self, new: &NewGrant, by: &Principal) -> Result<(), GiveError> {
        let plan = Digest::of(b"");
        let NewGrant { agent, skill, security_hash, workspace, .. } = new.clone();
        let ask = Ask { agent, skill, security_hash, workspace, plan };
        let standing = denial(self.ledger, &mut self.session, self.now, &ask).await?;
        if let Some(denial) = standing.filter(|_| new.mode != Mode::Deny) {
            return Err(GiveError::Denied(Box::new(denial)));
        }
        for grant in active(self.ledger, &mut self.session, &ask).await? {
            let id = grant.id.to_string();
            if new.replaces(&grant) && !has_ended(&mut self.session, &id).await? {
                let links = Links { ends: Some(id), ..Links::default() };
                self.append(decision("replaced", by.clone()), links).await?;
            }
        }
        Ok(())
    }
}

impl NewGrant {
    fn replaces(&self, grant: &Grant) -> bool {
        let same = grant.security_hash == self.security_hash;
        match self.mode {
            Mode::Deny => same,
            Mode::AlwaysAllow => same && grant.mode == Mode::AlwaysAllow && grant.workspace == self.workspace,
            Mode::RunOnce { .. } => false,
        }
    }
}
