//! Configuration that has programs started: hooks, MCP servers, language servers.
//!
//! A command stands there in a string of its own, or split into a program and its arguments; both are looked at as a script is.

use crate::rows::Rows;
use crate::scan::{Scan, Setting, Source};
use crate::shell;
use serde_json::Value as Json;

/// How deep objects are looked into.
const MAX_DEPTH: usize = 16;
/// After so many commands whose place is not found none is looked for.
const MAX_MISSES: usize = 8;
/// Names of files that hosts read such commands from.
const FILES: &[&str] = &[
    ".mcp.json",
    "mcp.json",
    "mcp-config.json",
    ".lsp.json",
    "hooks.json",
    "plugin.json",
    "settings.json",
    "settings.local.json",
    "gemini-extension.json",
];

/// Looks at the commands of such a file.
pub fn scan(path: &str, text: &str, scan: &mut Scan) {
    if !is_configuration(path) {
        return;
    }
    let Ok(data) = serde_json::from_str::<Json>(text) else { return };
    let mut commands = Vec::new();
    collect(&data, 0, &mut commands);
    let (mut rows, mut at, mut misses) = (Rows::new(text), 0, 0);
    for (name, command) in commands {
        // They come in the order of the file, so that it is searched once. A string may be written in more than one way.
        let written = Json::from(name).to_string();
        let rest = text.get(at..).filter(|_| misses < MAX_MISSES).unwrap_or_default();
        match rest.find(&written) {
            Some(found) => at += found,
            None => misses += 1,
        }
        let line = rows.line(at);
        shell::scan(&command, &Source { depth: 1, ..Source::new(path, line, Setting::Script) }, scan);
    }
}

fn is_configuration(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_in_hooks = directory.rsplit('/').next() == Some("hooks") && name.ends_with(".json");
    is_in_hooks || FILES.contains(&name) || name.ends_with(".plugin.json")
}

/// Every command, as it is written and as a shell would take it.
fn collect<'j>(data: &'j Json, depth: usize, out: &mut Vec<(&'j str, String)>) {
    let below: Vec<&Json> = match data {
        Json::Object(fields) => {
            if let Some(command) = fields.get("command") {
                out.extend(command_of(command, fields.get("args")));
            }
            fields.values().collect()
        }
        Json::Array(items) => items.iter().collect(),
        _ => return,
    };
    if depth < MAX_DEPTH {
        below.into_iter().for_each(|data| collect(data, depth + 1, out));
    }
}

fn command_of<'j>(command: &'j Json, arguments: Option<&'j Json>) -> Option<(&'j str, String)> {
    let words: Vec<&str> = match command {
        Json::String(command) if arguments.is_none() => return Some((command, command.clone())),
        Json::String(program) => vec![program],
        Json::Array(words) => words.iter().filter_map(Json::as_str).collect(),
        _ => return None,
    };
    let more = arguments.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let line: Vec<String> = words.iter().copied().chain(more).map(quoted).collect();
    Some((words.first()?, line.join(" ")))
}
