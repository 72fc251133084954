//! Looking at skills: their files, one of their files, and which there are.
//!
//! An agent sees the skills that it may use, after the vet; a path never leads out of a skill.

use guild_ledger::Principal;
use serde_json::{Map, Value, json};

use super::{Asked, Builtin};
use crate::ports::{ToolError, ToolResult};
use crate::search::{SearchRequest, search};
use crate::skill_file::{HeldSkill, held_skill};
use crate::{Code, Refusal};

/// How many skills a search finds, where nobody says.
const FOUND: u64 = 10;

pub(super) const READ_FILE: Builtin = Builtin {
    name: "read_skill_file",
    description: "Read one file of a skill",
    input: || {
        json!({
            "type": "object",
            "properties": {"skill": {"type": "string"}, "path": {"type": "string"}},
            "required": ["skill"],
        })
    },
    output: || {
        json!({
            "type": "object",
            "properties": {"skill": {"type": "string"}, "path": {"type": "string"}, "text": {"type": "string"}},
            "required": ["skill", "path", "text"],
        })
    },
    run: read_file,
};

pub(super) const LIST_FILES: Builtin = Builtin {
    name: "list_skill_files",
    description: "List the files of a skill",
    input: || json!({"type": "object", "properties": {"skill": {"type": "string"}}, "required": ["skill"]}),
    output: || {
        json!({
            "type": "object",
            "properties": {"skill": {"type": "string"}, "files": {"type": "array", "items": {"type": "string"}}},
            "required": ["skill", "files"],
        })
    },
    run: list_files,
};

pub(super) const SEARCH: Builtin = Builtin {
    name: "search_skills",
    description: "Find skills by what they are called and what they do",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "text": {"type": "string"},
            },
            "anyOf": [{"required": ["query"]}, {"required": ["text"]}],
        })
    },
    output: || json!({"type": "object", "properties": {"skills": {"type": "array"}}, "required": ["skills"]}),
    run: find,
};

fn text<'i>(input: &'i Map<String, Value>, name: &str) -> Option<&'i str> {
    input.get(name).and_then(Value::as_str)
}

/// How a tool asks.
const PROVIDER_VIA: &str = "tool";

/// The skill, if this agent may have it.
fn skill<'h>(tools: &Asked<'h>, name: &str) -> Result<HeldSkill<'h>, ToolError> {
    held_skill(tools.hall, name, &Principal::agent(tools.agent, PROVIDER_VIA)).map_err(failure)
}

fn failure(refusal: Refusal) -> ToolError {
    match refusal.code {
        Code::SkillNotInvocable | Code::SecurityPreflightDenied => ToolError::Denied(refusal.message),
        Code::ReadFailed => ToolError::Failed(refusal.message),
        _ => ToolError::Input(refusal.message),
    }
}

fn read_file(tools: &Asked<'_>, input: &Map<String, Value>) -> Result<ToolResult, ToolError> {
    let skill = skill(tools, text(input, "skill").unwrap_or_default())?;
    let path = text(input, "path").unwrap_or(&skill.entry().place.file);
    let bytes = skill.read(Some(path)).map_err(failure)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = skill.entry().qualified_name();
    Ok(ToolResult::new(text.clone(), json!({"skill": name, "path": path, "text": text})))
}

fn list_files(tools: &Asked<'_>, input: &Map<String, Value>) -> Result<ToolResult, ToolError> {
    let skill = skill(tools, text(input, "skill").unwrap_or_default())?;
    let (name, files) = (skill.entry().qualified_name(), skill.paths());
    Ok(ToolResult::new(files.join("\n"), json!({"skill": name, "files": files})))
}

fn find(tools: &Asked<'_>, input: &Map<String, Value>) -> Result<ToolResult, ToolError> {
    let query = text(input, "query").or_else(|| text(input, "text")).unwrap_or_default();
    let limit = input.get("limit").and_then(Value::as_u64).unwrap_or(FOUND);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let request = SearchRequest { query, limit, agent: Some(tools.agent), file: None };
    let found = search(tools.hall, &request);
    let lines: Vec<String> = found
        .data
        .skills
        .iter()
        .map(|skill| format!("{}: {}", skill.qualified_name, skill.description))
        .collect();
    let skills =
        serde_json::to_value(&found.data.skills).map_err(|error| ToolError::Failed(error.to_string()))?;
    Ok(ToolResult::new(lines.join("\n"), json!({"skills": skills})))
}
