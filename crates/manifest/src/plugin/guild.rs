//! `guild.plugin.json`: our own manifest, a superset of the others, strict, with every mistake told at once.

mod contributions;

use super::component::{self, Declared};
use super::contribution::Capability;
use super::dialect::Dialect;
use super::fields::Fields;
use super::inspection::shown;
use super::mcp::{HttpKind, open};
use super::model::{Plugin, Scan};
use super::{metadata, setting};
use crate::fold::nearest;
use semver::{Version, VersionReq};

/// Every key that means something.
const KEYS: [&str; 29] = [
    "$schema",
    "id",
    "name",
    "description",
    "version",
    "capabilities",
    "requiredEnvVars",
    "optionalEnvVars",
    "dependencies",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "skills",
    "commands",
    "agents",
    "hooks",
    "mcpServers",
    "tools",
    "toolsModule",
    "promptSections",
    "components",
    "queryTypes",
    "actionHandlers",
    "settings",
    "userConfig",
    "defaultEnabled",
    "metadata",
];

/// Reads the manifest; whatever breaks a rule is reported, and any of that keeps the plugin out.
pub(super) fn read(mut fields: Fields<'_>) -> Plugin {
    let mut plugin = Plugin::new(Dialect::Guild, identifier(&mut fields));
    plugin.title = fields.required("name");
    metadata::read(&mut fields, &mut plugin);
    plugin.description = plugin.description.filter(|text| !text.is_empty());
    check_presence(&fields);
    check_version(&fields, plugin.version.as_deref());
    plugin.capabilities = capabilities(&mut fields);
    plugin.required_env = variables(&mut fields, "requiredEnvVars");
    plugin.optional_env = variables(&mut fields, "optionalEnvVars");
    plugin.dependencies = metadata::dependencies(&mut fields, "dependencies");
    check_dependencies(&fields, &plugin);
    places(&mut fields, &mut plugin);
    plugin.tools_module = component::module(&mut fields, "toolsModule");
    contributions::read(&mut fields, &mut plugin);
    plugin.settings = setting::read(&mut fields, "settings");
    plugin.settings.extend(setting::read(&mut fields, "userConfig"));
    plugin.default_enabled = fields.flag("defaultEnabled").unwrap_or(true);
    plugin.extra = fields.extra();
    for key in KEYS {
        fields.take(key);
    }
    fields.report_unknown(&KEYS);
    plugin
}

fn identifier(fields: &mut Fields<'_>) -> String {
    let id = fields.required("id").unwrap_or_default();
    let rule = Dialect::Guild.name_rule();
    if !id.is_empty() && !rule.allows(&id) {
        let message = format!("`id` is `{}`, which is not kebab-case", shown(&id));
        fields.refuse(fields.at_key("id"), message, format!("use {}", rule.in_words()));
    }
    id
}

/// A description may be empty, but it has to be there; so do a version and the capabilities.
fn check_presence(fields: &Fields<'_>) {
    for key in ["description", "version", "capabilities"] {
        if fields.peek(key).is_none() {
            fields.missing(key);
        }
    }
}

fn check_version(fields: &Fields<'_>, version: Option<&str>) {
    let Some(version) = version else { return };
    if let Err(error) = Version::parse(version) {
        let message = format!("`version` is `{}`, which is no semantic version: {error}", shown(version));
        fields.refuse(
            fields.at_key("version"),
            message,
            "write three numbers, such as `1.2.3` or `1.2.3-beta.1`",
        );
    }
}

fn capabilities(fields: &mut Fields<'_>) -> Vec<Capability> {
    let words = fields.texts("capabilities");
    let mut known = Vec::new();
    for word in &words {
        match Capability::ALL.into_iter().find(|capability| capability.as_str() == word) {
            Some(capability) if known.contains(&capability) => {}
            Some(capability) => known.push(capability),
            None => {
                let all = Capability::ALL.map(Capability::as_str);
                let hint = match nearest(word, all) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("use {}", all.join(", ")),
                };
                let message = format!("`capabilities` names `{}`, which is not known", shown(word));
                fields.refuse(fields.at_key("capabilities"), message, hint);
            }
        }
    }
    known
}

fn variables(fields: &mut Fields<'_>, key: &str) -> Vec<String> {
    let names = fields.texts(key);
    for name in names.iter().filter(|name| !is_variable(name)) {
        let message = format!("`{key}` names `{}`, which is no environment variable", shown(name));
        fields.refuse(fields.at_key(key), message, "use letters, digits and underscores, such as `API_KEY`");
    }
    names
}

fn is_variable(name: &str) -> bool {
    let is_start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    is_start && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn check_dependencies(fields: &Fields<'_>, plugin: &Plugin) {
    let at = fields.at_key("dependencies");
    for dependency in &plugin.dependencies {
        let name = shown(&dependency.name);
        if dependency.name == plugin.name {
            fields.refuse(at, "the plugin depends on itself", "remove it from `dependencies`");
        } else if !Dialect::AgentPlugin.name_rule().allows(&dependency.name) {
            fields.refuse(
                at,
                format!("`dependencies` names `{name}`, which is no plugin's name"),
                "correct the name",
            );
        }
        if let Some(Err(error)) = dependency.version.as_deref().map(VersionReq::parse) {
            let message =
                format!("`dependencies` asks for a version of `{name}` that cannot be read: {error}");
            fields.refuse(at, message, "write a range, such as `^1.2` or `>=1.2, <2`");
        }
    }
}

fn places(fields: &mut Fields<'_>, plugin: &mut Plugin) {
    plugin.skill_dirs = component::skill_dirs(fields, Declared::Adds, Scan::Grouped);
    plugin.commands = component::places(fields, "commands");
    plugin.agents = component::places(fields, "agents");
    plugin.hooks = component::hooks(fields);
    let usual = Some(".mcp.json");
    let manners = open::Manners { usual, declared: Declared::Adds, plain_url: HttpKind::Streamable };
    plugin.mcp_servers = open::read(fields, manners);
}
