//! The keys of every dialect, and what becomes of the others.

use crate::fold::{nearest, same};
use crate::tree::{Entry, Map};
use crate::{Code, Problem};

/// The six keys of the open specification.
pub const SPEC_KEYS: &[&str] =
    &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Keys that mean something to Guildhall, whichever dialect they come from.
pub const KNOWN_KEYS: &[&str] = &[
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "when_to_use",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
    "script",
    "params",
    "timeout_seconds",
    "sandbox_image_role",
    "invocation_mode",
    "command",
    "command_tool_provider",
    "command_tool",
    "requires_tools",
    "capabilities",
    "eligibility",
    "plugin",
    "homepage",
    "command-dispatch",
    "command-arg-mode",
    "metadata.openclaw",
    "platforms",
    "required_environment_variables",
    "required_credential_files",
    "prerequisites",
    "runAs",
    "outputs",
    "limits",
    "display-name",
];

/// Keys that people write and nobody interprets; they are no misspellings of ours.
const COMMON_KEYS: &[&str] = &[
    "version",
    "author",
    "authors",
    "tags",
    "triggers",
    "trigger",
    "tools",
    "models",
    "source",
    "library",
    "repository",
    "repo",
    "output-format",
    "scope",
    "role",
    "keywords",
    "type",
    "package",
    "slug",
    "read_when",
    "category",
    "categories",
    "summary",
    "emoji",
    "requires",
    "id",
    "title",
    "icon",
    "color",
    "url",
    "date",
    "updated",
    "created",
    "status",
    "priority",
    "examples",
    "inputs",
    "globs",
    "path",
    "hook",
    "domain",
    "risk",
    "default-enabled",
    "fallback",
    "dependencies",
    "language",
    "languages",
    "label",
    "links",
    "skills",
    "related",
    "usage",
    "mode",
    "owner",
    "maintainer",
    "parameters",
    "args",
    "env",
    "config",
    "install",
    "format",
];

/// Tells of each key that means nothing to us and looks like a slip of the pen.
pub fn check(map: &Map, problems: &mut Vec<Problem>) {
    let is_in = |keys: &[&str], key: &str| keys.iter().any(|known| same(known, key));
    let unknown = |entry: &&Entry| !is_in(KNOWN_KEYS, &entry.key) && !is_in(COMMON_KEYS, &entry.key);
    for entry in map.entries().iter().filter(unknown) {
        if let Some(meant) = nearest(&entry.key, KNOWN_KEYS.iter().copied()) {
            let message = format!("`{}` is not a key that any agent reads", entry.key);
            let hint = format!("did you mean `{meant}`?");
            problems.push(Problem::new(Code::UnknownKey, entry.key_at, message, hint));
        }
    }
}
