//! Looking at skills: their files, one of their files, and which there are.
//!
//! An agent sees the skills that it may use, after the vet; a path never leads out of a skill.

use std::fs::File;
use std::io::Read as _;

use guild_catalog::{Entry, bundled};
use guild_ledger::Principal;
use guild_vet::Verdict;
use serde_json::{Map, Value, json};

use super::{Builtin, BuiltinTools};
use crate::invocable::refusal;
use crate::ports::{ToolError, ToolResult};
use crate::resolve::resolve;
use crate::search::{SearchRequest, search};
use crate::vet::{Gate, Subject};

/// The largest file that is read.
const LARGEST: u64 = 256 << 10;
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

/// The skill, if this agent may have it.
fn skill<'h>(tools: &BuiltinTools<'h>, name: &str) -> Result<&'h Entry, ToolError> {
    let entry = resolve(tools.hall, name).map_err(|unresolved| ToolError::Input(unresolved.message))?;
    let agent = Principal::agent(tools.agent, PROVIDER_VIA);
    if let Some(reason) = refusal(tools.hall, entry, &agent) {
        return Err(ToolError::Denied(reason));
    }
    let mut gate = Gate::open(tools.hall);
    let verdict = gate.vet(&Subject::of_entry(&tools.hall.snapshot, entry)).verdict;
    gate.close();
    if verdict == Verdict::Deny.as_str() {
        return Err(ToolError::Denied(format!("the vet denies skill `{}`", entry.qualified_name())));
    }
    Ok(entry)
}

/// How a tool asks.
const PROVIDER_VIA: &str = "tool";

fn read_file(tools: &BuiltinTools<'_>, input: &Map<String, Value>) -> Result<ToolResult, ToolError> {
    let entry = skill(tools, text(input, "skill").unwrap_or_default())?;
    let path = text(input, "path").unwrap_or(&entry.place.file);
    let name = entry.qualified_name();
    let known = guild_catalog::files(&entry.place);
    if !known.iter().any(|file| file == path) {
        return Err(ToolError::Input(format!(
            "skill `{name}` has no file `{path}`; `list_skill_files` lists them"
        )));
    }
    let bytes =
        bytes(entry, path).map_err(|error| ToolError::Failed(format!("cannot read `{path}`: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(ToolError::Input(format!("`{path}` is larger than {LARGEST} bytes")));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(ToolResult::new(text.clone(), json!({"skill": name, "path": path, "text": text})))
}

/// The bytes of a file that lies in the skill, and nowhere else.
fn bytes(entry: &Entry, path: &str) -> std::io::Result<Vec<u8>> {
    if let Some(files) = bundled::files(&entry.place) {
        let file = files.iter().find(|file| file.path == path);
        return file.map(|file| file.bytes.to_vec()).ok_or_else(|| std::io::ErrorKind::NotFound.into());
    }
    let top = entry.place.directory.canonicalize()?;
    let real = top.join(path).canonicalize()?;
    if !real.starts_with(&top) || !real.is_file() {
        return Err(std::io::Error::other("it lies outside the skill"));
    }
    let mut bytes = Vec::new();
    File::open(real)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn list_files(tools: &BuiltinTools<'_>, input: &Map<String, Value>) -> Result<ToolResult, ToolError> {
    let entry = skill(tools, text(input, "skill").unwrap_or_default())?;
    let files = guild_catalog::files(&entry.place);
    Ok(ToolResult::new(files.join("\n"), json!({"skill": entry.qualified_name(), "files": files})))
}

fn find(tools: &BuiltinTools<'_>, input: &Map<String, Value>) -> Result<ToolResult, ToolError> {
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
