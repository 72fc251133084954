//! A skill: what `SKILL.md` says in anybody's dialect, as one type.
//!
//! [`read`] takes bytes and gives a [`Reading`]. It opens no file and decides nothing about this machine: whether
//! the skill is eligible here, shadowed or switched off is the catalog's to say.

mod body;
mod contract;
mod hints;
mod keys;
mod kind;
mod name;
mod params;
mod profile;
mod requirements;
mod schema;
mod sidecar;

use crate::glob::Pattern;
use crate::tree::{Map, Node};
use crate::{Code, Pos, Problem, coerce, frontmatter, text};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

pub use contract::{Contract, Dispatch, Entrypoint, Limits, Network, Workspace};
pub use hints::Hints;
pub use keys::KNOWN_KEYS;
pub use kind::Kind;
pub use name::is_usable as is_usable_name;
pub use params::{Param, Params};
pub use profile::Profile;
pub use requirements::{InstallStep, Requirements};
pub use schema::type_name;

/// How large a skill file may be unless the configuration says otherwise.
pub const MAX_FILE_BYTES: usize = 256 * 1024;

/// Everything a skill's file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// The identifier that lists show and commands take.
    pub name: String,
    /// Other names that find it: the directory's, the one in the file.
    pub aliases: Vec<String>,
    /// A name for people, where the file's own name cannot serve as an identifier.
    pub title: Option<String>,
    /// What it does; empty where the file does not say.
    pub description: String,
    /// When to reach for it.
    pub when_to_use: Option<String>,
    /// How it runs.
    pub kind: Kind,
    /// Whether models may be told of it and may run it.
    pub model_invocable: bool,
    /// Whether people may call it by name.
    pub user_invocable: bool,
    /// Globs of files that call for it.
    pub paths: Vec<String>,
    /// What it asks of the machine, if anything.
    pub requirements: Option<Box<Requirements>>,
    /// What it declares it needs to run; `None` means the safest default.
    pub contract: Option<Box<Contract>>,
}

/// Where a skill's text comes from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file's name in problems.
    pub file: &'a str,
    /// The directory's name, or the file's without its extension for a flat skill.
    pub stem: &'a str,
    /// The file's bytes.
    pub bytes: &'a [u8],
    /// The bytes of `agents/openai.yaml` beside it, if there.
    pub sidecar: Option<&'a [u8]>,
    /// How many bytes the file may have.
    pub max_bytes: usize,
    /// As what it is read.
    pub form: Form,
}

/// As what a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// A skill, whose own text says how it runs.
    #[default]
    Skill,
    /// An agent that a plugin ships: always a child agent, and `tools` scopes it as `allowed-tools` does.
    Agent,
}

impl<'a> Source<'a> {
    /// A source without sidecar and with the usual limit.
    pub const fn new(file: &'a str, stem: &'a str, bytes: &'a [u8]) -> Self {
        Self { file, stem, bytes, sidecar: None, max_bytes: MAX_FILE_BYTES, form: Form::Skill }
    }
}

/// What came of reading a skill.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The skill, unless a problem excludes it.
    pub skill: Option<Skill>,
    /// What it tells hosts and people beyond that; few ask for it, so that catalogs need not keep it with the skill.
    pub hints: Option<Hints>,
    /// The frontmatter as written, keys that mean nothing to us included; empty where it cannot be read.
    pub frontmatter: Map,
    /// The instructions below the frontmatter.
    pub body: Cow<'a, str>,
    /// The line of the file on which the body begins.
    pub body_line: u32,
    /// Everything that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
}

impl Skill {
    /// Whether an activation glob matches a file, given relative to the workspace.
    ///
    /// `**/` matches no directory too, and a pattern without a slash is measured by the file's name alone. `./` at its start
    /// means nothing, and a slash at its end all that is below.
    pub fn matches_path(&self, file: &Path) -> bool {
        self.paths.iter().any(|written| {
            let pattern = written.strip_prefix("./").unwrap_or(written);
            let below = pattern.strip_suffix('/').map(|directory| format!("{directory}/**"));
            let pattern = Pattern::new(below.as_deref().unwrap_or(pattern));
            let subject = if written.contains('/') { Some(file) } else { file.file_name().map(Path::new) };
            pattern.ok().zip(subject).is_some_and(|(pattern, subject)| pattern.matches(subject))
        })
    }
}

/// Reads a skill under a profile.
pub fn read<'a>(source: &Source<'a>, profile: Profile) -> Reading<'a> {
    let mut reading = match text::decode(source.bytes, source.max_bytes) {
        Ok(decoded) => read_text(source, decoded, profile),
        Err(problem) => Reading { problems: vec![problem], ..Reading::default() },
    };
    profile.weigh(&mut reading.problems);
    reading.problems.sort_by(|a, b| (&a.file, a.at, a.code).cmp(&(&b.file, b.at, b.code)));
    for problem in &mut reading.problems {
        if problem.file.is_empty() {
            source.file.clone_into(&mut problem.file);
        }
    }
    if reading.problems.iter().any(Problem::excludes) {
        reading.skill = None;
    }
    reading
}

impl Default for Reading<'_> {
    /// The reading of nothing.
    fn default() -> Self {
        let (frontmatter, problems) = (Map::default(), Vec::new());
        Self { skill: None, hints: None, frontmatter, body: Cow::Borrowed(""), body_line: 1, problems }
    }
}

fn read_text<'a>(source: &Source<'a>, decoded: text::Text<'a>, profile: Profile) -> Reading<'a> {
    let text::Text { text, mut problems } = decoded;
    let parts = match frontmatter::read(&text) {
        Ok(parts) => parts,
        Err(problem) => {
            problems.push(problem);
            return Reading { body: text, problems, ..Reading::default() };
        }
    };
    problems.extend(parts.problems);
    problems.extend(body::check(parts.body, parts.body_line));
    let (mut skill, mut hints) = (None, None);
    if let Some(map) = &parts.map {
        let is_plain = keys::are_plain(map);
        skill = Some(from_map(map, parts.at, source, is_plain, &mut problems));
        hints = hints::read(map, source.form, is_plain, &mut problems);
        if !is_plain {
            keys::check(map, &mut problems);
        }
        profile.check(map, parts.at, source.stem, &mut problems);
    }
    let frontmatter = parts.map.unwrap_or_default();
    let (body_line, body_start) = (parts.body_line, text.len() - parts.body.len());
    let body = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(body_start..).unwrap_or_default()),
        Cow::Owned(text) => Cow::Owned(text.get(body_start..).unwrap_or_default().to_owned()),
    };
    Reading { skill, hints, frontmatter, body, body_line, problems }
}

fn from_map(map: &Map, at: Pos, source: &Source<'_>, is_plain: bool, problems: &mut Vec<Problem>) -> Skill {
    let names = name::resolve(map, at, source, problems);
    let metadata = requirements::metadata(map, problems);
    let policy = source.sidecar.map(|bytes| sidecar::read(bytes, problems)).unwrap_or_default();
    let mut skill = Skill {
        name: names.name,
        aliases: names.aliases,
        title: names.title,
        description: description(map, at, problems),
        when_to_use: None,
        kind: if source.form == Form::Agent { Kind::Subagent } else { Kind::Inline },
        model_invocable: !policy.hidden_from_models,
        user_invocable: true,
        paths: Vec::new(),
        requirements: None,
        contract: None,
    };
    if metadata.is_some() || !is_plain {
        skill.requirements = requirements::read(map, metadata.as_deref(), problems).map(Box::new);
    }
    if !is_plain {
        declare(&mut skill, map, source.form, problems);
    }
    skill
}

/// Adds what stands under keys that plain files do not have.
fn declare(skill: &mut Skill, map: &Map, form: Form, problems: &mut Vec<Problem>) {
    skill.model_invocable &= flag(map, "disable-model-invocation", problems) != Some(true);
    skill.when_to_use = text_of(map, "when_to_use", problems);
    skill.user_invocable = flag(map, "user-invocable", problems).unwrap_or(true);
    skill.paths = kind::globs(map, problems);
    skill.contract = contract::read(map, problems).map(Box::new);
    if form == Form::Skill {
        skill.kind = kind::decide(map, skill.contract.as_deref(), problems);
    }
}

fn description(map: &Map, at: Pos, problems: &mut Vec<Problem>) -> String {
    let text = text_of(map, "description", problems).unwrap_or_default();
    if text.is_empty() {
        let at = map.entry("description").map_or(at, |entry| entry.key_at);
        let message = "the skill has no description, so models are not told of it";
        let hint = "add `description:` with what it does and when to use it";
        problems.push(Problem::new(Code::DescriptionMissing, at, message, hint));
    }
    text
}

/// The text under `key`; lists are joined by line breaks, and anything else is a problem.
#[inline]
fn text_of(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
    map.get(key).filter(|node| !node.is_null()).and_then(|node| text_in(node, key, problems))
}

fn text_in(node: &Node, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let text = coerce::text(node, "\n");
    if text.is_none() {
        problems.push(coerce::wrong(key, node, "text"));
    }
    text.filter(|text| !text.is_empty())
}

/// The boolean under `key`; a word that is no boolean is a problem and no value.
fn flag(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Option<bool> {
    let node = map.get(key).filter(|node| !node.is_null())?;
    let value = coerce::boolean(node);
    if value.is_none() {
        problems.push(coerce::wrong(key, node, "true or false"));
    }
    value
}

/// The list under `key`, in any spelling; a mapping there is a problem.
fn list_of(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    let Some(node) = map.get(key) else { return Vec::new() };
    if node.as_map().is_some() {
        problems.push(coerce::wrong(key, node, "a list"));
    }
    for item in node.as_list().unwrap_or_default().iter().filter(|item| item.as_scalar().is_none()) {
        let message = format!("an entry of `{key}` is {}, but takes text; it was ignored", item.what());
        problems.push(Problem::new(Code::ValueInvalid, item.at, message, "put quotes around the entry"));
    }
    coerce::list(node)
}
