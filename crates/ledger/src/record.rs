//! Records: grants, requests, tokens, suppressions and registrations, each a signed text that begins with one receipt and ends with at most one.
//!
//! A record is never changed. Whether it still holds is not written on it: it has ended when a receipt says so, and the
//! database lets only one receipt say it. A row whose signature is not that of an installation that counts here is no record.

use guild_manifest::{Digest, canonical};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::chain::{Links, WriteError, Writing, bounded, check_name};
use crate::database::{Connection, Row};
use crate::key::{Purpose, Signature};
use crate::receipt::{Entry, Kind, Reference, SignedReceipt};
use crate::{InstallationId, Ledger, Principal, PrincipalKind, StoreError, Timestamp};

const VERSION: u32 = 1;

/// Something that is kept as a record.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// What kind of record it is.
    fn kind(&self) -> &'static str;
    /// What it can be found by.
    fn lookup(&self) -> Lookup<'_>;
}

/// What a record can be found by.
#[derive(Debug, Default)]
pub(crate) struct Lookup<'r> {
    pub(crate) id: String,
    pub(crate) agent: Option<&'r str>,
    pub(crate) skill: Option<&'r str>,
    pub(crate) digest: Option<Digest>,
    pub(crate) expires: Option<Timestamp>,
}

/// What is signed: the record, and what it is a record of.
#[derive(Serialize, Deserialize)]
struct Signed<T> {
    version: u32,
    kind: String,
    installation: InstallationId,
    record: T,
}

/// Why a record was not ended.
#[derive(Debug, thiserror::Error)]
pub enum EndError {
    /// There is none of this id.
    #[error("there is no such thing here: {id}")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// It has ended before.
    #[error("{id} has ended before")]
    AlreadyEnded {
        /// Its id.
        id: String,
    },
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A record that nobody has signed yet.
pub(crate) struct Draft {
    kind: &'static str,
    id: String,
    agent: Option<String>,
    skill: Option<String>,
    of: Option<Digest>,
    expires: Option<Timestamp>,
    text: String,
    /// What is to be signed.
    pub(crate) digest: Digest,
}

impl Draft {
    /// How a receipt names it.
    pub(crate) fn reference(&self) -> Reference {
        Reference { id: self.id.clone(), digest: self.digest }
    }
}

impl Writing<'_> {
    /// Adds a record, which a receipt of the same transaction has to begin.
    pub(crate) async fn insert_record<T: Record>(&mut self, record: &T) -> Result<Reference, WriteError> {
        let draft = self.draft_record(record)?;
        let signature = self.ledger.key.sign(Purpose::Record, &draft.digest);
        let reference = draft.reference();
        self.add_record(draft, signature).await?;
        Ok(reference)
    }

    /// What is to be signed of a record.
    pub(crate) fn draft_record<T: Record>(&self, record: &T) -> Result<Draft, WriteError> {
        let (kind, installation) = (record.kind(), self.ledger.key.installation.clone());
        let signed = Signed { version: VERSION, kind: kind.to_owned(), installation, record };
        let text = bounded(canonical::to_string(&signed)?)?;
        let lookup = record.lookup();
        check_name("the agent", lookup.agent)?;
        check_name("the skill", lookup.skill)?;
        Ok(Draft {
            kind,
            digest: Digest::of(text.as_bytes()),
            agent: lookup.agent.map(str::to_owned),
            skill: lookup.skill.map(str::to_owned),
            of: lookup.digest,
            expires: lookup.expires,
            id: lookup.id,
            text,
        })
    }

    /// Adds a record that was drafted, with the signature of its digest.
    pub(crate) async fn add_record(&mut self, draft: Draft, signature: Signature) -> Result<(), WriteError> {
        let sql = "INSERT INTO records (id, kind, installation, agent, skill, digest, expires, body, signature) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let values = vec![
            draft.id.into(),
            draft.kind.into(),
            self.ledger.key.installation.as_str().into(),
            draft.agent.into(),
            draft.skill.into(),
            draft.of.map(|digest| digest.to_string()).into(),
            draft.expires.map(Timestamp::millis).into(),
            draft.text.into(),
            signature.to_string().into(),
        ];
        self.session.execute(sql, values).await?;
        Ok(())
    }
}

impl Ledger {
    /// Ends a record by a person's decision.
    pub(crate) async fn end_record(
        &self,
        now: Timestamp,
        id: String,
        kinds: &[&str],
        entry: Entry,
    ) -> Result<SignedReceipt, EndError> {
        person(&entry.principal).map_err(|NotAPerson| EndError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let sql = "SELECT kind FROM records WHERE id = $1";
        let found = writing.session.row(sql, vec![id.as_str().into()]).await?;
        let kind = found.map(|row| row.text(0)).transpose()?;
        if !kind.is_some_and(|kind| kinds.contains(&kind.as_str())) {
            writing.abandon().await?;
            return Err(EndError::NotFound { id });
        }
        if has_ended(&mut writing.session, &id).await? {
            writing.abandon().await?;
            return Err(EndError::AlreadyEnded { id });
        }
        let links = Links { ends: Some(id.clone()), ..Links::default() };
        let receipt = writing.append(entry, links).await.map_err(|error| already(error, id))?;
        writing.commit().await?;
        Ok(receipt)
    }

    /// The records of a kind that have not ended, the oldest first.
    pub(crate) async fn active<T: Record>(&self, kind: &str) -> Result<Vec<T>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT id, installation, body, signature FROM records \
                   WHERE kind = $1 AND ended IS NULL ORDER BY id";
        let mut active = Vec::new();
        for row in session.rows(sql, vec![kind.into()]).await? {
            if let Some(record) = read(self, &row)? {
                active.push(record);
            }
        }
        session.done();
        Ok(active)
    }
}

/// Whether somebody has looked at a signature already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Done,
    Due,
}

/// The record in a row, if it counts here. The row's columns are id, installation, body and signature.
pub(crate) fn read<T: Record>(ledger: &Ledger, row: &Row) -> Result<Option<T>, StoreError> {
    read_row(ledger, row, Proof::Due)
}

fn read_row<T: Record>(ledger: &Ledger, row: &Row, proof: Proof) -> Result<Option<T>, StoreError> {
    let (id, installation) = (row.text(0)?, row.text(1)?);
    let (text, signature) = (row.text(2)?, row.text(3)?);
    let counts = || {
        let key = ledger.counted_key(&installation)?;
        let signature: Signature = signature.parse().ok()?;
        let digest = Digest::of(text.as_bytes());
        let is_signed = || ledger.proven.holds(key, Purpose::Record, &digest, &signature);
        (proof == Proof::Done || is_signed()).then_some(())?;
        let signed: Signed<T> = serde_json::from_str(&text).ok()?;
        let is_it = signed.version <= VERSION
            && signed.installation == key.installation()
            && signed.kind == signed.record.kind()
            && signed.record.lookup().id == id;
        is_it.then_some(signed.record)
    };
    Ok(counts())
}

/// The records of a kind that this installation has begun and no receipt has ended, whatever their rows say.
pub(crate) async fn own<T: Record>(
    ledger: &Ledger,
    connection: &mut Connection,
    kind: &str,
) -> Result<Vec<T>, StoreError> {
    let sql = "SELECT id, installation, body, signature FROM records WHERE kind = $1 AND installation = $2 AND ended IS NULL \
               AND NOT EXISTS (SELECT 1 FROM receipts WHERE ends = records.id) ORDER BY id";
    let values = vec![kind.into(), ledger.key.installation.as_str().into()];
    let rows = connection.rows(sql, values).await?;
    let proof = proof(ledger, &rows)?;
    let records: Result<Vec<_>, _> = rows.iter().map(|row| read_row::<T>(ledger, row, proof)).collect();
    Ok(records?.into_iter().flatten().collect())
}

/// Looks at all signatures of this installation's rows at once; where one is wrong each is looked at by itself.
fn proof(ledger: &Ledger, rows: &[Row]) -> Result<Proof, StoreError> {
    let mut signed: Vec<(Digest, Signature)> = Vec::new();
    for row in rows {
        let Ok(signature) = row.text(3)?.parse() else { return Ok(Proof::Due) };
        signed.push((Digest::of(row.text(2)?.as_bytes()), signature));
    }
    let is_proved = ledger.key.public.verifies_all(Purpose::Record, &signed);
    Ok(if is_proved { Proof::Done } else { Proof::Due })
}

/// What a record's text says that it is found by, if it is one of this kind.
pub(crate) fn said<T: Record, F>(kind: &str, text: &str, tell: impl Fn(Lookup<'_>) -> F) -> Option<F> {
    let signed: Signed<T> = serde_json::from_str(text).ok()?;
    (signed.kind == kind && signed.record.kind() == kind).then(|| tell(signed.record.lookup()))
}

/// Whether a receipt has ended the record, whoever wrote that receipt: what is doubtful does not hold.
pub(crate) async fn has_ended(connection: &mut Connection, id: &str) -> Result<bool, StoreError> {
    Ok(connection.row("SELECT 1 FROM receipts WHERE ends = $1", vec![id.into()]).await?.is_some())
}

/// The receipt that ended a record, if it is signed by an installation that counts here.
pub(crate) async fn ending(
    ledger: &Ledger,
    connection: &mut Connection,
    id: &str,
) -> Result<Option<SignedReceipt>, StoreError> {
    let sql = "SELECT body, signature FROM receipts WHERE ends = $1";
    let Some(row) = connection.row(sql, vec![id.into()]).await? else { return Ok(None) };
    let counts = |signed: &SignedReceipt| {
        let key = ledger.counted_key(signed.receipt.installation.as_str());
        signed.receipt.ends.as_deref() == Some(id) && key.is_some_and(|key| signed.is_signed_by(key))
    };
    Ok(SignedReceipt::read(row.text(0)?, row.text(1)?).filter(counts))
}

/// Something that asks is no person.
#[derive(Debug)]
pub(crate) struct NotAPerson;

/// Only people decide, whoever forwards their answer.
pub(crate) fn person(principal: &Principal) -> Result<(), NotAPerson> {
    if principal.kind == PrincipalKind::Person { Ok(()) } else { Err(NotAPerson) }
}

/// The receipt of a person's decision.
pub(crate) fn decision(code: &str, by: Principal) -> Entry {
    Entry::new(Kind::Decision, code, by)
}

/// Another installation may have ended the record while this one was looking.
fn already(error: WriteError, id: String) -> EndError {
    match error {
        WriteError::Store(StoreError::Conflict) => EndError::AlreadyEnded { id },
        other => EndError::Write(other),
    }
}
