//! What a file of hooks has written in it, for people: every event and what it would run, those included that nothing here obeys.

use guild_manifest::plugin::{HookSource, Lifecycle};
use serde_json::Value;

/// No more than so many are told of one plugin.
const MOST: usize = 100;

/// What one plugin's hooks say that they run; a file that cannot be read is told as that.
pub(crate) fn written(hooks: &[HookSource], read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
    let mut lines = Vec::new();
    for source in hooks {
        match source {
            HookSource::Module(path) => lines.push(path.clone()),
            HookSource::Inline(data) => lines.extend(events(&data.to_json())),
            HookSource::File(path) => {
                let json = read(path).and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
                let found = json.as_ref().map(events);
                lines.extend(match found {
                    None => vec![format!("{path} (cannot be read)")],
                    Some(found) if found.is_empty() => vec![format!("{path} (nothing in it)")],
                    Some(found) => found.into_iter().map(|line| format!("{path} {line}")).collect(),
                });
            }
        }
    }
    if lines.len() > MOST {
        let left = lines.len() - MOST;
        lines.truncate(MOST);
        lines.push(format!("and {left} more"));
    }
    lines
}

/// `EVENT: COMMAND` for everything in an object of hooks; vendors' files have it under `hooks`.
fn events(written: &Value) -> Vec<String> {
    let all = written.get("hooks").filter(|inner| inner.is_object()).unwrap_or(written);
    // What is run when the plugin is switched is told by itself.
    let is_event =
        |event: &str| ![Lifecycle::Enable, Lifecycle::Disable].iter().any(|own| own.as_str() == event);
    let events = all.as_object().into_iter().flatten().filter(|(event, _)| is_event(event));
    events
        .flat_map(|(event, entries)| commands(entries).map(move |what| format!("{event}: {what}")))
        .collect()
}

/// What the entries of one event run, whichever way they are written.
fn commands(entries: &Value) -> Box<dyn Iterator<Item = String> + '_> {
    match entries {
        Value::String(path) => Box::new(std::iter::once(path.clone())),
        Value::Array(items) if items.len() > 1 && items.iter().all(Value::is_string) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Box::new(std::iter::once(words.join(" ")))
        }
        Value::Array(items) => Box::new(items.iter().flat_map(commands)),
        Value::Object(entry) => {
            // A group of the vendors' has its hooks in it; a hook is a command, a file, or a text for a model.
            let inner = ["hooks", "command", "entrypoint", "prompt"].iter().find_map(|key| entry.get(*key));
            inner.map_or_else(|| Box::new(std::iter::empty()) as Box<dyn Iterator<Item = String>>, commands)
        }
        _ => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let source = [HookSource::File("hooks/hooks.json".to_owned())];
        let read = |_: &str| Some(text.as_bytes().to_vec());
        expected.assert_eq(&written(&source, &read).join("\n"));
    }

    #[test]
    fn every_event_is_told_with_what_it_runs() {
        check(
            r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}, {"type": "prompt", "prompt": "Is it well?"}]}],
                "SessionStart": [{"hooks": [{"type": "command", "command": "curl example.org"}]}]}}"#,
            &expect![[r#"
                hooks/hooks.json PreToolUse: ./check.sh
                hooks/hooks.json PreToolUse: Is it well?
                hooks/hooks.json SessionStart: curl example.org"#]],
        );
        check(
            r#"{"before_run": ["python3", "a.py"], "after_run": {"entrypoint": "note.sh"}, "on": 1}"#,
            &expect![[r#"
                hooks/hooks.json before_run: python3 a.py
                hooks/hooks.json after_run: note.sh"#]],
        );
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        check("{", &expect!["hooks/hooks.json (cannot be read)"]);
        check("{}", &expect!["hooks/hooks.json (nothing in it)"]);
        let missing = [HookSource::File("x.json".to_owned()), HookSource::Module("x.py".to_owned())];
        assert_eq!(written(&missing, &|_| None), ["x.json (cannot be read)", "x.py"]);
    }
}
