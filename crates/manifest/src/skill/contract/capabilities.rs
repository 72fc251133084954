//! `capabilities:`: which tools, how much of the workspace, the network and the environment a skill asks for.

use super::{Contract, Network, Workspace, malformed, section};
use crate::Problem;
use crate::skill::{list_of, text_of};
use crate::tree::Map;

/// Adds the declared capabilities to the contract.
pub fn read(map: &Map, contract: &mut Contract, problems: &mut Vec<Problem>) {
    let Some(section) = section(map, "capabilities", problems) else { return };
    contract.tools = list_of(section, "declared_tools", problems);
    contract.env = environment(section, problems);
    if let Some(word) = text_of(section, "workspace", problems) {
        match word.as_str() {
            "none" => contract.workspace = Workspace::None,
            "read" => contract.workspace = Workspace::Read,
            "write" => contract.workspace = Workspace::Write,
            _ => problems.push(malformed(
                section,
                "workspace",
                format!("`workspace` is `{word}`"),
                "use `none`, `read` or `write`",
            )),
        }
    }
    if let Some(word) = text_of(section, "network", problems) {
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

/// Names of environment variables; one that is no name would never match and is malformed.
fn environment(section: &Map, problems: &mut Vec<Problem>) -> Vec<String> {
    let names = list_of(section, "env", problems);
    for name in names.iter().filter(|name| !is_variable(name)) {
        let message = format!("`{name}` is no name of an environment variable");
        problems.push(malformed(section, "env", message, "list names such as `API_KEY`, without values"));
    }
    names
}

fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
