//! Requests that wait for a person: made by whoever was refused, answered once, or forgotten when their time is over.
//!
//! A request says what was shown; the answer holds for exactly that. Prompting people and waking them is done elsewhere.

mod decide;
mod wait;

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use decide::{Answer, DecideError, Decided};

use crate::chain::{Links, WriteError, Writing};
use crate::database::Connection;
use crate::grant::Grant;
use crate::key::lock_number;
use crate::receipt::{Entry, Kind, SignedReceipt};
use crate::record::{self, Lookup, Record, ending, has_ended};
use crate::{Ledger, Principal, RequestId, StoreError, Timestamp};

/// The kind of these records.
pub(crate) const REQUEST: &str = "request";

/// The action of requests that are answered by a grant.
pub const RUN: &str = "run";

/// Something that a person is asked to decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Its name.
    pub id: RequestId,
    /// Who asked.
    pub by: Principal,
    /// When.
    pub at: Timestamp,
    /// Until when it can be answered.
    pub expires: Timestamp,
    /// What is asked.
    #[serde(flatten)]
    pub matter: Matter,
}

/// What is asked of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matter {
    /// What would be done: [`RUN`], or something else that a person has to allow, such as `install`.
    pub action: String,
    /// For which agent.
    pub agent: String,
    /// With which skill.
    pub skill: String,
    /// In which state of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_hash: Option<Digest>,
    /// In which workspace.
    pub workspace: String,
    /// The digest of what was shown.
    pub plan: Digest,
    /// What was shown, for whoever answers later.
    #[serde(default)]
    pub shown: Value,
}

/// A request and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestState {
    /// What was asked.
    pub request: Request,
    /// What became of it.
    pub state: State,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It waits.
    Pending,
    /// Nobody answered in time.
    Expired,
    /// A person has answered.
    Decided {
        /// The receipt of the answer; its code says what it was.
        receipt: Box<SignedReceipt>,
        /// The grant or denial that came of it.
        grant: Option<Box<Grant>>,
    },
    /// Somebody has answered whose signature does not count here.
    Untrusted,
}

impl Ledger {
    /// Asks a person, and writes the receipt `entry` of whoever had to ask. If the same is asked already, that request stays,
    /// and no second one is made.
    ///
    /// # Errors
    /// Where it was not written.
    pub async fn ask(
        &self,
        now: Timestamp,
        matter: Matter,
        expires: Timestamp,
        entry: Entry,
    ) -> Result<(Request, SignedReceipt), WriteError> {
        let mut writing = self.write(now).await?;
        // Other installations ask too; of the same matter one at a time.
        writing.session.lock(lock_number(&matter.key())).await?;
        let (request, begins) = match writing.pending_about(&matter).await? {
            Some(request) => (request, None),
            None => {
                let by = entry.principal.clone();
                let request = Request { id: writing.issue()?, by, at: now, expires, matter };
                let reference = writing.insert_record(&request).await?;
                (request, Some(reference))
            }
        };
        let entry = Entry { kind: Kind::Asked, ..entry };
        let receipt = writing.append(entry, Links { begins, ..Links::default() }).await?;
        writing.commit().await?;
        Ok((request, receipt))
    }

    /// The requests that wait at `now`, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn pending(&self, now: Timestamp) -> Result<Vec<Request>, StoreError> {
        let mut requests: Vec<Request> = self.active(REQUEST).await?;
        requests.retain(|request| now < request.expires);
        Ok(requests)
    }

    /// A request and what became of it.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn request(&self, now: Timestamp, id: RequestId) -> Result<Option<RequestState>, StoreError> {
        let mut session = self.session().await?;
        let state = match find(self, &mut session, id).await? {
            None => None,
            Some(request) => {
                let state = state_of(self, &mut session, now, &request).await?;
                Some(RequestState { request, state })
            }
        };
        session.done();
        Ok(state)
    }
}

impl Writing<'_> {
    /// The request that waits for the same matter.
    async fn pending_about(&mut self, matter: &Matter) -> Result<Option<Request>, StoreError> {
        let sql = "SELECT id, installation, body, signature FROM records \
                   WHERE kind = $1 AND agent = $2 AND skill = $3 AND ended IS NULL AND expires > $4 ORDER BY id";
        let (agent, skill) = (matter.agent.as_str(), matter.skill.as_str());
        let values = vec![REQUEST.into(), agent.into(), skill.into(), self.now.millis().into()];
        for row in self.session.rows(sql, values).await? {
            let request = record::read::<Request>(self.ledger, &row)?;
            let same = |request: &Request| request.matter.key() == matter.key() && self.now < request.expires;
            if let Some(request) = request.filter(same)
                && !has_ended(&mut self.session, &request.id.to_string()).await?
            {
                return Ok(Some(request));
            }
        }
        Ok(None)
    }
}

/// The request of this id, if it counts here.
pub(crate) async fn find(
    ledger: &Ledger,
    connection: &mut Connection,
    id: RequestId,
) -> Result<Option<Request>, StoreError> {
    let sql = "SELECT id, installation, body, signature FROM records WHERE id = $1 AND kind = $2";
    match connection.row(sql, vec![id.to_string().into(), REQUEST.into()]).await? {
        Some(row) => record::read(ledger, &row),
        None => Ok(None),
    }
}

/// What became of a request.
pub(crate) async fn state_of(
    ledger: &Ledger,
    connection: &mut Connection,
    now: Timestamp,
    request: &Request,
) -> Result<State, StoreError> {
    let id = request.id.to_string();
    // In this order: an answer that comes between the two looks is whole for the second one.
    if !has_ended(connection, &id).await? {
        return Ok(if now < request.expires { State::Pending } else { State::Expired });
    }
    let Some(receipt) = ending(ledger, connection, &id).await? else { return Ok(State::Untrusted) };
    let grant = match &receipt.receipt.begins {
        Some(reference) => grant_of(ledger, connection, &reference.id).await?.map(Box::new),
        None => None,
    };
    Ok(State::Decided { receipt: Box::new(receipt), grant })
}

async fn grant_of(
    ledger: &Ledger,
    connection: &mut Connection,
    id: &str,
) -> Result<Option<Grant>, StoreError> {
    let sql = "SELECT id, installation, body, signature FROM records WHERE id = $1";
    match connection.row(sql, vec![id.into()]).await? {
        Some(row) => record::read(ledger, &row),
        None => Ok(None),
    }
}

impl Matter {
    /// What two requests have in common that ask for the same.
    fn key(&self) -> String {
        let hash = self.security_hash.map(|hash| hash.to_string()).unwrap_or_default();
        let plan = self.plan.to_string();
        let parts = [&self.action, &self.agent, &self.skill, &hash, &self.workspace, &plan];
        Digest::of_parts(parts.map(String::as_bytes)).to_string()
    }
}

impl Record for Request {
    fn kind(&self) -> &'static str {
        REQUEST
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup {
            id: self.id.to_string(),
            agent: Some(&self.matter.agent),
            skill: Some(&self.matter.skill),
            digest: self.matter.security_hash,
            expires: Some(self.expires),
        }
    }
}
