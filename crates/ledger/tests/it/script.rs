//! A ledger's day as text: one line, one call, and what came of it behind an arrow.
//!
//! Names stand for ids: `give once g1` makes a grant that later lines call `g1`. What a line leaves out is the same everywhere:
//! agent `a`, skill `s`, state `1`, workspace `/w`, plan `p`. Time stands still but for `wait`.

mod words;

use std::collections::BTreeMap;

use expect_test::Expect;
use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{
    Answer, Filter, Grant, GrantId, Ledger, Matter, Mode, NewGrant, RequestId, RunId, Standing, StartError,
    State, Timestamp,
};
use guild_manifest::Digest;

use crate::site::{Site, agent, at};
use words::Words;

/// Runs a script at a site and compares what came of each line.
pub async fn check(site: &Site, script: &str, expect: Expect) {
    let mut day = Day::begin(site).await;
    let mut shown = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let answer = day.call(&Words::of(line)).await;
        shown.push_str(&format!("{line} → {answer}\n"));
    }
    expect.assert_eq(&shown);
    let report = day.ledger.verify().await.unwrap();
    assert!(report.is_whole(), "{report:?}");
}

struct Day {
    site: Site,
    ledger: Ledger,
    minute: u64,
    grants: BTreeMap<String, GrantId>,
    requests: BTreeMap<String, RequestId>,
    runs: BTreeMap<String, RunId>,
}

impl Day {
    async fn begin(site: &Site) -> Self {
        let (grants, requests, runs) = Default::default();
        Self { site: site.clone(), ledger: site.open().await, minute: 0, grants, requests, runs }
    }

    async fn call(&mut self, words: &Words<'_>) -> String {
        match words.verb {
            "give" => self.give(words).await,
            "revoke" => shown(
                self.ledger.revoke(self.now(), self.grants[words.name(0)], words.principal()).await.map(code),
            ),
            "lift" => shown(
                self.ledger.lift(self.now(), self.grants[words.name(0)], words.principal()).await.map(code),
            ),
            "grants" => self.list_grants().await,
            "standing" => self.standing(words).await,
            "start" => self.start(words).await,
            "finish" => {
                shown(self.ledger.finish(self.now(), self.run(words), self.entry(words)).await.map(kind))
            }
            "interrupt" => {
                shown(self.ledger.interrupt(self.now(), self.run(words), self.entry(words)).await.map(kind))
            }
            "unfinished" => self.unfinished().await,
            "ask" => self.ask(words).await,
            "decide" => self.decide(words).await,
            "request" => self.request(words).await,
            "pending" => self.pending().await,
            "deny" => shown(self.ledger.append(self.now(), self.entry(words)).await.map(kind)),
            "receipts" => self.receipts(words).await,
            "wait" => self.wait(words),
            "reopen" => self.reopen().await,
            other => panic!("no such verb: {other}"),
        }
    }

    async fn give(&mut self, words: &Words<'_>) -> String {
        let mode = match words.name(0) {
            "once" => Mode::RunOnce { plan: words.digest("plan", "p") },
            "always" => Mode::AlwaysAllow,
            "deny" => Mode::Deny,
            other => panic!("no such mode: {other}"),
        };
        let ask = words.run_that_is_wanted();
        let (agent, skill, security_hash) = (ask.agent, ask.skill, ask.security_hash);
        let expires = words.minutes("for").map(|minutes| at(self.minute + minutes));
        let new = NewGrant { agent, skill, security_hash, workspace: ask.workspace, mode, expires };
        match self.ledger.give(self.now(), new, words.principal()).await {
            Ok((grant, receipt)) => {
                self.grants.insert(words.name(1).to_owned(), grant.id);
                code(receipt)
            }
            Err(error) => self.named(&error.to_string()),
        }
    }

    async fn list_grants(&self) -> String {
        let grants = self.ledger.grants(self.now()).await.unwrap();
        listed(grants.iter().map(|grant| format!("{} {}", self.grant_name(grant), grant.mode.as_str())))
    }

    async fn standing(&self, words: &Words<'_>) -> String {
        let standing = self.ledger.standing(self.now(), &words.run_that_is_wanted()).await.unwrap();
        self.standing_shown(&standing)
    }

    async fn start(&mut self, words: &Words<'_>) -> String {
        let now = self.now();
        let run = *self.runs.entry(words.name(0).to_owned()).or_insert_with(|| RunId::new(now).unwrap());
        let ask = words.run_that_is_wanted();
        let needs = if words.says("freely") { None } else { Some(&ask) };
        match self.ledger.start(now, run, self.entry(words), needs).await {
            Ok(started) => match started.grant {
                Some(grant) => format!("started by {}", self.grant_name(&grant)),
                None => "started".to_owned(),
            },
            Err(StartError::NotAllowed(standing)) => format!("refused: {}", self.standing_shown(&standing)),
            Err(error) => self.named(&error.to_string()),
        }
    }

    async fn unfinished(&self) -> String {
        let receipts = self.ledger.unfinished().await.unwrap();
        let name = |run: Option<RunId>| self.runs.iter().find(|(_, id)| Some(**id) == run).unwrap().0.clone();
        listed(receipts.iter().map(|signed| name(signed.receipt.entry.run)))
    }

    async fn ask(&mut self, words: &Words<'_>) -> String {
        let wanted = words.run_that_is_wanted();
        let matter = Matter {
            action: words.value("action").unwrap_or("run").to_owned(),
            agent: wanted.agent,
            skill: wanted.skill,
            security_hash: (words.value("hash") != Some("none")).then_some(wanted.security_hash),
            workspace: wanted.workspace,
            plan: wanted.plan,
            shown: serde_json::json!({"command": "bash run.sh"}),
        };
        let expires = at(self.minute + words.minutes("for").unwrap_or(10));
        let (request, _) = self.ledger.ask(self.now(), matter, expires, self.entry(words)).await.unwrap();
        let known = self.requests.iter().find(|(_, id)| **id == request.id).map(|(name, _)| name.clone());
        self.requests.insert(words.name(0).to_owned(), request.id);
        known.map_or("asked".to_owned(), |name| format!("asked already: {name}"))
    }

    async fn decide(&mut self, words: &Words<'_>) -> String {
        let expires = words.minutes("for").map(|minutes| at(self.minute + minutes));
        let answer = match words.name(1) {
            "once" => Answer::Once { expires },
            "always" => Answer::Always { expires },
            _ => Answer::Deny,
        };
        let id = self.requests[words.name(0)];
        match self.ledger.decide(self.now(), id, answer, words.principal()).await {
            Ok(decided) => {
                let name = words.names.get(2).copied().unwrap_or("?");
                let given = decided.grant.map(|grant| self.grants.insert(name.to_owned(), grant.id));
                format!("{}{}", code(decided.receipt), given.map_or("", |_| ", and a grant"))
            }
            Err(error) => self.named(&error.to_string()),
        }
    }

    async fn request(&self, words: &Words<'_>) -> String {
        let id = self.requests[words.name(0)];
        match self.ledger.request(self.now(), id).await.unwrap().unwrap().state {
            State::Pending => "pending".to_owned(),
            State::Expired => "expired".to_owned(),
            State::Untrusted => "untrusted".to_owned(),
            State::Decided { receipt, .. } => format!("decided: {}", code(*receipt)),
        }
    }

    async fn pending(&self) -> String {
        let requests = self.ledger.pending(self.now()).await.unwrap();
        let name = |id: RequestId| self.requests.iter().find(|(_, known)| **known == id).unwrap().0.clone();
        listed(requests.iter().map(|request| name(request.id)))
    }

    /// All pages, each in brackets.
    async fn receipts(&self, words: &Words<'_>) -> String {
        let text = |key| words.value(key).map(str::to_owned);
        let run = words.value("run").map(|run| self.runs[run]);
        let since = words.minutes("since").map(at);
        let kind = words.value("kind").and_then(|word| Kind::ALL.iter().find(|kind| kind.as_str() == word));
        let (kind, skill, agent, code) = (kind.copied(), text("skill"), text("agent"), text("code"));
        let filter = Filter { kind, skill, agent, code, run, since };
        let limit = words.minutes("limit").unwrap_or(100).try_into().unwrap();
        let (mut shown, mut cursor) = (String::new(), None);
        loop {
            let page = self.ledger.receipts(&filter, cursor.as_deref(), limit).await.unwrap();
            let numbers = page.receipts.iter().map(|signed| signed.receipt.seq.to_string());
            shown.push_str(&format!("[{}]", numbers.collect::<Vec<_>>().join(" ")));
            cursor = page.next;
            if cursor.is_none() {
                return shown;
            }
        }
    }

    fn wait(&mut self, words: &Words<'_>) -> String {
        self.minute += words.name(0).parse::<u64>().unwrap();
        self.now().to_string()
    }

    async fn reopen(&mut self) -> String {
        let again = self.site.open().await;
        shown(std::mem::replace(&mut self.ledger, again).close().await.map(|()| "reopened".to_owned()))
    }

    fn now(&self) -> Timestamp {
        at(self.minute)
    }

    fn run(&self, words: &Words<'_>) -> RunId {
        self.runs.get(words.name(0)).copied().unwrap_or_else(|| RunId::new(self.now()).unwrap())
    }

    fn entry(&self, words: &Words<'_>) -> Entry {
        let ask = words.run_that_is_wanted();
        let code = words.value("code").unwrap_or("ok");
        let skill = SkillRef { name: ask.skill, security_hash: Some(ask.security_hash) };
        Entry { skill: Some(skill), ..Entry::new(Kind::Denied, code, agent(&ask.agent)) }
    }

    fn grant_name(&self, grant: &Grant) -> String {
        self.named(&grant.id.to_string())
    }

    fn standing_shown(&self, standing: &Standing) -> String {
        match standing {
            Standing::Allowed(grant) => format!("allowed by {}", self.grant_name(grant)),
            Standing::Denied(grant) => format!("denied by {}", self.grant_name(grant)),
            Standing::Undecided { approved: None } => "undecided".to_owned(),
            Standing::Undecided { approved: Some(hash) } => {
                let state =
                    (0..10).map(|state| state.to_string()).find(|it| Digest::of(it.as_bytes()) == *hash);
                format!("undecided, {} was approved", state.unwrap())
            }
        }
    }

    /// A text with names in place of ids.
    fn named(&self, text: &str) -> String {
        let grants = self.grants.iter().map(|(name, id)| (name, id.to_string()));
        let requests = self.requests.iter().map(|(name, id)| (name, id.to_string()));
        let runs = self.runs.iter().map(|(name, id)| (name, id.to_string()));
        grants.chain(requests).chain(runs).fold(text.to_owned(), |text, (name, id)| text.replace(&id, name))
    }
}

fn code(signed: guild_ledger::receipt::SignedReceipt) -> String {
    signed.receipt.entry.code
}

fn kind(signed: guild_ledger::receipt::SignedReceipt) -> String {
    signed.receipt.entry.kind.as_str().to_owned()
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn shown<E: std::fmt::Display>(result: Result<String, E>) -> String {
    result.unwrap_or_else(|error| {
        // Ids differ from run to run.
        let words = error.to_string();
        let word = |word: &str| {
            if word.contains('_') && word.len() > 25 { "[id]".to_owned() } else { word.to_owned() }
        };
        words.split(' ').map(word).collect::<Vec<_>>().join(" ")
    })
}
