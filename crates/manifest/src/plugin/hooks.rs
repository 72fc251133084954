//! What is wrong with a plugin's hooks, in a file of them or in the manifest itself.
//!
//! It only looks: what runs is decided where it runs. Whatever a host would pass over in silence is told, since a gate that somebody
//! misspelled gates nothing.

mod events;

use super::fields::{Fields, Manner};
use super::inspection::{Form, Inspection, MANIFEST_LIMIT, shown};
use super::{Found, path};
use crate::fold::nearest;
use crate::tree::{Entry, Node, json::Grammar};
use crate::{Code, Problem};
use events::{Family, family};

/// Keys beside the events, which say something about the file.
const ABOUT: [&str; 6] = ["$schema", "description", "version", "name", "disableAllHooks", "hooks"];
/// What a host's hook may be.
const TYPES: [&str; 5] = ["command", "http", "mcp_tool", "prompt", "agent"];
/// Where a host's command has its text.
const COMMANDS: [&str; 3] = ["command", "bash", "powershell"];
/// What stands for the plugin's directory in a host's command.
const ROOTS: [&str; 5] = [
    "${CLAUDE_PLUGIN_ROOT}",
    "$CLAUDE_PLUGIN_ROOT",
    "${PLUGIN_ROOT}",
    "${CURSOR_PLUGIN_ROOT}",
    "${extensionPath}",
];

/// Looks at a file of hooks.
pub(super) fn check_file(inspection: Inspection<'_>, file: &str) {
    let inspection = inspection.at_file(file);
    let form = Form { grammar: Grammar::Json, limit: MANIFEST_LIMIT, code: Code::HooksInvalid };
    match inspection.files.file(file) {
        Found::Missing => {}
        Found::Bytes(bytes) => {
            if let Some(document) = inspection.document(&bytes, form) {
                check(&Fields::new(inspection, &document, Manner::Lenient, Code::HooksInvalid));
            }
        }
        other => other.refuse(inspection, Code::HooksInvalid),
    }
}

/// Looks at an object of hooks: events by their names, or all of them under `hooks`.
pub(super) fn check(fields: &Fields<'_>) {
    match fields.peek("hooks") {
        None => check_events(fields),
        Some(node) => {
            if let Some(inner) = fields.within("hooks", node) {
                check_events(&inner);
            }
        }
    }
}

fn check_events(fields: &Fields<'_>) {
    for entry in fields.entries().iter().filter(|entry| !ABOUT.contains(&entry.key.as_str())) {
        match family(&entry.key) {
            Some(Family::Own) => check_own(fields, &entry.key, &entry.value),
            Some(Family::Hosts) => check_groups(fields, &entry.key, &entry.value),
            None => report_unknown(fields, entry),
        }
    }
}

fn report_unknown(fields: &Fields<'_>, entry: &Entry) {
    // A key of any length may stand here, and none that long is a slip of the pen.
    let near = Some(&entry.key).filter(|key| key.len() <= 64);
    let hint = match near.and_then(|key| nearest(key, events::all())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "use `before_run` or `after_run`, or an event of the host that it is for".to_owned(),
    };
    let message = format!("no event is called `{}`, so nothing of it ever runs", shown(&entry.key));
    fields.inspection.report(Problem::new(Code::HookEventUnknown, entry.key_at, message, hint));
}

/// A hook of our own: a file, a command as words, an object with either, or a list of those.
fn check_own(fields: &Fields<'_>, label: &str, node: &Node) {
    match node.as_list() {
        Some(items) if items.len() < 2 || !is_words(items) => {
            items.iter().for_each(|item| check_one(fields, label, item));
        }
        _ => check_one(fields, label, node),
    }
}

fn check_one(fields: &Fields<'_>, label: &str, node: &Node) {
    if let Some(file) = node.as_str() {
        return check_entrypoint(fields, label, file, node);
    }
    if node.as_list().is_some_and(is_words) {
        return;
    }
    let Some(mut parts) = node.as_map().and_then(|_| fields.within(label, node)) else {
        return fields.wrong(
            label,
            node,
            "a file, a list of words, or an object with `entrypoint` or `command`",
        );
    };
    match (parts.take("entrypoint"), parts.take("command")) {
        (Some(file), None) => match file.as_str() {
            Some(text) => check_entrypoint(&parts, "entrypoint", text, file),
            None => parts.wrong("entrypoint", file, "a file of the plugin"),
        },
        (None, Some(command)) if command.as_list().is_some_and(is_words) => {}
        (None, Some(command)) => parts.wrong("command", command, "a list of a program and its arguments"),
        _ => {
            let message = format!("`{}` has to name one of `entrypoint` and `command`", parts.name());
            parts.refuse(node.at, message, "keep the one that is to be run");
        }
    }
}

fn is_words(items: &[Node]) -> bool {
    let is_program = items.first().and_then(Node::as_str).is_some_and(|program| !program.is_empty());
    is_program && items.iter().all(|item| item.as_str().is_some())
}

fn check_entrypoint(fields: &Fields<'_>, label: &str, file: &str, node: &Node) {
    if let Err(wrong) = path::contained(file) {
        let message =
            format!("`{}`: the path `{}` {wrong}; the hook is left out", fields.named(label), shown(file));
        fields.refuse(
            node.at,
            message,
            "write a path below the plugin's directory, such as `./hooks/check.sh`",
        );
    }
}

/// What hosts have at an event: groups with a matcher and their hooks, or the hooks at once.
fn check_groups(fields: &Fields<'_>, label: &str, node: &Node) {
    let Some(groups) = node.as_list() else {
        return fields.wrong(label, node, "a list of hooks");
    };
    for group in groups {
        let Some(parts) = fields.within(label, group) else { continue };
        match parts.peek("hooks") {
            None => check_hook(parts, group),
            Some(inner) => match inner.as_list() {
                None => parts.wrong("hooks", inner, "a list of hooks"),
                Some(hooks) => hooks.iter().for_each(|hook| {
                    if let Some(within) = parts.within("hooks", hook) {
                        check_hook(within, hook);
                    }
                }),
            },
        }
    }
}

fn check_hook(mut hook: Fields<'_>, node: &Node) {
    let kind = hook.text("type");
    if let Some(kind) = kind.as_deref().filter(|kind| !TYPES.contains(kind)) {
        let message = format!("`{}` is `{}`, which no host knows", hook.named("type"), shown(kind));
        return hook.refuse(hook.at_key("type"), message, format!("use {}", TYPES.join(", ")));
    }
    if kind.is_some_and(|kind| kind != "command") {
        return;
    }
    let Some(command) = hook.take_any(&COMMANDS) else {
        return hook.refuse(node.at, format!("`{}` has no command", hook.name()), "add `command`");
    };
    match command.as_str() {
        None => hook.wrong("command", command, "text"),
        Some(text) if text.trim().is_empty() => {
            hook.refuse(
                command.at,
                format!("`{}` has an empty command", hook.name()),
                "say what is to be run",
            );
        }
        Some(text) => check_command(&hook, command, text),
    }
}

/// Whether a path that begins at the plugin's directory stays there.
fn check_command(hook: &Fields<'_>, node: &Node, text: &str) {
    for root in ROOTS {
        for rest in text.split(root).skip(1) {
            let ends = |c: char| c.is_whitespace() || "\"';&|<>()$`".contains(c);
            // `"${ROOT}"/run.sh` is the same path.
            let rest = rest.strip_prefix('"').unwrap_or(rest);
            let below = rest.split(ends).next().unwrap_or_default();
            if !path::stays_inside(below) {
                let message = format!(
                    "`{}` runs `{}`, which lies outside the plugin and is not there in its container",
                    hook.named("command"),
                    shown(&format!("{root}{below}"))
                );
                hook.refuse(node.at, message, "put the file into the plugin");
                return;
            }
        }
    }
}
