//! Agent Plugins 1.0.0: a closed manifest at the root, skills and servers in fixed places, most mistakes fatal.

use super::author;
use super::component;
use super::dialect::Dialect;
use super::fields::Fields;
use super::inspection::{Inspection, shown};
use super::mcp;
use super::model::{Plugin, Scan, SkillDir};
use crate::text::decode;
use crate::tree::json::{self, Grammar};
use crate::{Code, Problem};

/// The schema of the one version that is read.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
/// What the schemas of all versions begin with.
const SCHEMAS: &str = "https://agent-plugins.org/schemas/";
/// Every key that the manifest may hold.
const KEYS: [&str; 10] = [
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];

/// Whether a `plugin.json` says that it follows Agent Plugins, of whatever version.
pub(super) fn claims(bytes: &[u8]) -> bool {
    let Ok(text) = decode(bytes, super::MANIFEST_LIMIT) else { return false };
    let Ok(root) = json::parse(&text.text, Grammar::Json, &mut Vec::new()) else { return false };
    let schema = root.as_map().and_then(|map| map.get_exact("$schema")).and_then(|node| node.as_str());
    schema.is_some_and(|schema| schema.starts_with(SCHEMAS))
}

/// Reads the manifest and finds the two kinds of component.
pub(super) fn read(mut fields: Fields<'_>) -> Option<Plugin> {
    let schema = fields.text("$schema")?;
    if schema != SCHEMA {
        let message = format!("`$schema` is `{}`, a version that is not read", shown(&schema));
        fields.refuse(fields.at_key("$schema"), message, format!("write `{SCHEMA}`"));
        return None;
    }
    let mut plugin = Plugin::new(Dialect::AgentPlugin, name(&mut fields));
    metadata(&mut fields, &mut plugin);
    fields.report_unknown(&KEYS);
    plugin.skill_dirs = skill_dirs(fields.inspection).into_iter().collect();
    plugin.mcp_servers = mcp::closed::read(fields.inspection);
    Some(plugin)
}

fn name(fields: &mut Fields<'_>) -> String {
    let name = fields.required("name").unwrap_or_default();
    let rule = Dialect::AgentPlugin.name_rule();
    if !name.is_empty() && !rule.allows(&name) {
        let message = format!("`name` is `{}`, which is no name of an Agent Plugin", shown(&name));
        fields.refuse(fields.at_key("name"), message, format!("use {}", rule.in_words()));
    }
    name
}

fn metadata(fields: &mut Fields<'_>, plugin: &mut Plugin) {
    plugin.version = fields.text("version");
    plugin.description = fields.text("description");
    plugin.homepage = fields.text("homepage");
    plugin.repository = fields.text("repository");
    plugin.license = fields.text("license");
    plugin.keywords = fields.texts("keywords");
    if let Some(node) = fields.take("author") {
        plugin.author = author::read_object(fields, "author", node);
        let known = ["name", "email", "url"];
        let entries = node.as_map().map_or(&[][..], crate::tree::Map::entries);
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("`author.{}` is not allowed", shown(&entry.key));
            fields.refuse(entry.key_at, message, "keep `name`, `email` and `url` only");
        }
    }
    if let Some(node) = fields.take("extensions") {
        if node.as_map().is_some() {
            plugin.extra.push(("extensions".to_owned(), node.to_data()));
        } else {
            let message = format!("`extensions` is {}, but takes an object; it was ignored", node.what());
            let problem =
                Problem::new(Code::PluginField, node.at, message, "write an object, keyed by domain");
            fields.inspection.report(problem);
        }
    }
}

/// The one directory of skills; a file in its place is reported.
fn skill_dirs(inspection: Inspection<'_>) -> Option<SkillDir> {
    let found = component::usual_skill_dir(inspection, Scan::Children);
    if found.is_none() && inspection.has("skills") {
        let message = "`skills` is no directory, so no skill is read";
        let problem =
            Problem::new(Code::PluginPath, crate::Pos::START, message, "make it a directory of skills");
        inspection.report(problem);
    }
    found
}
