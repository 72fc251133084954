//! The replies about requests, grants and tokens.

use guild_ledger::receipt::SignedReceipt;
use guild_ledger::{Grant, Request, Token};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{PrincipalLine, Toggle, Wished};
use crate::{Envelope, Refusal};

/// A request that waits for a person.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RequestLine {
    /// Its name, for `approve` and `deny`.
    pub id: String,
    /// What would be done: `run`, `install`, …
    pub action: String,
    /// For which agent.
    pub agent: String,
    /// With which skill.
    pub skill: String,
    /// In which state of it.
    pub security_hash: Option<String>,
    /// In which workspace.
    pub workspace: String,
    /// Who asked.
    pub by: PrincipalLine,
    /// When.
    pub at: String,
    /// Until when an answer counts.
    pub expires: String,
    /// What a person is shown: source, command, parameters, capabilities, what changed, findings.
    pub shown: Value,
}

/// `requests`: what waits for a person.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Requests {
    /// The requests, the oldest first.
    pub requests: Vec<RequestLine>,
    /// How many there are.
    pub count: usize,
}

/// `approve` and `deny`: what a person answered.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Decided {
    /// The request.
    pub id: String,
    /// `run_once`, `always_allow` or `deny`; `approved` or `denied` where it was about something else than a run. Null where nothing
    /// was decided.
    pub decision: Option<String>,
    /// The receipt of the answer.
    pub receipt: Option<String>,
    /// The grant or denial that came of it.
    pub grant: Option<GrantLine>,
    /// What was asked.
    pub request: Option<RequestLine>,
    /// What came of it, where it was to switch something on or off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Toggle>,
    /// What came of it, where it was to install, remove or write something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wished: Option<Wished>,
}

/// A grant or a denial.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GrantLine {
    /// Its name, for `grants revoke` and `grants lift`.
    pub id: String,
    /// `run_once`, `always_allow` or `deny`.
    pub mode: &'static str,
    /// For which agent.
    pub agent: String,
    /// For which skill.
    pub skill: String,
    /// For which state of it.
    pub security_hash: String,
    /// For which workspace.
    pub workspace: String,
    /// When it was decided.
    pub at: String,
    /// Until when it holds; null for ever.
    pub expires: Option<String>,
    /// Who decided.
    pub by: PrincipalLine,
    /// The request that it answers.
    pub request: Option<String>,
}

/// `grants list`: what people have allowed and denied.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Grants {
    /// The grants and denials that hold, the oldest first.
    pub grants: Vec<GrantLine>,
    /// How many there are.
    pub count: usize,
}

/// A grant, denial, token or suppression that was ended.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Ended {
    /// Its id.
    pub id: String,
    /// Whether it was done.
    pub done: bool,
    /// The receipt of it.
    pub receipt: Option<String>,
}

/// A token; its secret is kept nowhere.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TokenLine {
    /// Its name, for `token revoke`.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// `person` or `agent`.
    pub kind: &'static str,
    /// `viewer`, `operator` or `admin`.
    pub role: &'static str,
    /// The agent that its holder is.
    pub agent: Option<String>,
    /// When it was made.
    pub at: String,
    /// Until when it lets its holder in; null for ever.
    pub expires: Option<String>,
    /// Who made it.
    pub by: PrincipalLine,
}

/// `token list`: who is let in.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Tokens {
    /// The tokens, the oldest first.
    pub tokens: Vec<TokenLine>,
    /// How many there are.
    pub count: usize,
}

/// `token create`: a token, with the secret that is shown this once.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct TokenCreated {
    /// The token; null where none was made.
    pub token: Option<TokenLine>,
    /// What its holder sends. It cannot be shown again.
    pub secret: Option<String>,
}

impl RequestLine {
    pub(crate) fn of(request: &Request) -> Self {
        let matter = &request.matter;
        Self {
            id: request.id.to_string(),
            action: matter.action.clone(),
            agent: matter.agent.clone(),
            skill: matter.skill.clone(),
            security_hash: matter.security_hash.map(|hash| hash.to_string()),
            workspace: matter.workspace.clone(),
            by: PrincipalLine::of(&request.by),
            at: request.at.to_string(),
            expires: request.expires.to_string(),
            shown: matter.shown.clone(),
        }
    }
}

impl GrantLine {
    pub(crate) fn of(grant: &Grant) -> Self {
        Self {
            id: grant.id.to_string(),
            mode: grant.mode.as_str(),
            agent: grant.agent.clone(),
            skill: grant.skill.clone(),
            security_hash: grant.security_hash.to_string(),
            workspace: grant.workspace.clone(),
            at: grant.at.to_string(),
            expires: grant.expires.map(|expires| expires.to_string()),
            by: PrincipalLine::of(&grant.by),
            request: grant.request.map(|request| request.to_string()),
        }
    }
}

impl Ended {
    pub(crate) fn envelope(id: &str, done: Result<SignedReceipt, Refusal>) -> Envelope<Self> {
        let id = id.to_owned();
        match done {
            Ok(signed) => Envelope::ok(Self { id, done: true, receipt: Some(signed.receipt.id.to_string()) }),
            Err(refusal) => Envelope::error(refusal.code, refusal.message, Self { id, ..Self::default() }),
        }
    }
}

impl TokenLine {
    pub(crate) fn of(token: &Token) -> Self {
        let holder = &token.holder;
        Self {
            id: token.id.to_string(),
            label: holder.label.clone(),
            kind: holder.kind.as_str(),
            role: holder.role.as_str(),
            agent: holder.agent.clone(),
            at: token.at.to_string(),
            expires: holder.expires.map(|expires| expires.to_string()),
            by: PrincipalLine::of(&token.by),
        }
    }
}
