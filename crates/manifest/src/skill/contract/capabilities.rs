//! `capabilities:`: which tools, how much of the workspace, the network and the environment a skill asks for.

use super::{Contract, Network, Workspace, malformed, section, word_of};
use crate::Problem;
use crate::skill::{keys, list_of};
use crate::tree::{Map, Node};

const KEYS: &[&str] = &["declared_tools", "workspace", "network", "env", "limits"];

/// Adds the declared capabilities to the contract.
pub fn read(map: &Map, contract: &mut Contract, problems: &mut Vec<Problem>) {
    let Some(section) = section(map, "capabilities", problems) else { return };
    keys::check_section(section, "capabilities", KEYS, problems);
    contract.tools = list_of(section, "declared_tools", problems);
    contract.env = environment(section, "env", problems);
    if let Some(word) = word_of(section, "workspace", problems) {
        match workspace(&word) {
            Some(workspace) => contract.workspace = workspace,
            None => problems.push(malformed(
                section,
                "workspace",
                format!("`workspace` is `{word}`"),
                "use `none`, `read` or `write`",
            )),
        }
    }
    if let Some(word) = word_of(section, "network", problems) {
        match word.to_ascii_lowercase().as_str() {
            "none" | "false" | "no" | "off" => contract.network = Network::None,
            "host" => contract.network = Network::Host,
            _ => {
                let message = format!("`network` is `{word}`");
                problems.push(malformed(section, "network", message, "use `none` or `host`"));
            }
        }
    }
}

/// The access to the workspace that `capabilities:` states, where it states one.
pub fn stated_workspace(map: &Map) -> Option<Workspace> {
    let node = map.get("capabilities").and_then(Node::as_map)?.get("workspace")?;
    workspace(node.as_scalar()?.text.trim())
}

fn workspace(word: &str) -> Option<Workspace> {
    match word.to_ascii_lowercase().as_str() {
        "none" => Some(Workspace::None),
        "read" => Some(Workspace::Read),
        "write" => Some(Workspace::Write),
        _ => None,
    }
}

/// Names of environment variables under `key`; one that is no name would never match and is malformed.
pub fn environment(section: &Map, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    let names = list_of(section, key, problems);
    for name in names.iter().filter(|name| !is_variable(name)) {
        let message = format!("`{name}` is no name of an environment variable");
        problems.push(malformed(section, key, message, "list names such as `API_KEY`, without values"));
    }
    names
}

fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
