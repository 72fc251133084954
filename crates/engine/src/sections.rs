//! `prompt --format sections`: the skills whose text a person wants in the prompt whole, one section each.
//!
//! Only a person's own configuration asks for that (`inject = true`); a project's cannot. Nothing is shortened or
//! escaped: what does not fit is left out.

use crate::hall::Hall;
use crate::instructions::instructions;
use guild_catalog::Entry;
use guild_catalog::prompt::{Budget, Catalog};

/// Writes the sections of the given skills, whole ones only, as long as they fit; they share one priority, so they come
/// in the order given. A skill whose file cannot be read now is among those left out.
pub fn sections(hall: &Hall, entries: &[&Entry], budget: Option<Budget>) -> Catalog {
    let room = budget.map_or(usize::MAX, Budget::characters);
    let mut catalog = Catalog::default();
    for entry in entries.iter().filter(|entry| is_injected(hall, entry)) {
        let name = entry.qualified_name().into_owned();
        let section = instructions(hall, entry).map(|found| section(entry, &found.text));
        let gap = if catalog.text.is_empty() { "" } else { "\n\n" };
        match section {
            Ok(section) if fits(&[&catalog.text, gap, &section], room) => {
                catalog.text.push_str(gap);
                catalog.text.push_str(&section);
                catalog.shown += 1;
            }
            _ => catalog.dropped.push(name),
        }
    }
    catalog
}

fn is_injected(hall: &Hall, entry: &Entry) -> bool {
    let names = entry.names();
    hall.config.is_injected(&names.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

fn section(entry: &Entry, text: &str) -> String {
    let heading = entry.skill.title.as_deref().unwrap_or(&entry.skill.name);
    let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("## {heading}\n\n{}", text.trim())
}

fn fits(parts: &[&str], room: usize) -> bool {
    parts.iter().map(|part| part.chars().count()).sum::<usize>() <= room
}
