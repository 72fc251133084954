//! The manifests of Claude, Codex, Cursor, Copilot and Gemini, and the layout without one.
//!
//! They are one family: the same keys, with a few habits of each. They are read leniently, and a name or a field
//! that cannot be used never hides the skills beside it.

use super::component::{self, Declared};
use super::dialect::{Dialect, is_usable};
use super::fields::{Fields, Manner};
use super::inspection::{Document, Inspection, shown};
use super::mcp::{HttpKind, open};
use super::model::{Plugin, Scan};
use super::{author::Author, metadata, setting};
use crate::tree::Map;
use crate::{Code, Pos, Problem};

/// Files and directories of which one is enough to make a plugin without a manifest.
const LAYOUT_DIRS: [&str; 3] = ["skills", "commands", "agents"];
const LAYOUT_FILES: [&str; 3] = ["hooks/hooks.json", ".mcp.json", "SKILL.md"];

/// The habits in which the dialects of the family differ.
struct Habits {
    declared: Declared,
    scan: Scan,
    has_commands: bool,
    servers: open::Manners,
}

/// Reads a manifest of the family.
pub(super) fn read(dialect: Dialect, mut fields: Fields<'_>) -> Plugin {
    let habits = habits(dialect);
    let (name, title) = identity(dialect, &mut fields);
    let mut plugin = Plugin::new(dialect, name);
    metadata::read(&mut fields, &mut plugin);
    plugin.title = fields.text("displayName").or(title);
    interface(&mut fields, &mut plugin);
    plugin.skill_dirs = component::skill_dirs(&mut fields, habits.declared, habits.scan);
    if habits.has_commands {
        plugin.commands = component::places(&mut fields, "commands");
        plugin.agents = component::places(&mut fields, "agents");
    }
    plugin.hooks = component::hooks(&mut fields);
    plugin.mcp_servers = open::read(&mut fields, habits.servers);
    plugin.dependencies = metadata::dependencies(&mut fields, "dependencies");
    plugin.settings =
        setting::read(&mut fields, if dialect == Dialect::Gemini { "settings" } else { "userConfig" });
    plugin.settings_schema = (dialect == Dialect::Cursor).then(|| fields.data("variables")).flatten();
    plugin.default_enabled = fields.flag("defaultEnabled").unwrap_or(true);
    plugin.extra = fields.extra();
    plugin
}

/// Reads the layout without a manifest; none if the directory does not have it.
pub(super) fn read_bare(inspection: Inspection<'_>) -> Option<Plugin> {
    let files = inspection.files;
    let has_layout = LAYOUT_DIRS.iter().any(|path| files.is_dir(path))
        || LAYOUT_FILES.iter().any(|path| files.is_file(path));
    if !has_layout {
        return None;
    }
    let document = Document { map: Map::default(), at: Pos::START };
    let mut fields = Fields::new(inspection, &document, Manner::Lenient, Code::PluginField);
    let habits = habits(Dialect::Bare);
    let mut plugin = Plugin::new(Dialect::Bare, inspection.directory_name);
    plugin.skill_dirs = component::skill_dirs(&mut fields, habits.declared, habits.scan);
    plugin.commands = component::places(&mut fields, "commands");
    plugin.agents = component::places(&mut fields, "agents");
    plugin.hooks = component::hooks(&mut fields);
    plugin.mcp_servers = open::read(&mut fields, habits.servers);
    Some(plugin)
}

fn habits(dialect: Dialect) -> Habits {
    let adds = matches!(dialect, Dialect::Claude | Dialect::Bare);
    let declared = if adds { Declared::Adds } else { Declared::Replaces };
    let usual = match dialect {
        Dialect::Cursor => Some("mcp.json"),
        Dialect::Gemini => None,
        _ => Some(".mcp.json"),
    };
    let plain_url = if dialect == Dialect::Gemini { HttpKind::Sse } else { HttpKind::Streamable };
    Habits {
        declared,
        scan: if dialect == Dialect::Codex { Scan::Grouped } else { Scan::Children },
        has_commands: dialect != Dialect::Codex,
        servers: open::Manners { usual, declared, plain_url },
    }
}

/// The name, and the one to show where the manifest's cannot be part of a qualified name.
fn identity(dialect: Dialect, fields: &mut Fields<'_>) -> (String, Option<String>) {
    let inspection = fields.inspection;
    let directory = inspection.directory_name.to_owned();
    let at = fields.at_key("name");
    let rule = dialect.name_rule();
    let Some(name) = fields.text("name") else {
        let message = "the manifest has no usable name; the directory's is used";
        inspection.report(Problem::new(Code::NameMissing, at, message, "add `name`"));
        return (directory, None);
    };
    let hint = format!("use {}", rule.in_words());
    if !is_usable(&name) {
        let message = format!("the name `{}` cannot qualify skills; the directory's is used", shown(&name));
        inspection.report(Problem::new(Code::NameInvalid, at, message, hint));
        return (directory, Some(name));
    }
    if !rule.allows(&name) {
        let message = format!("the name `{}` breaks the rule of its host, which may refuse it", shown(&name));
        inspection.report(Problem::new(Code::PluginField, at, message, hint));
    }
    (name, None)
}

/// What Codex says under `interface`, where the plugin says nothing itself; the block is kept as a whole too.
fn interface(fields: &mut Fields<'_>, plugin: &mut Plugin) {
    let Some(node) = fields.peek("interface") else { return };
    let Some(mut parts) = fields.within("interface", node) else { return };
    plugin.title = plugin.title.take().or_else(|| parts.text("displayName"));
    plugin.description = plugin.description.take().or_else(|| parts.text("shortDescription"));
    plugin.homepage = plugin.homepage.take().or_else(|| parts.text("websiteURL"));
    plugin.author = plugin.author.take().or_else(|| {
        let name = parts.text("developerName")?;
        Some(Author { name: Some(name), ..Author::default() })
    });
}
