//! What plugins say of events, in our own way and in that of the vendors' `hooks.json`.
//!
//! An entry that cannot be understood is left out; a gate that somebody misspelled gates nothing, and `check` says so.

use std::fs;
use std::path::Path;
use std::time::Duration;

use guild_manifest::plugin::{HookSource, Plugin, ToolRun};
use serde_json::Value;

/// A longer file is none of hooks.
const LARGEST: u64 = 256 << 10;
/// How urgent a hook is that does not say.
const PRIORITY: i64 = 100;
/// How long a hook may take that does not say, and the longest that it may say.
const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST_PATIENCE: Duration = Duration::from_secs(60);

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Before something that needs a grant is run.
    BeforeRun,
    /// When it has ended.
    AfterRun,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventHook {
    /// When it runs.
    pub event: Event,
    /// Its name among its plugin's: `before_run`, `before_run-2`.
    pub id: String,
    /// What is run.
    pub run: ToolRun,
    /// Lower comes first.
    pub priority: i64,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether its no counts.
    pub is_gate: bool,
    /// The skills that it is about, as they are matched; all of them if there is none.
    about: Option<String>,
}

impl Event {
    const ALL: [Self; 2] = [Self::BeforeRun, Self::AfterRun];

    /// Our name of it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::BeforeRun => "before_run",
            Self::AfterRun => "after_run",
        }
    }

    /// The vendors' name of it.
    pub(crate) const fn vendors_name(self) -> &'static str {
        match self {
            Self::BeforeRun => "PreToolUse",
            Self::AfterRun => "PostToolUse",
        }
    }
}

impl EventHook {
    /// Whether it is about this skill. A pattern is a name, with `*` for any part of it, or several with `|` between.
    pub(crate) fn is_meant_for(&self, skill: &str) -> bool {
        let Some(about) = &self.about else { return true };
        about.split('|').map(str::trim).any(|pattern| {
            pattern.is_empty() || pattern == "Skill" || pattern == ".*" || fits(pattern, skill)
        })
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(before) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// The hooks of a plugin in the order in which they are written; without its directory, those of its manifest alone.
pub(crate) fn declared(plugin: &Plugin, directory: Option<&Path>) -> Vec<EventHook> {
    let mut hooks = Vec::new();
    for source in &plugin.hooks {
        match source {
            HookSource::Inline(data) => add(&data.to_json(), &mut hooks),
            HookSource::File(path) => {
                if let Some(read) = directory.and_then(|directory| file(&directory.join(path))) {
                    add(&read, &mut hooks);
                }
            }
            HookSource::Module(_) => {}
        }
    }
    hooks
}

fn file(path: &Path) -> Option<Value> {
    serde_json::from_slice(&read_file(path)?).ok()
}

/// The bytes of a file of hooks that lies there itself, and is no longer than one is.
pub(crate) fn read_file(path: &Path) -> Option<Vec<u8>> {
    let is_usable = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() <= LARGEST);
    if is_usable { fs::read(path).ok() } else { None }
}

/// Adds what an object says of events, by either name; vendors' files have it under `hooks`.
fn add(written: &Value, hooks: &mut Vec<EventHook>) {
    let all = written.get("hooks").filter(|inner| inner.is_object()).unwrap_or(written);
    for event in Event::ALL {
        for entry in list(all.get(event.as_str())) {
            hooks.extend(own(event, entry, hooks));
        }
        for group in list(all.get(event.vendors_name())) {
            for entry in list(group.get("hooks")) {
                hooks.extend(vendors(event, group, entry, hooks));
            }
        }
    }
}

/// One or several.
fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    // A list of words is one command; a list of anything else is several hooks.
    let is_command = |items: &[Value]| items.iter().all(Value::is_string) && items.len() > 1;
    let several = value.and_then(Value::as_array).filter(|items| !is_command(items));
    let one = value.filter(|value| several.is_none() && !value.is_null());
    several.into_iter().flatten().chain(one)
}

/// `"check.sh"`, `["python3", "check.py"]`, or an object with `entrypoint` or `command`.
fn own(event: Event, entry: &Value, known: &[EventHook]) -> Option<EventHook> {
    let words = |value: &Value| {
        let words: Option<Vec<String>> =
            value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect();
        words.filter(|words| words.first().is_some_and(|program| !program.is_empty()))
    };
    let file = |value: &Value| value.as_str().and_then(inside).map(ToolRun::Entrypoint);
    let run = match entry {
        Value::String(_) => file(entry)?,
        Value::Array(_) => ToolRun::Command(words(entry)?),
        _ => match (entry.get("entrypoint"), entry.get("command")) {
            (Some(path), None) => file(path)?,
            (None, Some(command)) => ToolRun::Command(words(command)?),
            _ => return None,
        },
    };
    let timeout = entry.get("timeout_ms").and_then(Value::as_u64).map(Duration::from_millis);
    Some(EventHook {
        event,
        id: id(event, known),
        run,
        priority: entry.get("priority").and_then(Value::as_i64).unwrap_or(PRIORITY),
        timeout: timeout.unwrap_or(PATIENCE).min(LONGEST_PATIENCE),
        is_gate: event == Event::BeforeRun && entry.get("gate") != Some(&Value::Bool(false)),
        about: entry.get("skills").and_then(Value::as_str).map(str::to_owned),
    })
}

/// `{"type": "command", "command": "…", "timeout": 5}` in a group with a `matcher`.
fn vendors(event: Event, group: &Value, entry: &Value, known: &[EventHook]) -> Option<EventHook> {
    let is_command = entry.get("type").is_none_or(|kind| kind == "command");
    let command = entry.get("command").and_then(Value::as_str).filter(|_| is_command)?;
    let places = ["${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT", "${PLUGIN_ROOT}", "${extensionPath}"];
    let command = places.iter().fold(command.to_owned(), |text, place| text.replace(place, "/plugin"));
    // Vendors' hooks read what they are told from standard input.
    let line = format!("{{ {command}\n}} < /input/context.json");
    let timeout = entry.get("timeout").and_then(Value::as_u64).map(Duration::from_secs);
    Some(EventHook {
        event,
        id: id(event, known),
        run: ToolRun::Command(vec!["bash".to_owned(), "-c".to_owned(), line]),
        priority: PRIORITY,
        timeout: timeout.unwrap_or(PATIENCE).min(LONGEST_PATIENCE),
        is_gate: event == Event::BeforeRun,
        about: group.get("matcher").and_then(Value::as_str).map(str::to_owned),
    })
}

fn id(event: Event, known: &[EventHook]) -> String {
    match known.iter().filter(|hook| hook.event == event).count() {
        0 => event.as_str().to_owned(),
        count => format!("{}-{}", event.as_str(), count + 1),
    }
}

/// A path that stays in the plugin.
fn inside(path: &str) -> Option<String> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let leaves = path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part == "..");
    (!leaves).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    #[track_caller]
    fn check(written: &Value, expected: &Expect) {
        let mut hooks = Vec::new();
        add(written, &mut hooks);
        let line = |hook: &EventHook| {
            let EventHook { id, priority, timeout, is_gate, run, .. } = hook;
            format!(
                "{id} {priority} {}ms {} {run:?}\n",
                timeout.as_millis(),
                if *is_gate { "gate" } else { "-" }
            )
        };
        expected.assert_eq(&hooks.iter().map(line).collect::<String>());
    }

    #[test]
    fn our_own_hooks_are_files_commands_or_objects() {
        let written = json!({
            "before_run": ["gate.sh", {"command": ["python3", "b.py"], "priority": 5, "timeout_ms": 900000}, {"entrypoint": "../out.sh"}],
            "after_run": {"entrypoint": "./note.sh", "gate": true},
            "onEnable": "on.sh",
        });
        check(
            &written,
            &expect![[r#"
                before_run 100 10000ms gate Entrypoint("gate.sh")
                before_run-2 5 60000ms gate Command(["python3", "b.py"])
                after_run 100 10000ms - Entrypoint("note.sh")
            "#]],
        );
        check(
            &json!({"before_run": ["python3", "a.py"]}),
            &expect![[r#"
                before_run 100 10000ms gate Command(["python3", "a.py"])
            "#]],
        );
    }

    #[test]
    fn vendors_hooks_are_groups_of_commands() {
        let hook = json!({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/check.sh", "timeout": 3});
        let written = json!({"hooks": {
            "PreToolUse": [{"matcher": "Skill", "hooks": [hook, {"type": "prompt", "prompt": "no"}]}],
            "SessionStart": [{"hooks": [hook]}],
        }});
        check(
            &written,
            &expect![[r#"
                before_run 100 3000ms gate Command(["bash", "-c", "{ /plugin/check.sh\n} < /input/context.json"])
            "#]],
        );
    }

    #[test]
    fn a_hook_is_about_the_skills_that_it_names() {
        let about = |pattern: Option<&str>, skill: &str| {
            let hook = EventHook {
                event: Event::BeforeRun,
                id: String::new(),
                run: ToolRun::Command(Vec::new()),
                priority: 0,
                timeout: PATIENCE,
                is_gate: true,
                about: pattern.map(str::to_owned),
            };
            hook.is_meant_for(skill)
        };
        assert!(about(None, "a/b") && about(Some(""), "a") && about(Some("Bash|Skill"), "a"));
        assert!(about(Some("acme/*"), "acme/lint") && about(Some("*lint"), "acme/lint"));
        assert!(about(Some("a*b*c"), "a1b2c") && about(Some("lint"), "lint"));
        assert!(
            !about(Some("acme/*"), "other/lint")
                && !about(Some("Bash"), "lint")
                && !about(Some("a*b*c"), "acb")
        );
    }
}
