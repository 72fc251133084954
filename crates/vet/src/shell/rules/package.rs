//! Package managers and their like, told to install or run what lies at an address.
//!
//! What they fetch runs as soon as it is there: build scripts, install hooks, the program itself. Registries that are named once and for
//! all are `dependency`'s.

use crate::address::{self, Place};
use crate::codes::Code;
use crate::shell::command::Command;
use crate::shell::reader::Reader;

/// Programs that install or run what they are given the address of, with the words that make them do so; none where they always do.
const MANAGERS: &[(&str, &[&str])] = &[
    ("pip", &["install"]),
    ("pip3", &["install"]),
    ("pipx", &["install", "run", "inject"]),
    ("uv", &["install", "add", "run"]),
    ("uvx", &[]),
    ("npm", &["install", "i", "add", "exec", "x"]),
    ("pnpm", &["install", "i", "add", "dlx", "exec"]),
    ("yarn", &["add", "global", "dlx"]),
    ("bun", &["install", "i", "add", "x", "run"]),
    ("npx", &[]),
    ("bunx", &[]),
    ("deno", &["run", "install", "eval"]),
    ("gem", &["install"]),
    ("cargo", &["install"]),
    ("go", &["install", "run"]),
    ("brew", &["install"]),
    ("apt", &["install"]),
    ("apt-get", &["install"]),
    ("dnf", &["install"]),
    ("yum", &["install"]),
    ("rpm", &[]),
    ("msiexec", &[]),
    ("msiexec.exe", &[]),
    ("mshta", &[]),
    ("mshta.exe", &[]),
];

pub fn check(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    let name = command.name();
    let Some((_, verbs)) = MANAGERS.iter().find(|(known, _)| *known == name) else { return };
    let is_installing =
        verbs.is_empty() || command.operands().take(3).any(|word| verbs.contains(&word.text.as_str()));
    if !is_installing {
        return;
    }
    let places = command.args().iter().filter(|word| word.text.contains("://")).filter_map(|word| {
        let url = word.text.strip_prefix("git+").unwrap_or(&word.text);
        Some(address::place(address::target(url)?))
    });
    let code = match places.max() {
        Some(Place::Short | Place::Bare | Place::Paste | Place::Drop) => Code::PipeToInterpreter,
        Some(Place::Plain) => Code::InstallerPipe,
        _ => return,
    };
    reader.report(command, code, text);
}
