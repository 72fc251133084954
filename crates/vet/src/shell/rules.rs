//! The rules on commands, one file a family; each looks at one command with what flows into it.

mod destruction;
mod interpreter;
mod package;
mod sending;
mod standing;

use super::command::Command;
use super::output::FETCHERS;
use super::reader::Reader;
use super::word::Word;
use crate::codes::Code;
use crate::scan::{Scan, Setting, Source};
use crate::syntax::{named, text_of};
use tree_sitter::Node;

/// Programs that reach the network when they are called like this.
const NETWORK: &[(&str, &[&str])] = &[
    ("git", &["clone", "fetch", "pull", "push", "ls-remote"]),
    ("npm", &["install", "i", "ci", "publish"]),
    ("npx", &[]),
    ("pip", &["install", "download"]),
    ("pip3", &["install", "download"]),
    ("uv", &["pip", "sync", "add"]),
    ("uvx", &[]),
    ("docker", &["pull", "push", "login"]),
    ("gh", &[]),
    ("aws", &[]),
    ("gcloud", &[]),
    ("ssh", &[]),
    ("scp", &[]),
    ("rsync", &[]),
    ("nc", &[]),
    ("apt-get", &["install", "update"]),
    ("brew", &["install"]),
];

/// Measures one command by all rules.
pub fn check(reader: &mut Reader<'_, '_>, command: &Command, input: Option<&Word>, text: &str) {
    note_needs(reader, command, text);
    assembled(reader, command, text);
    interpreter::check(reader, command, input, text);
    package::check(reader, command, text);
    destruction::check(reader, command, text);
    sending::check(reader, command, input, text);
    standing::check(reader, command, text);
}

/// A function that pipes itself into itself in the background.
pub fn fork_bomb(node: Node<'_>, text: &str, source: &Source<'_>, scan: &mut Scan) {
    let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, text)) else { return };
    let Some(body) = node.child_by_field_name("body") else { return };
    let calls_itself = |node: &Node<'_>| {
        node.kind() == "pipeline"
            && named(*node).iter().filter(|stage| text_of(**stage, text).trim() == name).count() >= 2
    };
    let background = text_of(body, text).contains('&');
    if background && named(body).iter().any(calls_itself) {
        scan.report(source, node.start_position().row, Code::ForkBomb, text_of(node, text));
    }
}

/// A name that was put together from variables, and is no path below one of them.
fn assembled(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    let Some(name) = command.words.first() else { return };
    let is_whole = !name.open && !name.text.contains('/') && !name.text.is_empty();
    if name.variables >= 2 && is_whole {
        reader.report(command, Code::AssembledCommand, text);
    }
}

fn note_needs(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    if reader.source.setting != Setting::Script {
        return;
    }
    let name = command.name();
    if name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+'))
        && !name.is_empty()
    {
        reader.scan.needs.tool(name);
    }
    let first = command.operands().next().map_or("", |word| word.text.as_str());
    let is_network = FETCHERS.contains(&name)
        || NETWORK
            .iter()
            .any(|(program, words)| *program == name && (words.is_empty() || words.contains(&first)));
    if is_network {
        let line = reader.source.at(command.row);
        reader.scan.needs.network(reader.source.path, line, text);
    }
}
