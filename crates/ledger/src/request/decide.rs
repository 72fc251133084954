//! Answering a request: once, by a person, for exactly what was asked.
//!
//! Of several who answer at the same time one wins, and the others learn what was decided.

use super::{RUN, Request, State, find, state_of};
use crate::chain::{Links, WriteError, Writing};
use crate::grant::{GiveError, Grant, Mode, NewGrant};
use crate::receipt::{SignedReceipt, SkillRef};
use crate::record::{NotAPerson, decision, person};
use crate::{Ledger, Principal, RequestId, StoreError, Timestamp};

/// What a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Once {
        /// Until when it can be used; for ever if absent.
        expires: Option<Timestamp>,
    },
    /// Yes, always.
    Always {
        /// Until when; for ever if absent.
        expires: Option<Timestamp>,
    },
    /// No.
    Deny,
}

/// A request that was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// What was asked.
    pub request: Request,
    /// The grant or denial that came of it; none where the matter was no run.
    pub grant: Option<Grant>,
    /// The receipt of the answer.
    pub receipt: SignedReceipt,
}

/// Why an answer does not count.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// There is no such request, or nobody who counts here has made it.
    #[error("there is no request {0}")]
    NotFound(RequestId),
    /// It was answered before.
    #[error("{0} was answered before")]
    AlreadyDecided(RequestId),
    /// Its time is over.
    #[error("{0} has expired")]
    Expired(RequestId),
    /// A denial stands against it.
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
    /// Answers a request.
    ///
    /// # Errors
    /// Where it cannot be answered any more, where no person answers, or where the answer was not written.
    pub async fn decide(
        &self,
        now: Timestamp,
        id: RequestId,
        answer: Answer,
        by: Principal,
    ) -> Result<Decided, DecideError> {
        self.decide_noted(now, id, answer, (by, None)).await
    }

    /// The same, with a note in the receipt where no grant comes of the answer.
    ///
    /// # Errors
    /// As above.
    pub async fn decide_noted(
        &self,
        now: Timestamp,
        id: RequestId,
        answer: Answer,
        (by, note): (Principal, Option<String>),
    ) -> Result<Decided, DecideError> {
        person(&by).map_err(|NotAPerson| DecideError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        match writing.decide(id, answer, (by, note)).await {
            Ok(decided) => {
                writing.commit().await?;
                Ok(decided)
            }
            // Another installation may have answered while this one was looking.
            Err(DecideError::Write(WriteError::Store(StoreError::Conflict))) => {
                Err(DecideError::AlreadyDecided(id))
            }
            Err(DecideError::Write(error)) => Err(error.into()),
            Err(refusal) => {
                writing.abandon().await?;
                Err(refusal)
            }
        }
    }
}

impl Writing<'_> {
    async fn decide(
        &mut self,
        id: RequestId,
        answer: Answer,
        (by, note): (Principal, Option<String>),
    ) -> Result<Decided, DecideError> {
        let request = find(self.ledger, &mut self.session, id).await?.ok_or(DecideError::NotFound(id))?;
        match state_of(self.ledger, &mut self.session, self.now, &request).await? {
            State::Pending => {}
            State::Expired => return Err(DecideError::Expired(id)),
            State::Decided { .. } | State::Untrusted => return Err(DecideError::AlreadyDecided(id)),
        }
        if let Some(new) = answer.grant(&request) {
            let (grant, receipt) = self.give(new, by, Some(id)).await.map_err(refusal)?;
            return Ok(Decided { request, grant: Some(grant), receipt });
        }
        let mut entry = decision(answer.word(), by);
        entry.note = note;
        entry.skill = Some(SkillRef { name: request.matter.skill.clone(), security_hash: None });
        let links = Links { ends: Some(id.to_string()), ..Links::default() };
        let receipt = self.append(entry, links).await?;
        Ok(Decided { request, grant: None, receipt })
    }
}

impl Answer {
    /// The grant that this answer gives, if the request asks for a run of a known state.
    fn grant(self, request: &Request) -> Option<NewGrant> {
        let matter = &request.matter;
        let security_hash = matter.security_hash.filter(|_| matter.action == RUN)?;
        let (mode, expires) = match self {
            Self::Once { expires } => (Mode::RunOnce { plan: matter.plan }, expires),
            Self::Always { expires } => (Mode::AlwaysAllow, expires),
            Self::Deny => (Mode::Deny, None),
        };
        let (agent, skill) = (matter.agent.clone(), matter.skill.clone());
        Some(NewGrant { agent, skill, security_hash, workspace: matter.workspace.clone(), mode, expires })
    }

    /// The code of the receipt where no grant comes of the answer.
    const fn word(self) -> &'static str {
        match self {
            Self::Once { .. } | Self::Always { .. } => "approved",
            Self::Deny => "denied",
        }
    }
}

fn refusal(error: GiveError) -> DecideError {
    match error {
        GiveError::Denied(denial) => DecideError::Denied(denial),
        GiveError::NotAPerson => DecideError::NotAPerson,
        GiveError::Write(error) => DecideError::Write(error),
    }
}
