//! What a person may set for a plugin: Claude's `userConfig` mapping and Gemini's `settings` list.
//!
//! What a person did set stands in the configuration.

use super::fields::Fields;
use super::model::{Setting, SettingKind};
use crate::tree::Node;

/// The settings under `key`, in either form.
pub(super) fn read(fields: &mut Fields<'_>, key: &str) -> Vec<Setting> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    if let Some(items) = node.as_list() {
        let labelled = items.iter().enumerate();
        return labelled
            .filter_map(|(index, item)| listed(fields, &format!("{key}[{index}]"), item))
            .collect();
    }
    let Some(map) = node.as_map() else {
        fields.wrong(key, node, "an object of settings");
        return Vec::new();
    };
    let pairs = map.entries().iter();
    pairs
        .filter_map(|entry| keyed(fields, &format!("{key}.{}", entry.key), &entry.key, &entry.value))
        .collect()
}

/// One of Gemini's: it has a name, and arrives in an environment variable.
fn listed<'a>(fields: &Fields<'a>, label: &str, node: &'a Node) -> Option<Setting> {
    let mut parts = fields.within(label, node)?;
    let name = parts.required("name");
    let env = parts.text("envVar");
    let key = env.clone().or_else(|| name.clone())?;
    Some(Setting { title: name, env, ..setting(&mut parts, key) })
}

/// One of Claude's: it stands under its key.
fn keyed<'a>(fields: &Fields<'a>, label: &str, key: &str, node: &'a Node) -> Option<Setting> {
    let mut parts = fields.within(label, node)?;
    Some(setting(&mut parts, key.to_owned()))
}

fn setting(parts: &mut Fields<'_>, key: String) -> Setting {
    Setting {
        key,
        title: parts.text("title"),
        description: parts.text("description"),
        kind: kind(parts),
        env: None,
        required: parts.flag("required").unwrap_or(false),
        sensitive: parts.flag("sensitive").unwrap_or(false),
        multiple: parts.flag("multiple").unwrap_or(false),
        default: parts.take("default").map(Node::to_data),
    }
}

fn kind(parts: &mut Fields<'_>) -> SettingKind {
    let Some(node) = parts.take("type") else { return SettingKind::Text };
    match node.as_str() {
        Some("string") => SettingKind::Text,
        Some("number") => SettingKind::Number,
        Some("boolean") => SettingKind::Boolean,
        Some("directory") => SettingKind::Directory,
        Some("file") => SettingKind::File,
        _ => {
            let known = "`string`, `number`, `boolean`, `directory` or `file`";
            let message = format!("`{}` is none of {known}; text is taken", parts.named("type"));
            parts.refuse(node.at, message, format!("write {known}"));
            SettingKind::Text
        }
    }
}
