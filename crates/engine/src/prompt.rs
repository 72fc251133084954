//! `prompt`: the catalog of skills that an agent's model is told of, under a budget.

use crate::Envelope;
use crate::agent::skills_of;
use crate::file_match::FileMatch;
use crate::hall::Hall;
use crate::reply;
use guild_catalog::prompt::{Budget, Format, Item, render};
use guild_catalog::{Entry, Scope};
use guild_manifest::skill::Kind;

/// What prompt to make.
#[derive(Debug)]
pub struct PromptRequest<'a> {
    /// For which agent.
    pub agent: &'a str,
    /// In which form.
    pub format: Format,
    /// At most this long.
    pub budget: Option<Budget>,
    /// Skills whose activation globs match this file come first, and so are dropped last.
    pub file: Option<&'a str>,
}

/// Makes the catalog; empty where the agent has nothing to use.
pub fn prompt(hall: &Hall, request: &PromptRequest<'_>) -> Envelope<reply::Prompt> {
    let mut entries = skills_of(hall, request.agent);
    if let Some(file) = request.file {
        let file = FileMatch::new(hall, file);
        entries.sort_by_key(|entry| !file.matches(entry));
    }
    let texts: Vec<(String, String)> =
        entries.iter().map(|entry| (entry.qualified_name().into_owned(), location(entry))).collect();
    let items: Vec<Item<'_>> =
        entries.iter().zip(&texts).map(|(entry, (name, location))| item(entry, name, location)).collect();
    let catalog = render(&items, request.format, request.budget);
    let message = match (catalog.shortened.len(), catalog.dropped.len()) {
        (0, 0) => String::new(),
        (cut, 0) => format!("{cut} descriptions were shortened to fit the budget"),
        (cut, dropped) => {
            format!(
                "{dropped} of {} skills do not fit the budget and {cut} descriptions were shortened",
                items.len()
            )
        }
    };
    Envelope::ok(reply::Prompt {
        available: items.len(),
        shown: catalog.shown,
        characters: catalog.text.chars().count(),
        text: catalog.text,
        shortened: catalog.shortened,
        dropped: catalog.dropped,
        snapshot: hall.snapshot.version.to_string(),
    })
    .with_message(message)
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
