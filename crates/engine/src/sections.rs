//! `prompt --format sections`: the sections of plugins that a person has switched on, and the skills whose text they want in the
//! prompt whole.
//!
//! Only a person's own configuration asks for a skill's text (`inject = true`); a project's cannot. Nothing is shortened or
//! escaped: what does not fit is left out.

use crate::hall::Hall;
use crate::instructions::instructions;
use crate::registry::SKILL_PRIORITY;
use crate::reply::MergedSection;
use guild_catalog::Entry;
use guild_catalog::prompt::{Budget, Catalog};

/// Writes the sections of plugins and of the given skills by their priority, whole ones only, as long as they fit. A skill whose file
/// cannot be read now is among those left out.
pub fn sections(
    hall: &Hall,
    plugins: Vec<MergedSection>,
    entries: &[&Entry],
    budget: Option<Budget>,
) -> Catalog {
    let room = budget.map_or(usize::MAX, Budget::characters);
    let mut catalog = Catalog::default();
    for Section { name, text, .. } in by_priority(hall, plugins, entries) {
        let gap = if catalog.text.is_empty() { "" } else { "\n\n" };
        match text {
            Some(text) if fits(&[&catalog.text, gap, &text], room) => {
                catalog.text.push_str(gap);
                catalog.text.push_str(&text);
                catalog.shown += 1;
            }
            _ => catalog.dropped.push(name),
        }
    }
    catalog
}

/// One section as it would be written.
struct Section {
    priority: i64,
    name: String,
    text: Option<String>,
}

fn by_priority(hall: &Hall, plugins: Vec<MergedSection>, entries: &[&Entry]) -> Vec<Section> {
    let of_plugin = |section: MergedSection| Section {
        priority: section.priority,
        name: format!("plugin:{}/{}", section.plugin.unwrap_or_default(), section.heading),
        text: Some(written(&section.heading, &section.content)),
    };
    let of_skill = |entry: &&Entry| Section {
        priority: SKILL_PRIORITY,
        name: entry.qualified_name().into_owned(),
        text: instructions(hall, entry)
            .ok()
            .map(|found| written(entry.skill.title.as_deref().unwrap_or(&entry.skill.name), &found.text)),
    };
    let skills = entries.iter().filter(|entry| is_injected(hall, entry)).map(of_skill);
    let mut sections: Vec<Section> = plugins.into_iter().map(of_plugin).chain(skills).collect();
    sections.sort_by_key(|section| section.priority);
    sections
}

fn is_injected(hall: &Hall, entry: &Entry) -> bool {
    let names = entry.names();
    hall.config.is_injected(&names.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

fn written(heading: &str, text: &str) -> String {
    let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("## {heading}\n\n{}", text.trim())
}

fn fits(parts: &[&str], room: usize) -> bool {
    parts.iter().map(|part| part.chars().count()).sum::<usize>() <= room
}
