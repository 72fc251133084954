//! `prompt`: the catalog of skills that an agent's model is told of, under a budget.
//!
//! A catalog that sends the model to files names only skills that have one. Whole texts are the business of `sections`.

use crate::agent::{skills_of, slip};
use crate::counted::counted;
use crate::file_match::FileMatch;
use crate::hall::Hall;
use crate::registry::plugin_sections;
use crate::reply::{self, ProblemLine};
use crate::sections::sections;
use crate::vet::Gate;
use crate::{Code, Envelope};
use guild_catalog::prompt::{Budget, Catalog, Format, INDEX_CHARACTERS, Item, render};
use guild_catalog::{Entry, Scope};
use guild_manifest::config::PromptFormat;
use guild_manifest::skill::Kind;

/// What prompt to make.
#[derive(Debug)]
pub struct PromptRequest<'a> {
    /// For which agent.
    pub agent: &'a str,
    /// In which form; `None` for the configured one.
    pub format: Option<PromptFormat>,
    /// At most this long; `None` for the configured length.
    pub budget: Option<Budget>,
    /// Skills whose activation globs match this file come first, and so are dropped last.
    pub file: Option<&'a str>,
}

/// Makes the catalog; empty where the agent has nothing to use.
pub fn prompt<'a>(hall: &'a Hall, request: &PromptRequest<'_>) -> Envelope<reply::Prompt<'a>> {
    let file = match FileMatch::of(hall, request.file) {
        Ok(file) => file,
        Err(message) => return Envelope::error(Code::InvalidPattern, message, empty(hall)),
    };
    let mut entries = skills_of(hall, request.agent);
    if let Some(file) = file {
        entries.sort_by_key(|entry| !file.matches(entry));
    }
    let format = request.format.unwrap_or(hall.config.prompt.format);
    if format == PromptFormat::Xml {
        // This form tells the model to read a skill's file, and a built-in skill has none.
        entries.retain(|entry| entry.place.scope != Scope::Builtin);
    }
    let mut gate = Gate::open(hall);
    let (entries, denied) = gate.admit(hall, entries);
    let plugins = match format {
        PromptFormat::Sections => plugin_sections(hall, &mut gate, request.agent),
        _ => Vec::new(),
    };
    gate.close();
    let budget = request.budget.or_else(|| configured_budget(hall, format));
    let catalog = match catalog_format(format) {
        Some(format) => catalog(&entries, format, budget),
        None => sections(hall, plugins, &entries, budget),
    };
    let available =
        if format == PromptFormat::Sections { catalog.shown + catalog.dropped.len() } else { entries.len() };
    let notes = [losses(&catalog, available), refused(&denied), slip(hall, request.agent)];
    let message = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Envelope::ok(reply::Prompt {
        available,
        shown: catalog.shown,
        characters: catalog.text.chars().count(),
        text: catalog.text,
        shortened: catalog.shortened,
        dropped: catalog.dropped,
        ..empty(hall)
    })
    .with_message(message)
}

fn empty(hall: &Hall) -> reply::Prompt<'_> {
    reply::Prompt {
        text: String::new(),
        available: 0,
        shown: 0,
        shortened: Vec::new(),
        dropped: Vec::new(),
        characters: 0,
        problems: hall.config_problems().map(ProblemLine::of).collect(),
        snapshot: hall.snapshot.version.to_string(),
    }
}

/// What the vet keeps from models, in a sentence.
fn refused(denied: &[String]) -> Option<String> {
    let names = denied.iter().take(5).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    (!denied.is_empty())
        .then(|| format!("{} denied by the vet (see `guild vet`): {names}", counted(denied.len(), "skill")))
}

/// What the budget cost, in a sentence.
fn losses(catalog: &Catalog, available: usize) -> Option<String> {
    let cut = counted(catalog.shortened.len(), "description");
    let verb = if catalog.shortened.len() == 1 { "was" } else { "were" };
    match (catalog.shortened.len(), catalog.dropped.len()) {
        (0, 0) => None,
        (_, 0) => Some(format!("{cut} {verb} shortened to fit the budget")),
        (0, dropped) => {
            Some(format!("{dropped} of {} left out to fit the budget", counted(available, "skill")))
        }
        (_, dropped) => Some(format!(
            "{dropped} of {} left out and {cut} shortened to fit the budget",
            counted(available, "skill")
        )),
    }
}

fn catalog(entries: &[&Entry], format: Format, budget: Option<Budget>) -> Catalog {
    let texts: Vec<(String, String)> =
        entries.iter().map(|entry| (entry.qualified_name().into_owned(), location(entry))).collect();
    let items: Vec<Item<'_>> =
        entries.iter().zip(&texts).map(|(entry, (name, location))| item(entry, name, location)).collect();
    render(&items, format, budget)
}

/// The form of a catalog; sections are none.
fn catalog_format(format: PromptFormat) -> Option<Format> {
    match format {
        PromptFormat::Xml => Some(Format::Xml),
        PromptFormat::Index => Some(Format::Index),
        PromptFormat::Bullets => Some(Format::Bullets),
        PromptFormat::Json => Some(Format::Json),
        PromptFormat::Sections => None,
    }
}

/// The configured length; an index has a shorter one of its own, which only a smaller number changes.
fn configured_budget(hall: &Hall, format: PromptFormat) -> Option<Budget> {
    let characters = usize::try_from(hall.config.prompt.budget).unwrap_or(usize::MAX);
    let own = format == PromptFormat::Index && characters >= INDEX_CHARACTERS;
    (!own).then_some(Budget::Characters(characters))
}

fn item<'a>(entry: &'a Entry, name: &'a str, location: &'a str) -> Item<'a> {
    Item {
        name,
        description: &entry.skill.description,
        when_to_use: entry.skill.when_to_use.as_deref(),
        location,
        subagent: entry.skill.kind == Kind::Subagent,
    }
}

fn location(entry: &Entry) -> String {
    if entry.place.scope == Scope::Builtin {
        "(builtin)".to_owned()
    } else {
        entry.place.path().to_string_lossy().into_owned()
    }
}
