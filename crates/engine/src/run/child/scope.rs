//! Which tools a child agent is offered: those of its contract, as far as its skill is scoped to them.
//!
//! `allowed-tools` takes away and never adds. Names of other agents' own tools mean ours that do the same.

use guild_manifest::skill::{Contract, Hints};

use super::desk;

/// Other agents' names for what we have.
const ALIASES: &[(&str, &str)] = &[
    ("read", "builtin:read_file"),
    ("read_file", "builtin:read_file"),
    ("grep", "builtin:grep"),
    ("glob", "builtin:glob"),
    ("ls", "builtin:glob"),
];

/// The tools by name, sorted.
pub fn tools_in_scope(contract: &Contract, hints: &Hints, has_workspace: bool) -> Vec<String> {
    let declared = contract.tools.iter().map(|tool| qualified(tool));
    let looking = desk::TOOLS.iter().filter(|_| has_workspace).map(|tool| tool.name.to_owned());
    let is_scoped = |tool: &String| {
        hints.allowed_tools.is_empty() || hints.allowed_tools.iter().any(|entry| means(entry, tool))
    };
    let is_barred = |tool: &String| hints.disallowed_tools.iter().any(|entry| means(entry, tool));
    let mut tools: Vec<String> =
        declared.chain(looking).filter(|tool| is_scoped(tool) && !is_barred(tool)).collect();
    tools.sort();
    tools.dedup();
    tools
}

/// A tool as `provider:tool`; one without provider is ours.
fn qualified(tool: &str) -> String {
    if tool.contains(':') { tool.to_owned() } else { format!("builtin:{tool}") }
}

/// Whether an entry of `allowed-tools` means this tool.
fn means(entry: &str, tool: &str) -> bool {
    let name = entry.split_once('(').map_or(entry, |(name, _)| name).trim();
    if name == "*" || name == tool || qualified(name) == tool {
        return true;
    }
    let (_, own) = tool.split_once(':').unwrap_or(("", tool));
    if let Some(rest) = name.strip_prefix("mcp__") {
        let (server, wanted) = rest.split_once("__").unwrap_or((rest, "*"));
        let Some((of, is)) = tool.strip_prefix("mcp:").and_then(|own| own.split_once('/')) else {
            return false;
        };
        return of == server && (wanted == "*" || wanted == is);
    }
    let lower = name.to_ascii_lowercase();
    name == own || ALIASES.iter().any(|(alias, ours)| *alias == lower && *ours == tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(declared: &[&str], allowed: &[&str], barred: &[&str], expected: &str) {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let contract = Contract { tools: words(declared), ..Contract::default() };
        let hints =
            Hints { allowed_tools: words(allowed), disallowed_tools: words(barred), ..Hints::default() };
        assert_eq!(tools_in_scope(&contract, &hints, true).join(" "), expected);
    }

    #[test]
    fn allowed_tools_take_away_and_never_add() {
        let all = "builtin:add builtin:glob builtin:grep builtin:read_file mcp:gh/search";
        check(&["add", "mcp:gh/search"], &[], &[], all);
        check(&["add", "mcp:gh/search"], &["*"], &[], all);
        check(&["add"], &["mcp:gh/search", "Bash", "Write", "builtin:multiply"], &[], "");
        check(&["add", "mcp:gh/search"], &["Read", "add"], &[], "builtin:add builtin:read_file");
        check(&["mcp:gh/search", "mcp:gl/search"], &["mcp__gh__search"], &[], "mcp:gh/search");
        check(&["mcp:gh/search", "mcp:gh/open"], &["mcp__gh"], &["mcp__gh__open"], "mcp:gh/search");
    }

    #[test]
    fn other_agents_names_mean_ours() {
        check(
            &[],
            &["Read", "Grep", "Glob", "Bash(git diff:*)"],
            &[],
            "builtin:glob builtin:grep builtin:read_file",
        );
        check(&[], &["read_file", "ls"], &["LS"], "builtin:read_file");
    }

    #[test]
    fn without_a_workspace_there_is_nothing_to_look_at() {
        assert!(tools_in_scope(&Contract::default(), &Hints::default(), false).is_empty());
    }
}
