//! `marketplace.json`: a list of plugins and where each can be had, in Claude's form and in Codex's.
//!
//! It reads the list. It fetches nothing and runs nothing, and an entry that cannot be used never hides the others.

mod source;

use super::author::{self, Author};
use super::dialect::is_usable;
use super::fields::{Fields, Manner};
use super::inspection::{Form, Inspection, shown};
use super::{Files, Found, metadata};
use crate::tree::{Data, Node, json::Grammar};
use crate::{Code, Problem, Severity};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashSet;

pub use source::{CommandMode, OfferSource};

/// Where a marketplace keeps its file, in the order in which the places are tried.
pub const FILES: [&str; 7] = [
    ".claude-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
    ".agents/plugins/api_marketplace.json",
    ".cursor-plugin/marketplace.json",
    "marketplace.json",
    ".plugin/marketplace.json",
    ".github/plugin/marketplace.json",
];

/// The largest marketplace file that is read.
const LIMIT: usize = 4 * 1024 * 1024;

/// A list of plugins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marketplace {
    /// The name behind the `@` of `plugin@marketplace`.
    pub name: String,
    /// The name shown to people, where it is another one.
    pub title: Option<String>,
    /// Who keeps it.
    pub owner: Option<Author>,
    /// What it is for.
    pub description: Option<String>,
    /// Its version, as written.
    pub version: Option<String>,
    /// What it offers.
    pub plugins: Vec<Offer>,
    /// Plugins that got another name, or none any more.
    pub renames: Vec<(String, Option<String>)>,
    /// Marketplaces that its plugins may depend on.
    pub allowed_marketplaces: Vec<String>,
}

/// One plugin that a marketplace offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The plugin's name.
    pub name: String,
    /// The name shown to people, where it is another one.
    pub title: Option<String>,
    /// Where it can be had.
    pub source: OfferSource,
    /// Its version, as written.
    pub version: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Who made it.
    pub author: Option<Author>,
    /// Its page.
    pub homepage: Option<String>,
    /// Its source.
    pub repository: Option<String>,
    /// Its licence, as written.
    pub license: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// The shelf it stands on.
    pub category: Option<String>,
    /// More words to find it by.
    pub tags: Vec<String>,
    /// Whether the plugin's own manifest has the last word; otherwise this entry is the whole definition.
    pub strict: bool,
    /// Whether the plugin is on once it is installed.
    pub default_enabled: bool,
    /// Directories of skills, instead of the usual one, as paths in the plugin.
    pub skills: Vec<String>,
    /// Codex's policy on who may install it and when it signs in, as written.
    pub policy: Option<Data>,
    /// Other keys of a plugin manifest, as they were written.
    pub extra: Vec<(String, Data)>,
}

/// What came of reading a marketplace.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The marketplace; none if nothing of it can be used.
    pub marketplace: Option<Marketplace>,
    /// The file that was read.
    pub file: &'static str,
    /// What is wrong, by place.
    pub problems: Vec<Problem>,
}

/// Reads the marketplace in a directory; none if there is none.
pub fn read(directory_name: &str, files: &dyn Files) -> Option<Reading> {
    let found = FILES.into_iter().map(|file| (file, files.file(file)));
    let (file, found) = found.into_iter().find(|(_, found)| *found != Found::Missing)?;
    let problems = RefCell::new(Vec::new());
    let inspection = Inspection { directory_name, files, file, problems: &problems };
    let marketplace = match found {
        Found::Bytes(bytes) => from_bytes(&bytes, inspection),
        other => {
            other.refuse(inspection, Code::MarketplaceInvalid);
            None
        }
    };
    let mut problems = problems.into_inner();
    problems.sort_by_key(|problem| problem.at);
    Some(Reading { marketplace, file, problems })
}

fn from_bytes(bytes: &[u8], inspection: Inspection<'_>) -> Option<Marketplace> {
    let form = Form { grammar: Grammar::Json, limit: LIMIT, code: Code::MarketplaceInvalid };
    let document = inspection.document(bytes, form)?;
    let mut fields = Fields::new(inspection, &document, Manner::Lenient, Code::MarketplaceInvalid);
    let Some(node) = fields.take("plugins") else {
        fields.missing("plugins");
        return None;
    };
    let Some(entries) = node.as_list() else {
        fields.wrong("plugins", node, "a list of plugins");
        return None;
    };
    let mut inner = fields.peek("metadata").and_then(|node| fields.within("metadata", node));
    let mut text =
        |fields: &mut Fields<'_>, key: &str| fields.text(key).or_else(|| inner.as_mut()?.text(key));
    let (description, version) = (text(&mut fields, "description"), text(&mut fields, "version"));
    let root = text(&mut fields, "pluginRoot");
    Some(Marketplace {
        name: name(&mut fields),
        title: fields.fields("interface").and_then(|mut parts| parts.text("displayName")),
        owner: owner(&mut fields),
        description,
        version,
        plugins: offers(&fields, entries, root.as_deref()),
        renames: renames(&mut fields),
        allowed_marketplaces: fields.texts("allowCrossMarketplaceDependenciesOn"),
    })
}

fn name(fields: &mut Fields<'_>) -> String {
    let directory = fields.inspection.directory_name.to_owned();
    let Some(name) = fields.required("name") else { return directory };
    if is_usable(&name) {
        return name;
    }
    let message = format!("the name `{}` cannot stand behind an `@`; the directory's is used", shown(&name));
    fields.refuse(fields.at_key("name"), message, "use letters, digits, hyphens, underscores and periods");
    directory
}

/// The owner, whom Claude's form demands and Codex's does not know.
fn owner(fields: &mut Fields<'_>) -> Option<Author> {
    let owner = author::read(fields, "owner");
    let is_demanded = fields.inspection.file.starts_with(".claude-plugin/");
    if is_demanded && owner.as_ref().is_none_or(|owner| owner.name.is_none()) {
        let problem = Problem::new(
            Code::MarketplaceInvalid,
            fields.at_key("owner"),
            "the marketplace does not name its owner, so some hosts refuse it",
            "add `owner` with a `name`",
        );
        fields.inspection.report(problem.with_severity(Severity::Warning));
    }
    owner
}

fn renames(fields: &mut Fields<'_>) -> Vec<(String, Option<String>)> {
    let Some(parts) = fields.fields("renames") else { return Vec::new() };
    let pairs = parts.entries().iter().map(|entry| match entry.value.is_null() {
        true => Some((entry.key.clone(), None)),
        false => Some((entry.key.clone(), Some(parts.as_text(&entry.key, &entry.value)?))),
    });
    pairs.flatten().collect()
}

fn offers<'a>(fields: &Fields<'a>, entries: &'a [Node], root: Option<&str>) -> Vec<Offer> {
    let mut names = HashSet::new();
    let mut offers = Vec::new();
    for (index, node) in entries.iter().enumerate() {
        let Some(offer) =
            fields.within(&format!("plugins[{index}]"), node).and_then(|parts| offer(parts, root))
        else {
            continue;
        };
        if names.insert(offer.name.clone()) {
            offers.push(offer);
        } else {
            let message = format!("`{}` is offered twice; the first one counts", shown(&offer.name));
            fields.refuse(node.at, message, "remove one of the two");
        }
    }
    offers
}

fn offer(mut parts: Fields<'_>, root: Option<&str>) -> Option<Offer> {
    let name = parts.required("name");
    let source = source::read(&mut parts, root);
    let name = name?;
    if !is_usable(&name) {
        let message = format!("`{}` is `{}`, which is no plugin's name", parts.named("name"), shown(&name));
        parts.refuse(parts.at_key("name"), message, "use letters, digits, hyphens, underscores and periods");
        return None;
    }
    Some(Offer {
        name,
        title: parts.text("displayName"),
        source: source?,
        version: parts.text("version"),
        description: parts.text("description"),
        author: author::read(&mut parts, "author"),
        homepage: parts.text("homepage"),
        repository: metadata::repository(&mut parts),
        license: parts.text("license"),
        keywords: parts.texts("keywords"),
        category: parts.text("category"),
        tags: parts.texts("tags"),
        strict: parts.flag("strict").unwrap_or(true),
        default_enabled: parts.flag("defaultEnabled").unwrap_or(true),
        skills: skills(&mut parts),
        policy: parts.data("policy"),
        extra: parts.extra(),
    })
}

fn skills(parts: &mut Fields<'_>) -> Vec<String> {
    let label = parts.named("skills");
    let places = parts.places("skills");
    places.iter().filter_map(|(place, at)| parts.inspection.contained(&label, place, *at)).collect()
}
