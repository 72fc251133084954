//! What the person's and the machine's configuration say of the books: `[ledger]`, `[trust]` and `[approvals]`.
//!
//! A project's file cannot set any of it; the configuration's reader leaves it out. What cannot be understood is refused, not
//! replaced by a default: a ledger in another place, or a wider permission, is not what was meant.

use guild_ledger::{Location, PublicKey};
use guild_manifest::config::{Config, Layer, Section};
use guild_manifest::fold::nearest;
use guild_manifest::tree::Data;
use guild_manifest::{Code as ProblemCode, Pos, Problem};

use crate::hall::{ConfigFile, path_of};
use crate::{Code, Refusal};

/// The keys of each section.
const KEYS: &[(&str, &[&str])] =
    &[("ledger", &["url"]), ("trust", &["installations"]), ("approvals", &["flag", "prompt"])];

/// Where the ledger lies, and whom it trusts.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// `ledger.url`; the installation's own file where it is not set.
    pub location: Option<Location>,
    /// `trust.installations`, of all files together.
    pub trusted: Vec<PublicKey>,
    /// `[approvals]`.
    pub approvals: Approvals,
}

/// What a person's or the machine's configuration says of approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approvals {
    /// Whether a person may approve without a terminal. One file that says no is enough.
    pub flag: bool,
    /// Whether a person who is there is asked at once. One file that says no is enough; then everything waits as a request.
    pub prompt: bool,
}

impl Default for Approvals {
    fn default() -> Self {
        Self { flag: true, prompt: true }
    }
}

impl Approvals {
    /// What one more file says; it can only forbid.
    fn narrow(
        &mut self,
        flag: Option<&Data>,
        prompt: Option<&Data>,
    ) -> Result<(), (&'static str, &'static str)> {
        let said = |value: Option<&Data>| match value {
            None => Some(true),
            Some(Data::Bool(value)) => Some(*value),
            Some(_) => None,
        };
        self.flag &=
            said(flag).ok_or(("`approvals.flag` is neither true nor false", "write `flag = false`"))?;
        self.prompt &=
            said(prompt).ok_or(("`approvals.prompt` is neither true nor false", "write `prompt = false`"))?;
        Ok(())
    }
}

/// What holds, or why it cannot be told.
pub(super) fn read(config: &Config) -> Result<Settings, Refusal> {
    let (mut settings, mut wrong) = (Settings::default(), Vec::new());
    for section in sections(config) {
        read_section(section, &mut settings, &mut wrong);
    }
    match wrong.into_iter().next() {
        Some(Wrong { what, .. }) => Err(Refusal::new(
            Code::LedgerUnavailable,
            format!("the configuration cannot be followed: {what}"),
        )),
        None => Ok(settings),
    }
}

/// What is wrong with it. `files` says where each layer was read.
pub(crate) fn problems(config: &Config, files: &[ConfigFile]) -> Vec<Problem> {
    let mut wrong = Vec::new();
    for section in sections(config) {
        read_section(section, &mut Settings::default(), &mut wrong);
        wrong.extend(unknown_keys(section));
    }
    let problem = |wrong: Wrong| {
        Problem::new(wrong.code, Pos::START, wrong.what, wrong.hint).in_file(path_of(files, wrong.layer))
    };
    wrong.into_iter().map(problem).collect()
}

struct Wrong {
    layer: Layer,
    code: ProblemCode,
    what: String,
    hint: String,
}

fn sections(config: &Config) -> impl Iterator<Item = &Section> {
    let is_ours = |section: &&Section| keys_of(section.name).is_some() && section.layer != Layer::Project;
    config.sections.iter().filter(is_ours)
}

fn keys_of(section: &str) -> Option<&'static [&'static str]> {
    KEYS.iter().find(|(name, _)| *name == section).map(|(_, keys)| *keys)
}

fn read_section(section: &Section, settings: &mut Settings, wrong: &mut Vec<Wrong>) {
    let value = |key: &str| section.data.get(key);
    let (what, hint) = match section.name {
        "ledger" => match value("url").map(location) {
            None => return,
            Some(Some(location)) => return settings.location = Some(location),
            // The value itself is not shown: it may hold a password.
            Some(None) => ("`ledger.url` is no URL of PostgreSQL", "write `postgres://user@host/database`"),
        },
        "trust" => match value("installations").map(public_keys) {
            None => return,
            Some(Some(keys)) => return settings.trusted.extend(keys),
            Some(None) => (
                "`trust.installations` is no list of public keys",
                "write them like `ed25519:…`, as `guild receipts verify --json` shows them",
            ),
        },
        _ => match settings.approvals.narrow(value("flag"), value("prompt")) {
            Ok(()) => return,
            Err(wrong) => wrong,
        },
    };
    let code = ProblemCode::ConfigValueInvalid;
    wrong.push(Wrong { layer: section.layer, code, what: what.to_owned(), hint: hint.to_owned() });
}

fn unknown_keys(section: &Section) -> Vec<Wrong> {
    let known = keys_of(section.name).unwrap_or_default();
    let Data::Map(pairs) = &section.data else { return Vec::new() };
    let unknown = pairs.iter().map(|(key, _)| key).filter(|key| !known.contains(&key.as_str()));
    unknown
        .map(|key| Wrong {
            layer: section.layer,
            code: ProblemCode::ConfigKeyUnknown,
            what: format!("`{}.{key}` is not known and was ignored", section.name),
            hint: match nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys known here are: {}", known.join(", ")),
            },
        })
        .collect()
}

fn location(url: &Data) -> Option<Location> {
    let Data::Text(url) = url else { return None };
    let is_postgres = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
    is_postgres.then(|| Location::Postgres(url.clone()))
}

fn public_keys(keys: &Data) -> Option<Vec<PublicKey>> {
    let Data::List(keys) = keys else { return None };
    let key = |key: &Data| match key {
        Data::Text(key) => key.parse().ok(),
        _ => None,
    };
    keys.iter().map(key).collect()
}
