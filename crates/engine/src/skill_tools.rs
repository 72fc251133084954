//! Skills that a person has chosen to be tools of their own (`mcp.skills`), with what their contracts say of them.
//!
//! A tool like this runs as its skill does, through the same gates. Names are made for every host; two skills of one name are no
//! tool at all, and that is told where it is configured, at the start of a server and to whoever calls it.

mod chosen;
mod name;

use std::collections::BTreeMap;

use guild_catalog::Entry;
use guild_manifest::config::Config;
use guild_manifest::skill::{Contract, Kind, Network, Workspace};
use guild_manifest::tree::Data;
use guild_manifest::{Code as ProblemCode, Pos, Problem};
use serde_json::{Map, Value, json};

use crate::agent::skills_of;
use crate::hall::{ConfigFile, Hall, path_of};
use crate::vet::Gate;
use crate::{Code, Refusal};

use chosen::picked;

/// Names that tools of our own have, whether they are shown or not.
pub const OWN_TOOLS: &[&str] = &[
    "skill_search",
    "skill_load",
    "skill_run",
    "skill_list",
    "skill_reload",
    "skill_create",
    "skill_install",
    "skill_toggle",
    "skill_uninstall",
];

/// The words that a skill without parameters takes.
pub const WORDS: &str = "arguments";

/// A skill as a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillTool {
    /// The tool's name.
    pub name: String,
    /// The skill's qualified name.
    pub skill: String,
    /// What the skill says it does.
    pub description: String,
    /// The schema of what it takes.
    pub input: Value,
    /// The schema of its result, where its contract has one.
    pub output: Option<Value>,
    /// Whether it declares parameters; one that does not takes words.
    pub has_parameters: bool,
    /// Whether it can change nothing: by its container, not by its word.
    pub is_read_only: bool,
    /// Whether it reaches out of its container.
    pub reaches_out: bool,
}

/// The tools of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SkillTools {
    /// Those that there are, by name.
    pub tools: Vec<SkillTool>,
    /// Names that would be several skills', or one of our own tools': they are no tool's.
    conflicts: BTreeMap<String, Vec<String>>,
}

impl SkillTools {
    /// The tool of this name; why there is none, where skills are in each other's way.
    pub fn find(&self, name: &str) -> Option<Result<&SkillTool, Refusal>> {
        if let Some(skills) = self.conflicts.get(name) {
            return Some(Err(Refusal::new(Code::ToolConflict, conflict(name, skills))));
        }
        self.tools.iter().find(|tool| tool.name == name).map(Ok)
    }
}

/// Whether anybody has chosen skills to be tools.
pub fn chooses_skill_tools(config: &Config) -> bool {
    !chosen::of(config).is_empty()
}

/// The tools of an agent: of the chosen skills those that it may have and that the vet lets pass.
pub fn skill_tools(hall: &Hall, agent: &str) -> SkillTools {
    let choices = chosen::of(&hall.config);
    if choices.is_empty() {
        return SkillTools::default();
    }
    let own = skills_of(hall, agent);
    let picked = picked(&hall.snapshot, &choices);
    let picked = picked.into_iter().filter(|entry| own.iter().any(|known| std::ptr::eq(*known, *entry)));
    let mut gate = Gate::open(hall);
    let (admitted, _) = gate.admit(hall, picked.collect());
    gate.close();
    let (single, conflicts) = sorted(&admitted);
    SkillTools { tools: single.into_iter().map(|(name, entry)| described(name, entry)).collect(), conflicts }
}

/// What is wrong with what was chosen: what leads to no skill, and names that are in each other's way.
pub fn skill_tool_problems(hall: &Hall) -> Vec<Problem> {
    let is_ours = |problem: &&Problem| {
        problem.message.starts_with(chosen::KEY) || problem.code == ProblemCode::ConfigToolConflict
    };
    hall.snapshot.problems.iter().filter(is_ours).cloned().collect()
}

/// The same as they are found when a hall is opened.
pub(crate) fn problems(hall: &Hall, files: &[ConfigFile]) -> Vec<Problem> {
    let choices = chosen::of(&hall.config);
    let mut problems = chosen::problems(&hall.config, &hall.snapshot, files);
    let picked = picked(&hall.snapshot, &choices);
    let offered: Vec<&Entry> = picked.into_iter().filter(|entry| entry.is_offered()).collect();
    let file = choices.last().map_or("", |choice| path_of(files, choice.layer));
    problems.extend(sorted(&offered).1.iter().map(|(name, skills)| {
        let hint = "leave one of them out of `mcp.skills`, or of the agent's `skills`; `skill_run` runs each by its own name";
        Problem::new(ProblemCode::ConfigToolConflict, Pos::START, conflict(name, skills), hint).in_file(file)
    }));
    problems
}

/// Entries by the names that their tools have; apart from them those that are in each other's way.
fn sorted<'e>(entries: &[&'e Entry]) -> (BTreeMap<String, &'e Entry>, BTreeMap<String, Vec<String>>) {
    let mut named: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        named.entry(name::of(&entry.qualified_name())).or_default().push(entry);
    }
    let (mut single, mut conflicts) = (BTreeMap::new(), BTreeMap::new());
    for (name, entries) in named {
        match entries.as_slice() {
            [entry] if !OWN_TOOLS.contains(&name.as_str()) => drop(single.insert(name, *entry)),
            several => {
                let skills = several.iter().map(|entry| entry.qualified_name().into_owned()).collect();
                conflicts.insert(name, skills);
            }
        }
    }
    (single, conflicts)
}

fn conflict(name: &str, skills: &[String]) -> String {
    let named = format!("`{}`", skills.join("` and `"));
    match skills {
        [_] => format!("{named} cannot be the tool `{name}`: Guildhall's own tool is named so"),
        _ => format!("{named} would both be the tool `{name}`, so neither is"),
    }
}

fn described(name: String, entry: &Entry) -> SkillTool {
    let nothing = Contract::default();
    let contract = entry.skill.contract.as_deref().unwrap_or(&nothing);
    let kind = entry.skill.kind;
    let reaches_out = contract.network == Network::Host || matches!(kind, Kind::Tool | Kind::Subagent);
    let params = contract.params.as_ref().filter(|params| !params.list.is_empty());
    SkillTool {
        name,
        skill: entry.qualified_name().into_owned(),
        description: description(entry),
        input: params.map_or_else(words, |params| undated(params.schema())),
        output: contract.outputs.as_ref().and_then(output),
        has_parameters: params.is_some(),
        is_read_only: !reaches_out && contract.workspace != Workspace::Write,
        reaches_out,
    }
}

/// What it does, and when to reach for it.
fn description(entry: &Entry) -> String {
    match &entry.skill.when_to_use {
        Some(when) => format!("{} {when}", entry.skill.description),
        None => entry.skill.description.clone(),
    }
}

fn words() -> Value {
    json!({"type": "object", "properties": {WORDS: {"type": "array", "items": {"type": "string"}}}})
}

/// The schema without the dialect, which is the protocol's own.
fn undated(mut schema: Value) -> Value {
    if let Value::Object(fields) = &mut schema {
        fields.shift_remove("$schema");
    }
    schema
}

/// The schema of a result; one that stands in a file of the skill, or refers elsewhere, is not shown.
fn output(declared: &Data) -> Option<Value> {
    let schema = undated(declared.to_json());
    let is_whole = !schema.to_string().contains("\"$ref\"");
    schema
        .as_object()
        .is_some_and(|fields: &Map<String, Value>| is_whole && !fields.is_empty())
        .then_some(schema)
}
