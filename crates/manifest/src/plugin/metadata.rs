//! What every dialect says of a plugin in much the same words: version, description, author, links, dependencies.

use super::author;
use super::fields::Fields;
use super::model::{Dependency, Plugin};
use crate::tree::Node;

/// Reads the keys that most dialects share into `plugin`.
pub(super) fn read(fields: &mut Fields<'_>, plugin: &mut Plugin) {
    plugin.version = fields.text("version");
    plugin.description = fields.text("description");
    plugin.author = author::read(fields, "author");
    plugin.homepage = fields.text("homepage");
    plugin.repository = repository(fields);
    plugin.license = fields.text("license");
    plugin.keywords = fields.texts("keywords");
}

/// The dependencies under `key`: names, or objects of name, range of versions and marketplace.
pub(super) fn dependencies(fields: &mut Fields<'_>, key: &str) -> Vec<Dependency> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let Some(items) = node.as_list() else {
        fields.wrong(key, node, "a list of plugin names");
        return Vec::new();
    };
    let labelled = items.iter().enumerate();
    labelled.filter_map(|(index, item)| dependency(fields, &format!("{key}[{index}]"), item)).collect()
}

fn dependency<'a>(fields: &Fields<'a>, label: &str, node: &'a Node) -> Option<Dependency> {
    if node.as_map().is_none() {
        let name = fields.as_text(label, node)?;
        return Some(Dependency { name, version: None, marketplace: None });
    }
    let mut parts = fields.within(label, node)?;
    let (name, version, marketplace) =
        (parts.required("name"), parts.text("version"), parts.text("marketplace"));
    Some(Dependency { name: name?, version, marketplace })
}

/// A repository's address, alone or in an object as package managers write it.
pub(super) fn repository(fields: &mut Fields<'_>) -> Option<String> {
    let node = fields.take("repository")?;
    if node.as_map().is_some() {
        return fields.within("repository", node)?.text("url");
    }
    fields.as_text("repository", node)
}
