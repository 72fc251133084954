//! What is looked at, in parts: a skill alone is one; a plugin is its skills, the texts that hosts show of it, and all the rest.
//!
//! Each part is judged in its own setting: that one skill looks for dangers says nothing of another's text.

use super::subject::{Subject, is_skill_file};
use super::tree::Node;
use guild_catalog::validate;
use guild_manifest::skill::{self, Contract, Profile, Source};
use guild_manifest::{Code as ProblemCode, Problem, Severity};
use guild_vet::{Code, File, Input, Remark};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One part, with what the vet wants to know of it.
pub struct Part<'n> {
    /// The path of its own file; empty for the rest of a plugin.
    pub main: String,
    /// Whether it is a skill, which answers for its own warnings.
    pub is_skill: bool,
    name: String,
    files: Vec<File<'n>>,
    contract: Option<Contract>,
    remarks: Vec<Remark>,
}

impl<'n> Part<'n> {
    /// The parts of what was read for a subject, sorted by their own files.
    pub fn all_of(subject: &Subject<'_>, nodes: &'n [Node]) -> Vec<Self> {
        let Some(plugin) = &subject.plugin else { return vec![Self::of_skill(subject, nodes)] };
        let skills: BTreeMap<&str, &str> = nodes
            .iter()
            .filter(|node| is_skill_file(Path::new(node.path())))
            .map(|node| (directory(node.path()), node.path()))
            .collect();
        let mut groups: BTreeMap<&str, Vec<&'n Node>> = BTreeMap::new();
        for node in nodes {
            let skill = above(node.path()).find_map(|directory| skills.get(directory).copied());
            let main = skill.unwrap_or_else(|| if node.is_described() { node.path() } else { "" });
            groups.entry(main).or_default().push(node);
        }
        let owners: BTreeSet<&str> = skills.into_values().collect();
        let part = |(main, nodes): (&str, Vec<&'n Node>)| {
            Self::of_plugin(&plugin.name, main, owners.contains(main), &nodes)
        };
        groups.into_iter().map(part).collect()
    }

    /// A skill that no plugin ships, or that is looked at without it.
    pub fn of_skill(subject: &Subject<'_>, nodes: &'n [Node]) -> Self {
        let main = subject.main();
        let text = nodes.iter().find_map(|node| node.bytes_of(&main)).unwrap_or_default();
        let contract = match subject.entry {
            Some(entry) => entry.skill.contract.as_deref().cloned(),
            None => contract(&main, &subject.name, text),
        };
        Self {
            remarks: remarks(&main, text),
            contract,
            files: nodes.iter().map(Node::file).collect(),
            name: subject.name.clone(),
            is_skill: true,
            main,
        }
    }

    fn of_plugin(plugin: &str, main: &str, is_skill: bool, nodes: &[&'n Node]) -> Self {
        let text = nodes.iter().find_map(|node| node.bytes_of(main)).unwrap_or_default();
        let stem = if is_skill { directory(main) } else { main };
        let stem = Path::new(stem).file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        Self {
            main: main.to_owned(),
            name: if stem.is_empty() { plugin.to_owned() } else { format!("{plugin}/{stem}") },
            files: nodes.iter().map(|node| node.file()).collect(),
            contract: is_skill.then(|| contract(main, &stem, text)).flatten(),
            remarks: if is_skill { remarks(main, text) } else { Vec::new() },
            is_skill,
        }
    }

    /// The part as the vet takes it.
    pub fn input(&self) -> Input<'_> {
        Input {
            name: &self.name,
            main: &self.main,
            files: &self.files,
            contract: self.contract.as_ref(),
            remarks: &self.remarks,
        }
    }
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The directories that a path lies in, the innermost first; the last is the root.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory(path)), |inner| (!inner.is_empty()).then(|| directory(inner)))
}

/// What a skill declares, by its text.
fn contract(main: &str, stem: &str, text: &[u8]) -> Option<Contract> {
    let reading = skill::read(&Source::new(main, stem, text), Profile::Lenient);
    reading.skill.and_then(|skill| skill.contract).map(|contract| *contract)
}

/// What the checks of playbooks have to say: structure, and tools that nobody knows.
fn remarks(main: &str, text: &[u8]) -> Vec<Remark> {
    let text = str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
    let remark = |problem: Problem| {
        let code = if problem.code == ProblemCode::UnknownTool { Code::UnknownTool } else { Code::Structure };
        Remark { code, path: main.to_owned(), line: problem.at.line, message: problem.message }
    };
    let problems = validate::validate(&text, &[]).into_iter();
    problems.filter(|problem| problem.severity <= Severity::Error).map(remark).collect()
}
