//! What a plugin says of its server, made into a command in a container: placeholders, the working directory and the environment.
//!
//! Agent Plugins replace `${PLUGIN_ROOT}` and `${PLUGIN_DATA}` in arguments, values of variables and the working directory, and
//! nothing else anywhere. The vendors have names of their own for the two, replace them in the command too, and let a server name
//! variables of the person's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use guild_manifest::plugin::{Dialect, Transport};
use guild_sandbox::Network;

use super::super::contained::{ContainedServer, SETTING};
use super::super::placeholder::{names, replaced};
use crate::sandbox::{MountMode, MountRequest};
use crate::security_hash::StagedPlugin;

/// Where the plugin's copy is in the container.
const ROOT: &str = "/plugin";
/// Where what it keeps is.
const DATA: &str = "/plugin-data";
/// The open names of the two, which every server finds in its environment too.
const OPEN: [(&str, &str); 2] = [("PLUGIN_ROOT", ROOT), ("PLUGIN_DATA", DATA)];
/// The vendors' names of them.
const VENDORS: [(&str, &str); 7] = [
    ("CLAUDE_PLUGIN_ROOT", ROOT),
    ("CLAUDE_PLUGIN_DATA", DATA),
    ("CURSOR_PLUGIN_ROOT", ROOT),
    ("CODEX_PLUGIN_ROOT", ROOT),
    ("COPILOT_PLUGIN_DATA", DATA),
    ("extensionPath", ROOT),
    ("/", "/"),
];
/// Names of what no plugin's server sees.
const UNSEEN: [&str; 3] = ["CLAUDE_PROJECT_DIR", "workspacePath", "workspaceFolder"];

/// A server that can be started.
pub(super) struct Started {
    /// How; without the person's variables.
    pub server: ContainedServer,
    /// The variables that it declares.
    pub environment: Vec<String>,
}

/// The server, or why it cannot be started.
pub(super) fn read(staged: &StagedPlugin, transport: &Transport, data: &Path) -> Result<Started, String> {
    let Transport::Stdio { command, args, env, cwd } = transport else {
        return Err("it is no program".to_owned());
    };
    let is_open = staged.plugin.dialect == Dialect::AgentPlugin;
    let known = |name: &str| {
        let vendors = VENDORS.iter().filter(|_| !is_open);
        let mut all = OPEN.iter().chain(vendors);
        all.find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    let expanded = |text: &String| replaced(text, known);
    let program = inside(&if is_open { command.clone() } else { expanded(command) });
    let args: Vec<String> = args.iter().map(expanded).collect();
    let mut set: BTreeMap<String, String> =
        env.iter().map(|(name, value)| (name.clone(), expanded(value))).collect();
    let mut environment: BTreeSet<String> =
        staged.plugin.required_env.iter().chain(&staged.plugin.optional_env).cloned().collect();
    if !is_open {
        for text in std::iter::once(&program).chain(&args).chain(set.values()) {
            environment.extend(variables(text)?);
        }
    }
    set.extend(reserved(is_open));
    let command = std::iter::once(program).chain(args).collect();
    let server = ContainedServer {
        command,
        env: Vec::new(),
        network: Network::None,
        role: None,
        read: Vec::new(),
        write: Vec::new(),
        mounts: mounts(staged, data),
        cwd: cwd.as_ref().map_or_else(|| ROOT.to_owned(), |cwd| directory(&expanded(cwd))).into(),
        set,
        fills: !is_open,
        plugin: Some(staged.plugin.name.clone()),
    };
    Ok(Started { server, environment: environment.into_iter().collect() })
}

/// The variables that nobody else sets, under every name that the plugin's own world has for them.
fn reserved(is_open: bool) -> impl Iterator<Item = (String, String)> {
    let is_name = |name: &str| name.contains("PLUGIN");
    let vendors = VENDORS.into_iter().filter(move |(name, _)| !is_open && is_name(name));
    OPEN.into_iter().chain(vendors).map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// The names of the person's variables that a text mentions, and of what they have set for the plugin.
fn variables(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for name in names(text) {
        let name = name.split(":-").next().unwrap_or_default().to_owned();
        if UNSEEN.contains(&name.as_str()) {
            return Err(format!("it names `${{{name}}}`, and servers of plugins do not see a project"));
        }
        let plain = name.strip_prefix(SETTING).unwrap_or(&name);
        let is_variable = plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !plain.is_empty();
        if is_variable {
            found.push(name);
        }
    }
    Ok(found)
}

/// A program of the plugin by its path in the container; any other by its name.
fn inside(program: &str) -> String {
    match program.strip_prefix("./") {
        Some(below) => format!("{ROOT}/{below}"),
        None if program.contains('/') && !program.starts_with('/') => format!("{ROOT}/{program}"),
        None => program.to_owned(),
    }
}

fn directory(cwd: &str) -> String {
    if cwd.starts_with('/') {
        return cwd.to_owned();
    }
    let below = cwd.strip_prefix("./").unwrap_or(cwd);
    if below.is_empty() || below == "." { ROOT.to_owned() } else { format!("{ROOT}/{below}") }
}

fn mounts(staged: &StagedPlugin, data: &Path) -> Vec<MountRequest> {
    let mount = |source: &Path, target: &str, mode| MountRequest {
        source: source.to_owned(),
        target: target.into(),
        mode,
    };
    vec![mount(&staged.root, ROOT, MountMode::ReadOnly), mount(data, DATA, MountMode::ReadWrite)]
}
