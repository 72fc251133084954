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

/// Keys that many files have and nobody reads.
const UNREAD_KEYS: &[&str] = &["version", "author", "tags"];

/// Keys under which no contract, kind, flag or pattern ever stands: nothing but the names, the description, `metadata` and a few
/// hints is read from a file that has no others.
fn plain_keys() -> impl Iterator<Item = &'static str> {
    SPEC_KEYS.iter().chain(UNREAD_KEYS).copied()
}

/// Whether a file has plain keys only, each spelled as here. Most do, and thousands are read on one start: none of the
/// fifty other keys need then be looked for, and none can be a slip of the pen.
pub fn are_plain(map: &Map) -> bool {
    map.entries().iter().all(|entry| plain_keys().any(|key| key == entry.key))
}

/// Tells of each key that stands under two spellings, and of each that means nothing to us and looks like a slip
/// of the pen.
pub fn check(map: &Map, problems: &mut Vec<Problem>) {
    let is_in = |keys: &[&str], key: &str| keys.iter().any(|known| same(known, key));
    for entry in map.entries() {
        if is_in(KNOWN_KEYS, &entry.key) {
            problems.extend(respelled(map, entry));
            continue;
        }
        if is_in(COMMON_KEYS, &entry.key) {
            continue;
        }
        if let Some(meant) = nearest(&entry.key, KNOWN_KEYS.iter().copied()) {
            let message = format!("`{}` is not a key that any agent reads", entry.key);
            let hint = format!("did you mean `{meant}`?");
            problems.push(Problem::new(Code::UnknownKey, entry.key_at, message, hint));
        }
    }
}

/// Tells of what is wrong with the keys of a section that has no others than `known`.
pub fn check_section(section: &Map, name: &str, known: &[&str], problems: &mut Vec<Problem>) {
    for entry in section.entries() {
        if known.iter().any(|known| same(known, &entry.key)) {
            problems.extend(respelled(section, entry));
            continue;
        }
        let message = format!("`{}` is not a key of `{name}`; it was ignored", entry.key);
        let hint = match nearest(&entry.key, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("`{name}` takes {}", known.join(", ")),
        };
        problems.push(Problem::new(Code::UnknownKey, entry.key_at, message, hint));
    }
}

/// The problem of an entry that a later one under another spelling of its key overrules.
fn respelled(map: &Map, entry: &Entry) -> Option<Problem> {
    let last = map.entry(&entry.key).filter(|last| last.key_at != entry.key_at)?;
    let message = format!(
        "`{}` is another spelling of `{}` on line {}; this one counts",
        last.key, entry.key, entry.key_at.line
    );
    Some(Problem::new(Code::DuplicateKey, last.key_at, message, "keep one of the two"))
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Source, from_map, hints};
    use super::*;
    use crate::Pos;
    use crate::tree::yaml;
    use guild_testkit::Dice;

    /// Values that one reader or another would stumble over.
    #[rustfmt::skip]
    const VALUES: &[&str] = &[
        "x", "A name", "", "~", "1", "true", "[a, b]", "[]", "{a: b}", "[{a: b}]", "'{a: 1}'", "'{'",
        "{openclaw: {requires: {bins: [git]}}}", "{openclaw: 1}", "{hermes: {requires_tools: t}}",
        "{script: run.sh, context: fork, agent: x}", "'openclaw: x'", "Read, Bash(git add *)",
    ];

    /// Everything that a mapping is read as, and everything that is wrong with it.
    fn read(map: &Map, form: Form, is_plain: bool) -> String {
        let mut problems = Vec::new();
        let source = Source { form, ..Source::new("SKILL.md", "stem", b"") };
        let skill = from_map(map, Pos::START, &source, is_plain, &mut problems);
        let hints = hints::read(map, form, is_plain, &mut problems);
        if !is_plain {
            check(map, &mut problems);
        }
        format!("{skill:?}\n{hints:?}\n{problems:?}")
    }

    #[test]
    fn a_plain_file_is_read_as_if_every_key_had_been_looked_for() {
        let mut dice = Dice::new(0x9e37_79b9_7f4a_7c15);
        for _ in 0..3_000 {
            let mut text = String::new();
            for key in plain_keys() {
                if dice.below(2) == 0 {
                    text.push_str(&format!("{key}: {}\n", dice.pick(VALUES).unwrap()));
                }
            }
            let root = yaml::parse(&text, 1).unwrap().root;
            let Some(map) = root.as_ref().and_then(|node| node.as_map()) else { continue };
            assert!(are_plain(map));
            for form in [Form::Skill, Form::Agent] {
                assert_eq!(read(map, form, true), read(map, form, false), "{text}");
            }
        }
    }

    #[test]
    fn another_spelling_or_another_key_is_not_plain() {
        for text in ["Name: a\n", "allowed_tools: a\n", "name: a\nscript: b\n", "tools: a\n"] {
            let root = yaml::parse(text, 1).unwrap().root.unwrap();
            assert!(!are_plain(root.as_map().unwrap()), "{text}");
        }
    }
}
