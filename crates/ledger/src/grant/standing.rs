//! How things stand for a run: allowed, denied, or for a person to say.
//!
//! Asking changes nothing, and an answer is worth nothing later: `start` asks again in the transaction that lets a run begin.

use guild_manifest::Digest;

use super::{ALLOWING, DENYING, Grant, Mode};
use crate::database::Connection;
use crate::record::{self, ending, has_ended};
use crate::{Ledger, StoreError, Timestamp};

/// A run that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The agent that would run it.
    pub agent: String,
    /// The skill, by its qualified name.
    pub skill: String,
    /// The state of the skill.
    pub security_hash: Digest,
    /// The workspace it would run in.
    pub workspace: String,
    /// The digest of the plan that would be shown.
    pub plan: Digest,
}

/// How things stand for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// A grant covers it.
    Allowed(Grant),
    /// A person has denied it.
    Denied(Grant),
    /// Nobody has decided.
    Undecided {
        /// The state of the skill that was last approved for this agent, if ever one was.
        approved: Option<Digest>,
    },
}

impl Ledger {
    /// How things stand for a run.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn standing(&self, now: Timestamp, ask: &Ask) -> Result<Standing, StoreError> {
        let mut session = self.session().await?;
        let standing = standing(self, &mut session, now, ask).await?;
        session.done();
        Ok(standing)
    }
}

impl Ledger {
    /// The state of a skill that was last approved for an agent, if ever one was.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn last_approved(&self, agent: &str, skill: &str) -> Result<Option<Digest>, StoreError> {
        let mut session = self.session().await?;
        let approved = last_approved(self, &mut session, agent, skill).await?;
        session.done();
        Ok(approved)
    }
}

/// How things stand, as this connection sees it.
pub(crate) async fn standing(
    ledger: &Ledger,
    connection: &mut Connection,
    now: Timestamp,
    ask: &Ask,
) -> Result<Standing, StoreError> {
    if let Some(denial) = denial(ledger, connection, now, ask).await? {
        return Ok(Standing::Denied(denial));
    }
    let mut grants = active(ledger, connection, ask).await?;
    grants.retain(|grant| grant.covers(ask) && !grant.is_expired(now));
    // One that is used up is not spent where another allows the run anyway.
    grants.sort_by_key(|grant| grant.mode != Mode::AlwaysAllow);
    for grant in grants {
        if !has_ended(connection, &grant.id.to_string()).await? {
            return Ok(Standing::Allowed(grant));
        }
    }
    Ok(Standing::Undecided { approved: last_approved(ledger, connection, &ask.agent, &ask.skill).await? })
}

/// The denial that stands. One that somebody has lifted whose signature does not count still stands.
pub(crate) async fn denial(
    ledger: &Ledger,
    connection: &mut Connection,
    now: Timestamp,
    ask: &Ask,
) -> Result<Option<Grant>, StoreError> {
    let sql = "SELECT id, installation, body, signature FROM records \
               WHERE kind = $1 AND agent = $2 AND skill = $3 AND digest = $4 ORDER BY id DESC";
    let hash = ask.security_hash.to_string();
    let values = vec![DENYING.into(), ask.agent.as_str().into(), ask.skill.as_str().into(), hash.into()];
    for row in connection.rows(sql, values).await? {
        let denial = record::read::<Grant>(ledger, &row)?;
        for denial in denial.into_iter().filter(|denial| denial.is_about(ask) && !denial.is_expired(now)) {
            if ending(ledger, connection, &denial.id.to_string()).await?.is_none() {
                return Ok(Some(denial));
            }
        }
    }
    Ok(None)
}

/// The grants for this agent and skill that are not marked as ended.
pub(crate) async fn active(
    ledger: &Ledger,
    connection: &mut Connection,
    ask: &Ask,
) -> Result<Vec<Grant>, StoreError> {
    let sql = "SELECT id, installation, body, signature FROM records \
               WHERE kind = $1 AND agent = $2 AND skill = $3 AND ended IS NULL ORDER BY id";
    let values = vec![ALLOWING.into(), ask.agent.as_str().into(), ask.skill.as_str().into()];
    let rows = connection.rows(sql, values).await?;
    let grants: Result<Vec<_>, _> = rows.iter().map(|row| record::read::<Grant>(ledger, row)).collect();
    Ok(grants?.into_iter().flatten().collect())
}

async fn last_approved(
    ledger: &Ledger,
    connection: &mut Connection,
    agent: &str,
    skill: &str,
) -> Result<Option<Digest>, StoreError> {
    let sql = "SELECT id, installation, body, signature FROM records \
               WHERE kind = $1 AND agent = $2 AND skill = $3 ORDER BY id DESC LIMIT 1";
    let values = vec![ALLOWING.into(), agent.into(), skill.into()];
    let Some(row) = connection.row(sql, values).await? else { return Ok(None) };
    Ok(record::read::<Grant>(ledger, &row)?.map(|grant| grant.security_hash))
}

impl Grant {
    fn is_about(&self, ask: &Ask) -> bool {
        self.agent == ask.agent && self.skill == ask.skill && self.security_hash == ask.security_hash
    }

    fn covers(&self, ask: &Ask) -> bool {
        let plan_fits = match self.mode {
            Mode::RunOnce { plan } => plan == ask.plan,
            Mode::AlwaysAllow => true,
            Mode::Deny => false,
        };
        plan_fits && self.is_about(ask) && self.workspace == ask.workspace
    }
}
