//! Mindroom's manifest: a name, modules of Python code, and the directories of its skills.
//!
//! Mindroom refuses a manifest whose known fields have the wrong type, so that does too. The modules are named here
//! and never imported.

use super::component;
use super::dialect::Dialect;
use super::fields::Fields;
use super::inspection::shown;
use super::metadata;
use super::model::{HookSource, Plugin, Scan, SkillDir};
use crate::Code;

/// Reads the manifest.
pub(super) fn read(mut fields: Fields<'_>) -> Option<Plugin> {
    let name = name(&mut fields)?;
    let mut plugin = Plugin::new(Dialect::Mindroom, name);
    plugin.skill_dirs = skill_dirs(&mut fields);
    plugin.tools_module = component::module(&mut fields, "tools_module");
    let hooks = component::module(&mut fields, "hooks_module");
    plugin.hooks = hooks.map(HookSource::Module).into_iter().collect();
    // Mindroom itself does not know these keys, so none of them can make it refuse a plugin.
    let mut fields = fields.with_code(Code::PluginField);
    metadata::read(&mut fields, &mut plugin);
    plugin.extra = fields.extra();
    Some(plugin)
}

fn name(fields: &mut Fields<'_>) -> Option<String> {
    let name = fields.required("name")?;
    let rule = Dialect::Mindroom.name_rule();
    if !rule.allows(&name) {
        let message = format!("`name` is `{}`, which is no name of a Mindroom plugin", shown(&name));
        fields.refuse(fields.at_key("name"), message, format!("use {}", rule.in_words()));
    }
    Some(name)
}

fn skill_dirs(fields: &mut Fields<'_>) -> Vec<SkillDir> {
    if let Some(node) = fields.take("skills").filter(|node| node.as_list().is_none()) {
        fields.wrong("skills", node, "a list of text");
        return Vec::new();
    }
    component::listed_skill_dirs(fields, Scan::Children)
}
