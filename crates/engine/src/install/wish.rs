//! What an agent wishes to have installed or removed: a request that waits for an admin, and what it asks for once that is approved.
//!
//! Nothing is fetched for a wish. Whoever approves it is the one who installs, with everything that is looked at then.

use crate::approvals::Shown;
use crate::install::Scope;
use crate::reply::RequestLine;
use crate::{Books, Code, Principal, Refusal};
use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{Matter, Timestamp};
use guild_manifest::{Digest, canonical};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// How long a wish can be answered.
const WISH_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
const INSTALL: &str = "install";
const UNINSTALL: &str = "uninstall";

/// What an agent wishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallWish {
    /// Where from; nothing for what is to be removed.
    pub source: Option<String>,
    /// The branch, tag or commit.
    pub reference: Option<String>,
    /// Which of the skills there, or which to remove.
    pub names: Vec<String>,
    /// Whether all of them.
    pub all: bool,
    /// Where to, or from where.
    pub scope: Scope,
}

impl InstallWish {
    fn action(&self) -> &'static str {
        if self.source.is_some() { INSTALL } else { UNINSTALL }
    }

    /// The command that a person would type.
    fn command(&self) -> Vec<String> {
        let mut words = vec!["guild".to_owned()];
        match &self.source {
            Some(source) => {
                words.extend(["add".to_owned(), source.clone()]);
                words.extend(self.reference.iter().flat_map(|text| ["--ref".to_owned(), text.clone()]));
                if !self.names.is_empty() {
                    words.extend(["--skill".to_owned(), self.names.join(",")]);
                }
            }
            None => {
                words.push("remove".to_owned());
                words.extend(self.names.iter().cloned());
            }
        }
        words.extend(self.all.then(|| "--all".to_owned()));
        words.extend((self.scope == Scope::User).then(|| "--user".to_owned()));
        words
    }

    fn parameters(&self) -> Map<String, Value> {
        let mut map = Map::new();
        for (key, value) in [("source", &self.source), ("ref", &self.reference)] {
            if let Some(value) = value {
                map.insert(key.to_owned(), value.as_str().into());
            }
        }
        map.insert("names".to_owned(), self.names.clone().into());
        map.insert("all".to_owned(), self.all.into());
        map.insert("scope".to_owned(), self.scope.word().into());
        map
    }

    /// The wish of a request; nothing where it asks for something else.
    pub fn of(request: &RequestLine) -> Option<Self> {
        if ![INSTALL, UNINSTALL].contains(&request.action.as_str()) {
            return None;
        }
        let parameters = Shown::read(&request.shown)?.parameters;
        let text = |key: &str| parameters.get(key).and_then(Value::as_str).map(str::to_owned);
        let names = parameters.get("names").and_then(Value::as_array)?;
        let scope =
            if text("scope").as_deref() == Some(Scope::User.word()) { Scope::User } else { Scope::Project };
        Some(Self {
            source: text("source").filter(|_| request.action == INSTALL),
            reference: text("ref"),
            names: names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            all: parameters.get("all").and_then(Value::as_bool).unwrap_or_default(),
            scope,
        })
    }
}

/// Leaves a wish in the books; gives the request and the refusal that says so.
///
/// # Errors
/// Where it cannot be written.
pub async fn wish(
    books: &Books,
    now: Timestamp,
    by: &Principal,
    workspace: &Path,
    wish: &InstallWish,
) -> Result<(String, Refusal), Refusal> {
    let subject = wish.source.clone().unwrap_or_else(|| wish.names.join(","));
    let parameters = wish.parameters();
    let workspace = workspace.to_string_lossy().into_owned();
    let decided =
        json!({"version": 1, "action": wish.action(), "parameters": parameters, "workspace": workspace});
    let shown = Shown {
        source: wish.source.clone().unwrap_or_default(),
        command: wish.command(),
        parameters: parameters.into_iter().collect(),
        ..Shown::default()
    };
    let matter = Matter {
        action: wish.action().to_owned(),
        agent: by.agent.clone(),
        skill: subject.clone(),
        security_hash: None,
        workspace,
        plan: Digest::of(canonical::text_of(&decided).as_bytes()),
        shown: shown.to_value(),
    };
    let entry = Entry {
        skill: Some(SkillRef { name: subject, security_hash: None }),
        ..Entry::new(Kind::Asked, Code::ApprovalRequired.as_str(), by.clone())
    };
    let asked = books.ledger.ask(now, matter, now.after(WISH_LASTS), entry).await;
    let (asked, _) = asked.map_err(|error| books.refusal(error))?;
    let message = format!("an admin must approve it first; `guild approve {}` answers", asked.id);
    Ok((asked.id.to_string(), Refusal::new(Code::ApprovalRequired, message)))
}
