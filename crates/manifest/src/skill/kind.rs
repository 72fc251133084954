//! How a skill runs, and which files call for it.
//!
//! It starts nothing and opens none of those files.

use super::{Contract, text_of};
use crate::glob::Pattern;
use crate::tree::Map;
use crate::{Code, Pos, Problem, coerce};
use serde::{Deserialize, Serialize};

/// How much of a pattern that cannot be used is repeated.
const SHOWN: usize = 60;

/// How a skill runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Its text joins the conversation.
    Inline,
    /// An agent of its own gets the text and gives one answer.
    Subagent,
    /// Its script runs in a container.
    Script,
    /// It calls one tool of a provider.
    Tool,
}

impl Kind {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Subagent => "subagent",
            Self::Script => "script",
            Self::Tool => "tool",
        }
    }
}

/// Decides by the strongest sign: what is said outright, then fork or agent, then a tool, then a script.
pub fn decide(map: &Map, contract: Option<&Contract>, problems: &mut Vec<Problem>) -> Kind {
    let signs = signs(map, contract, problems);
    let Some((kind, _, key)) = signs.first().copied() else { return Kind::Inline };
    if let Some((other, at, other_key)) = signs.iter().find(|(other, ..)| *other != kind) {
        let message = format!(
            "`{key}` makes the skill {}, `{other_key}` makes it {}; the first counts",
            kind.as_str(),
            other.as_str()
        );
        let hint = format!("remove `{other_key}` or change `{key}`");
        problems.push(Problem::new(Code::KindConflict, *at, message, hint));
    }
    kind
}

type Sign = (Kind, Pos, &'static str);

/// Every sign of a kind in the file, strongest first.
fn signs(map: &Map, contract: Option<&Contract>, problems: &mut Vec<Problem>) -> Vec<Sign> {
    let at = |key: &str| map.entry(key).map_or(Pos::START, |entry| entry.key_at);
    let stated = |key: &'static str, kind: Option<Kind>| kind.map(|kind| (kind, at(key), key));
    let agent = text_of(map, "agent", problems).is_some();
    let dispatched = contract.is_some_and(|contract| contract.dispatch.is_some());
    let scripted = contract.is_some_and(|contract| contract.script.is_some());
    [
        stated("invocation_mode", invocation_mode(map, problems)),
        stated("runAs", run_as(map, problems)),
        stated("context", context(map, problems)),
        stated("agent", agent.then_some(Kind::Subagent)),
        stated("command_tool", dispatched.then_some(Kind::Tool)),
        stated("script", scripted.then_some(Kind::Script)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The kind that a word under `invocation_mode` stands for.
fn mode(word: &str) -> Option<Kind> {
    match word.to_ascii_lowercase().as_str() {
        "llm_orchestration" | "inline" => Some(Kind::Inline),
        "tool_dispatch" | "tool" => Some(Kind::Tool),
        "subagent" => Some(Kind::Subagent),
        "script" => Some(Kind::Script),
        _ => None,
    }
}

/// The kind that `invocation_mode` states, where it states one.
pub fn stated_mode(map: &Map) -> Option<Kind> {
    let node = map.get("invocation_mode")?;
    mode(node.as_scalar()?.text.trim())
}

fn invocation_mode(map: &Map, problems: &mut Vec<Problem>) -> Option<Kind> {
    let text = text_of(map, "invocation_mode", problems)?;
    let kind = mode(&text);
    if kind.is_none() {
        let at = map.get("invocation_mode").map_or(Pos::START, |node| node.at);
        let hint = "use llm_orchestration, tool_dispatch, inline, subagent, script or tool";
        problems.push(Problem::new(
            Code::ContractInvalid,
            at,
            format!("`{text}` is no invocation mode"),
            hint,
        ));
    }
    kind
}

fn run_as(map: &Map, problems: &mut Vec<Problem>) -> Option<Kind> {
    let text = text_of(map, "runAs", problems)?;
    match text.to_ascii_lowercase().as_str() {
        "subagent" => Some(Kind::Subagent),
        "inline" => Some(Kind::Inline),
        _ => {
            let node = map.get("runAs")?;
            problems.push(coerce::wrong("runAs", node, "`inline` or `subagent`"));
            None
        }
    }
}

fn context(map: &Map, problems: &mut Vec<Problem>) -> Option<Kind> {
    let text = text_of(map, "context", problems)?;
    if text.eq_ignore_ascii_case("fork") {
        return Some(Kind::Subagent);
    }
    if !text.eq_ignore_ascii_case("inline") {
        problems.push(coerce::wrong("context", map.get("context")?, "`fork`"));
    }
    None
}

/// The activation globs that can be used.
pub fn globs(map: &Map, problems: &mut Vec<Problem>) -> Vec<String> {
    let Some(node) = map.get("paths") else { return Vec::new() };
    if node.as_map().is_some() {
        problems.push(coerce::wrong("paths", node, "a glob or a list of globs"));
    }
    let mut globs = coerce::comma_list(node);
    globs.retain(|glob| match Pattern::check(glob) {
        Ok(()) => true,
        Err(reason) => {
            let shown: String = glob.chars().take(SHOWN).collect();
            let cut = if shown.len() < glob.len() { "…" } else { "" };
            let message = format!("`{shown}{cut}` is no valid glob: {reason}");
            problems.push(Problem::new(
                Code::GlobInvalid,
                node.at,
                message,
                "see `**/*.py` or `src/{a,b}/*.ts`",
            ));
            false
        }
    });
    globs
}
