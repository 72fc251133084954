//! What a skill declares it needs to run: script or tool, parameters, result, workspace, network, environment, limits.
//!
//! A contract that cannot be read excludes the skill: what cannot be read cannot be enforced.

mod capabilities;
mod limits;

use super::{Kind, Params, keys, kind, list_of, params, text_of};
use crate::tree::{Data, Map, Node};
use crate::{Code, Pos, Problem, coerce};
use serde::{Deserialize, Serialize};

pub use limits::Limits;

/// What a skill declares; every field absent means the safest default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Contract {
    /// The script inside the skill's directory.
    pub script: Option<String>,
    /// The image role that the script runs in.
    pub image_role: Option<String>,
    /// How long a run may take and what it may use.
    pub limits: Limits,
    /// Typed parameters.
    pub params: Option<Params>,
    /// JSON Schema of the result.
    pub outputs: Option<Data>,
    /// Tools the skill may call, as `provider:tool`.
    pub tools: Vec<String>,
    /// The one tool that a tool skill dispatches to.
    pub dispatch: Option<Dispatch>,
    /// The slash command that calls it.
    pub command: Option<String>,
    /// Access to the caller's workspace.
    pub workspace: Workspace,
    /// Access to the network.
    pub network: Network,
    /// Names of environment variables that reach the container.
    pub env: Vec<String>,
    /// The execution profile.
    pub profile: Option<String>,
    /// A code-backed entry point and the files it consists of.
    pub entrypoint: Option<Entrypoint>,
}

/// The tool that a skill dispatches to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    /// Who offers the tool.
    pub provider: String,
    /// The tool's name there.
    pub tool: String,
}

/// A code-backed skill's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrypoint {
    /// The file that is run.
    pub file: String,
    /// Source files beside it.
    pub source_files: Vec<String>,
    /// Data files that decide behaviour.
    pub asset_files: Vec<String>,
}

/// Access to the caller's workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Workspace {
    /// Not mounted.
    None,
    /// Mounted read-only.
    #[default]
    Read,
    /// Mounted as a copy-on-write layer.
    Write,
}

/// Access to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Network {
    /// No sockets at all.
    #[default]
    None,
    /// The host's network, local services included.
    Host,
}

impl Workspace {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

impl Network {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Host => "host",
        }
    }
}

/// Reads the contract; `None` where nothing is declared.
pub fn read(map: &Map, problems: &mut Vec<Problem>) -> Option<Contract> {
    let mut found = Vec::new();
    let mut contract = Contract {
        script: inside(map, "script", &mut found),
        image_role: word_of(map, "sandbox_image_role", &mut found),
        limits: limits::read(map, &mut found),
        params: params::read(map, problems),
        outputs: params::outputs(map, problems),
        command: command(map, problems),
        ..Contract::default()
    };
    capabilities::read(map, &mut contract, &mut found);
    entrypoint(map, &mut contract, &mut found);
    contract.dispatch = dispatch(map, &contract, &mut found);
    if kind::stated_mode(map) == Some(Kind::Script) && map.get("script").is_none_or(Node::is_null) {
        let message = "`invocation_mode` runs a script, but `script` names none";
        found.push(malformed(map, "invocation_mode", message, "add `script: scripts/run.sh`"));
    }
    // A value of the wrong type would fall back to a default that nobody declared.
    problems.extend(found.into_iter().map(|problem| match problem.code {
        Code::ValueInvalid => refused(problem),
        _ => problem,
    }));
    (contract != Contract::default()).then_some(contract)
}

/// The slash command, with or without its slash; one that nobody could type is told and ignored.
fn command(map: &Map, problems: &mut Vec<Problem>) -> Option<String> {
    let written = word_of(map, "command", problems)?;
    let word = written.strip_prefix('/').unwrap_or(&written);
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    if !word.is_empty() && word.chars().all(is_letter) {
        return Some(word.to_owned());
    }
    let at = map.get("command").map_or(Pos::START, |node| node.at);
    let message = format!("`{written}` cannot be a slash command; it was ignored");
    let hint = "use lower-case letters, digits, `-` and `_`";
    problems.push(Problem::new(Code::ValueInvalid, at, message, hint));
    None
}

/// A value that is ignored elsewhere makes a contract malformed.
fn refused(mut problem: Problem) -> Problem {
    let kept = problem.message.trim_end_matches("; it was ignored").len();
    problem.message.truncate(kept);
    problem.with_code(Code::ContractInvalid)
}

/// One word or path; a list is a problem and no value, since joining its entries would make up another.
fn word_of(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let node = map.get(key)?;
    if node.as_list().is_some() {
        problems.push(coerce::wrong(key, node, "text"));
        return None;
    }
    text_of(map, key, problems)
}

/// A path inside the skill's directory; one that leaves it is a problem.
fn inside(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let path = word_of(map, key, problems)?;
    let file = path.trim_start_matches("./");
    if file.is_empty() || file == "." || file.ends_with('/') {
        let message = format!("`{key}` is `{path}`, which names no file");
        problems.push(malformed(map, key, message, "name a file inside the skill, such as `scripts/run.sh`"));
        return None;
    }
    if stays_inside(&path) {
        return Some(file.to_owned());
    }
    let message = format!("`{key}` is `{path}`, which leaves the skill's directory");
    problems.push(malformed(map, key, message, "name a file inside the skill, such as `scripts/run.sh`"));
    None
}

/// Whether a path, taken from a skill's directory, leads nowhere else.
pub(super) fn stays_inside(path: &str) -> bool {
    !path.starts_with('/') && !path.contains('\\') && path.split('/').all(|part| part != "..")
}

/// `plugin: {entrypoint, source_files, asset_files, profile, write_access, env_allowlist}`.
fn entrypoint(map: &Map, contract: &mut Contract, problems: &mut Vec<Problem>) {
    const KEYS: &[&str] =
        &["entrypoint", "source_files", "asset_files", "profile", "write_access", "env_allowlist"];
    let Some(section) = section(map, "plugin", problems) else { return };
    keys::check_section(section, "plugin", KEYS, problems);
    let source_files = list_of(section, "source_files", problems);
    let asset_files = list_of(section, "asset_files", problems);
    for path in source_files.iter().chain(&asset_files).filter(|path| !stays_inside(path)) {
        let message = format!("`{path}` leaves the skill's directory");
        problems.push(malformed(map, "plugin", message, "list files inside the skill only"));
    }
    if let Some(file) = inside(section, "entrypoint", problems) {
        contract.entrypoint = Some(Entrypoint { file, source_files, asset_files });
    }
    contract.profile = profile(section, problems);
    contract.env.extend(capabilities::environment(section, "env_allowlist", problems));
    if super::flag(section, "write_access", problems) == Some(true) {
        let narrower = capabilities::stated_workspace(map).filter(|stated| *stated != Workspace::Write);
        if let Some(stated) = narrower {
            let message = format!("`write_access` contradicts `capabilities.workspace: {}`", stated.as_str());
            problems.push(malformed(section, "write_access", message, "keep one of the two"));
        }
        contract.workspace = Workspace::Write;
    }
}

fn profile(section: &Map, problems: &mut Vec<Problem>) -> Option<String> {
    let profile = word_of(section, "profile", problems)?;
    if profile != "safe_eval" {
        let at = section.get("profile").map_or(Pos::START, |node| node.at);
        let message = format!("there is no execution profile `{profile}`");
        problems.push(Problem::new(
            Code::ProfileUnknown,
            at,
            message,
            "use `safe_eval`, or leave the key out",
        ));
    }
    Some(profile)
}

/// The tool a skill dispatches to: declared by a contract, or named by OpenClaw's `command-dispatch: tool`.
fn dispatch(map: &Map, contract: &Contract, problems: &mut Vec<Problem>) -> Option<Dispatch> {
    let by_mode = kind::stated_mode(map) == Some(Kind::Tool);
    let by_command =
        word_of(map, "command-dispatch", problems).is_some_and(|word| word.eq_ignore_ascii_case("tool"));
    let Some(tool) = word_of(map, "command_tool", problems) else {
        if by_mode || by_command {
            let key = if by_mode { "invocation_mode" } else { "command-dispatch" };
            let message = format!("`{key}` dispatches to a tool, but `command_tool` names none");
            problems.push(malformed(map, key, message, "add `command_tool: <tool>`"));
        }
        return None;
    };
    let provider = word_of(map, "command_tool_provider", problems).unwrap_or_else(|| "builtin".to_owned());
    if !is_provider(&provider) {
        let message = format!("`{provider}` is no provider's name");
        problems.push(malformed(
            map,
            "command_tool_provider",
            message,
            "use lower-case letters, digits and `_`",
        ));
    }
    let qualified = format!("{provider}:{tool}");
    let declared = contract.tools.iter().any(|known| *known == tool || *known == qualified);
    if by_mode && !declared {
        let at = map.get("command_tool").map_or(Pos::START, |node| node.at);
        let message =
            format!("`command_tool` is `{tool}`, which `capabilities.declared_tools` does not declare");
        problems.push(Problem::new(
            Code::ToolUndeclared,
            at,
            message,
            format!("declare `{qualified}` there"),
        ));
    }
    // A name with a slash is a tool of a plugin; one without is the skill's own.
    if provider == "plugin" && contract.entrypoint.is_none() && !tool.contains('/') {
        let message = "the provider is `plugin`, but `plugin.entrypoint` is missing";
        problems.push(malformed(
            map,
            "command_tool_provider",
            message.to_owned(),
            "add `plugin: {entrypoint: run.py}`",
        ));
    }
    Some(Dispatch { provider, tool })
}

fn is_provider(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The mapping under `key`; anything else there is a malformed contract.
fn section<'a>(map: &'a Map, key: &str, problems: &mut Vec<Problem>) -> Option<&'a Map> {
    let node = map.get(key).filter(|node| !node.is_null())?;
    let section = Node::as_map(node);
    if section.is_none() {
        let message = format!("`{key}` is {}, not a mapping", node.what());
        problems.push(malformed(map, key, message, "write `key: value` lines below it"));
    }
    section
}

fn malformed(map: &Map, key: &str, message: impl Into<String>, hint: &str) -> Problem {
    let at = map.entry(key).map_or(Pos::START, |entry| entry.value.at);
    Problem::new(Code::ContractInvalid, at, message, hint)
}
