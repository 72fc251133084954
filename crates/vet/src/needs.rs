//! What the scripts of a skill evidently need, and a contract that would fit.
//!
//! It sees what stands in the code; what a program computes it does not.

use crate::codes::Code;
use crate::finding::Finding;
use guild_manifest::skill::{Contract, Network, Workspace};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that every container has, and that nobody has to declare.
const AMBIENT: &[&str] = &[
    "HOME",
    "PATH",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "HOSTNAME",
    "IFS",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "PPID",
    "UID",
    "EUID",
    "BASH_SOURCE",
    "BASH_VERSION",
    "OPTARG",
    "OPTIND",
    "PS1",
    "NO_COLOR",
    "COLUMNS",
    "LINES",
    "BASH_REMATCH",
    "FUNCNAME",
    "PIPESTATUS",
    "REPLY",
    "EDITOR",
    "CI",
];

/// Where something is needed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// What stands there.
    pub evidence: String,
}

/// What scripts evidently need; each with the first place that shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// A connection.
    pub network: Option<Use>,
    /// Environment variables by name.
    pub env: BTreeMap<String, Use>,
    /// A file written to the workspace.
    pub write: Option<Use>,
    /// Programs that are called.
    pub tools: BTreeSet<String>,
}

impl Needs {
    /// A connection is made here.
    pub fn network(&mut self, path: &str, line: u32, evidence: &str) {
        keep_first(&mut self.network, path, line, evidence);
    }

    /// A file is written here.
    pub fn write(&mut self, path: &str, line: u32, evidence: &str) {
        keep_first(&mut self.write, path, line, evidence);
    }

    /// A variable is read here.
    pub fn variable(&mut self, name: &str, path: &str, line: u32) {
        let is_name = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && name.starts_with(|c: char| c.is_ascii_uppercase());
        if is_name && !AMBIENT.contains(&name) && self.env.len() < 256 {
            let mut place = self.env.remove(name);
            keep_first(&mut place, path, line, name);
            self.env.extend(place.map(|place| (name.to_owned(), place)));
        }
    }

    /// A program is called.
    pub fn tool(&mut self, name: &str) {
        if self.tools.len() < 256 && name.len() <= 64 {
            self.tools.insert(name.to_owned());
        }
    }
}

fn keep_first(place: &mut Option<Use>, path: &str, line: u32, evidence: &str) {
    let found = Use { path: path.to_owned(), line, evidence: evidence.chars().take(200).collect() };
    match place {
        Some(known) if *known <= found => {}
        _ => *place = Some(found),
    }
}

/// What is needed and not declared, and what is declared and not needed.
pub fn compare(needs: &Needs, contract: &Contract, main: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let at = |code, place: &Use| Finding::new(code, &place.path, place.line, &place.evidence);
    match (&needs.network, contract.network) {
        (Some(place), Network::None) => findings.push(at(Code::UndeclaredNetwork, place)),
        (None, Network::Host) => findings.push(Finding::new(Code::UnusedNetwork, main, 1, "network: host")),
        _ => {}
    }
    match (&needs.write, contract.workspace) {
        (Some(place), Workspace::None | Workspace::Read) => findings.push(at(Code::UndeclaredWrite, place)),
        (None, Workspace::Write) => {
            findings.push(Finding::new(Code::UnusedWrite, main, 1, "workspace: write"));
        }
        _ => {}
    }
    let missing = needs.env.iter().filter(|(name, _)| !contract.env.contains(name));
    findings.extend(missing.map(|(_, place)| at(Code::UndeclaredEnvironment, place)));
    let unused = contract.env.iter().filter(|name| !needs.env.contains_key(*name));
    findings.extend(unused.map(|name| Finding::new(Code::UnusedEnvironment, main, 1, name)));
    findings
}

/// The frontmatter of a contract that would fit what was seen.
pub fn fitting(needs: &Needs) -> String {
    let workspace = if needs.write.is_some() { "write" } else { "read" };
    let network = if needs.network.is_some() { "host" } else { "none" };
    let names: Vec<&str> = needs.env.keys().map(String::as_str).collect();
    format!("capabilities:\n  workspace: {workspace}\n  network: {network}\n  env: [{}]\n", names.join(", "))
}
