//! The books of a test's person: what is asked of them there, and what they show with everything that differs replaced.

use crate::env;
use guild_engine::ledger::receipt::{Entry, Kind, SkillRef};
use guild_engine::ledger::{Matter, RUN, RunId, Timestamp};
use guild_engine::manifest::Digest;
use guild_engine::manifest::config::Layer;
use guild_engine::{
    Books, Capability, ChangedFile, ConfigFile, Places, Principal, Shown, ShownFinding, configure,
};
use guild_testkit::{Env, session};
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// What is replaced by its kind and a number, in the order in which it appears.
const IDS: &[(&str, usize)] = &[
    ("rcp_", 26),
    ("run_", 26),
    ("chg_", 26),
    ("grt_", 26),
    ("fbk_", 26),
    ("apr_", 26),
    ("tok_", 26),
    ("sup_", 26),
    ("reg_", 26),
    ("ins_", 32),
    ("ed25519:", 64),
];

/// A person's desk.
pub struct Desk {
    pub env: Env,
}

impl Desk {
    pub fn new(files: &str) -> Self {
        Self { env: env(files) }
    }

    /// Does something with the books, as another process would.
    #[track_caller]
    pub fn books<T>(&self, with: impl AsyncFnOnce(&Books) -> T) -> T {
        let share = |name: &str| Some(self.env.home().join(".local").join(name).join("guild"));
        let places = Places { data: share("share"), state: share("state"), cache: None };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let config = configure(&self.config()).config;
        runtime.block_on(async {
            let books = Books::open(&places, &config, &[]).await.unwrap();
            let done = with(&books).await;
            books.ledger.close().await.unwrap();
            done
        })
    }

    /// The person's own configuration, where they have one.
    fn config(&self) -> Vec<ConfigFile> {
        let path = self.env.home().join(".config/guild/config.toml");
        let content = std::fs::read(&path).map_err(|error| error.to_string());
        let path = path.to_string_lossy().into_owned();
        if content.is_ok() { vec![ConfigFile { layer: Layer::User, path, content }] } else { Vec::new() }
    }

    /// An agent asks to run a skill, and waits; the id of the request.
    #[track_caller]
    pub fn asked(&self, skill: &str, shown: Value, wait: Duration) -> String {
        let now = now();
        let hash = Digest::of(skill.as_bytes());
        let matter = Matter {
            action: RUN.to_owned(),
            agent: "writer".to_owned(),
            skill: skill.to_owned(),
            security_hash: Some(hash),
            workspace: "/project".to_owned(),
            plan: Digest::of(b"the plan"),
            shown,
        };
        let entry = Entry {
            skill: Some(SkillRef { name: skill.to_owned(), security_hash: Some(hash) }),
            ..Entry::new(Kind::Asked, "approval_required", Principal::agent("writer", "mcp"))
        };
        let asked = self.books(async |books| books.ledger.ask(now, matter, now.after(wait), entry).await);
        asked.unwrap().0.id.to_string()
    }

    /// A run begins, and its process is gone.
    #[track_caller]
    pub fn crashed(&self, skill: &str) -> RunId {
        let run = RunId::new(now()).unwrap();
        let entry = Entry {
            skill: Some(SkillRef { name: skill.to_owned(), security_hash: None }),
            ..Entry::new(Kind::Started, "ok", Principal::agent("writer", "mcp"))
        };
        self.books(async |books| books.ledger.start(now(), run, entry, None).await.map(drop)).unwrap();
        run
    }

    /// A session, with ids and times replaced; `$ID` in it stands for `id`.
    #[track_caller]
    pub fn session(&self, id: &str, script: &str) -> String {
        masked(&session(&self.env, &script.replace("$ID", id)))
    }
}

/// What is shown about a run, everything in it.
pub fn shown() -> Shown {
    Shown {
        asks: None,
        source: "project · /project/.guild/skills/report".to_owned(),
        command: ["bash", "-lc", "cd /skill && bash report.sh --title 'a b'"].map(str::to_owned).to_vec(),
        parameters: [("title".to_owned(), "a b".into())].into(),
        capabilities: vec![
            Capability { name: "workspace".to_owned(), value: "read".to_owned(), is_new: false },
            Capability {
                name: "network".to_owned(),
                value: "host, which reaches local services too".to_owned(),
                is_new: true,
            },
        ],
        approved: Some("sha256:0123".to_owned()),
        changed: vec![ChangedFile { path: "report.sh".to_owned(), change: "changed".to_owned() }],
        findings: vec![ShownFinding {
            code: "warn.network.egress".to_owned(),
            severity: "warn".to_owned(),
            path: "report.sh".to_owned(),
            line: 3,
            message: "sends something".to_owned(),
            evidence: "curl -d @out".to_owned(),
        }],
    }
}

pub const HOUR: Duration = Duration::from_secs(3600);

pub fn now() -> Timestamp {
    #[expect(clippy::disallowed_methods, reason = "the command under test reads the same clock")]
    SystemTime::now().into()
}

/// The text with every id, key, digest and time replaced by what it is.
pub fn masked(text: &str) -> String {
    mask_words(&nameless(text), &[("sha256:", 64)])
}

/// The text with every id, key and time replaced by what it is.
pub fn nameless(text: &str) -> String {
    mask_times(&mask_words(text, IDS))
}

fn mask_words(text: &str, words: &[(&str, usize)]) -> String {
    let mut text = text.to_owned();
    for &(prefix, length) in words {
        let mut seen: Vec<String> = Vec::new();
        let is_id =
            |tail: &str| tail.len() == length && tail.bytes().all(|byte| byte.is_ascii_alphanumeric());
        while let Some(at) = text
            .match_indices(prefix)
            .map(|(at, _)| at)
            .find(|at| text.get(at + prefix.len()..at + prefix.len() + length).is_some_and(is_id))
        {
            let id = text[at..at + prefix.len() + length].to_owned();
            seen.push(id.clone());
            let word = prefix.trim_end_matches(['_', ':']).to_uppercase();
            text = text.replace(&id, &format!("[{word} {}]", seen.len()));
        }
    }
    text
}

fn mask_times(text: &str) -> String {
    const PATTERN: &str = "0000-00-00T00:00:00.000Z";
    let fits = |piece: &str| {
        piece
            .bytes()
            .zip(PATTERN.bytes())
            .all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { byte == like })
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if rest.get(..PATTERN.len()).is_some_and(fits) {
            out.push_str("[TIME]");
            rest = &rest[PATTERN.len()..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}
