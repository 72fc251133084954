//! OpenClaw's native manifest: JSON5 with an `id` and a `configSchema`, and the directories of its skills.
//!
//! Its channels, providers and models are code of OpenClaw's own; they are kept and not interpreted.

use super::component::{self, Declared};
use super::dialect::{Dialect, is_usable};
use super::fields::Fields;
use super::inspection::shown;
use super::mcp::{HttpKind, open};
use super::metadata;
use super::model::{Plugin, Scan};
use crate::Code;

/// Reads the manifest.
pub(super) fn read(fields: Fields<'_>) -> Option<Plugin> {
    let mut fields = fields.with_code(Code::PluginInvalid);
    let id = fields.required("id");
    if fields.peek("configSchema").is_none() {
        fields.missing("configSchema");
    }
    let schema = fields.data("configSchema");
    let id = id?;
    if !is_usable(&id) {
        let message = format!("`id` is `{}`, which cannot qualify skills", shown(&id));
        fields.refuse(
            fields.at_key("id"),
            message,
            format!("use {}", Dialect::OpenClaw.name_rule().in_words()),
        );
    }
    let mut fields = fields.with_code(Code::PluginField);
    let mut plugin = Plugin::new(Dialect::OpenClaw, id);
    metadata::read(&mut fields, &mut plugin);
    plugin.title = fields.text("name");
    plugin.settings_schema = schema;
    plugin.skill_dirs = component::listed_skill_dirs(&mut fields, Scan::Grouped);
    plugin.dependencies = metadata::dependencies(&mut fields, "requiresPlugins");
    let manners = open::Manners { usual: None, declared: Declared::Adds, plain_url: HttpKind::Streamable };
    plugin.mcp_servers = open::read(&mut fields, manners);
    plugin.extra = fields.extra();
    Some(plugin)
}
