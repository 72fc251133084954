//! The four shapes of a catalog: what frames it, how one skill is written, and how it says that some are missing.
//!
//! A layout knows nothing of budgets; it is told how many characters a description may have.

use super::{Format, Item, WHOLE, safe};

/// How a catalog of one format is put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    format: Format,
    head: &'static str,
    separator: &'static str,
    foot: &'static str,
}

/// One skill, its text already harmless. Name and location are escaped; the rest is escaped after it was cut.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    description: String,
    when_to_use: String,
    location: String,
    subagent: bool,
}

impl Entry {
    /// A cap from which on nothing is cut.
    pub(super) fn longest_cap(&self) -> usize {
        self.description.len() + self.when_to_use.len()
    }
}

const XML_HEAD: &str = "\
When a skill clearly applies to the task, read the file at its location before you act; otherwise leave it closed.
Open no more than one skill before you begin.
<available_skills>
";

const INDEX_HEAD: &str = "\
# Skills — playbooks you can run

Run one with skill_run(name, arguments) or /name: one marked [🧬 subagent] works on its own and returns only its \
answer, any other adds its text to this turn.

```
";

/// What name, tag and description share on a line of an index.
const INDEX_WIDTH: usize = 80;

impl Layout {
    pub(super) fn new(format: Format) -> Self {
        let (head, separator, foot) = match format {
            Format::Xml => (XML_HEAD, "\n", "\n</available_skills>"),
            Format::Index => (INDEX_HEAD, "\n", "\n```"),
            Format::Bullets => ("", "\n", ""),
            Format::Json => ("[", ",", "]"),
        };
        Self { format, head, separator, foot }
    }

    /// `item`, made harmless for this format.
    pub(super) fn entry(self, item: &Item<'_>) -> Entry {
        let line = |text: &str| match self.format {
            Format::Xml | Format::Json => safe::one_line(text),
            Format::Index | Format::Bullets => safe::plain(&safe::one_line(text)),
        };
        let name = self.escape(&line(item.name));
        let description = line(item.description);
        let when_to_use = line(item.when_to_use.unwrap_or_default());
        let (description, when_to_use) = match self.format {
            Format::Xml | Format::Bullets => {
                (safe::one_line(&sentences(&description, &when_to_use)), String::new())
            }
            Format::Index => (safe::clip(&description, index_width(&name, item.subagent)), String::new()),
            Format::Json => (description, when_to_use),
        };
        let location = self.escape(&safe::path(item.location));
        Entry { name, description, when_to_use, location, subagent: item.subagent }
    }

    /// The catalog of `entries`, which says that `missing` more exist.
    pub(super) fn text(self, entries: &[Entry], missing: usize, cap: usize) -> String {
        let mut parts: Vec<String> = entries.iter().map(|entry| self.write(entry, cap)).collect();
        parts.extend(self.note(missing));
        let joined = parts.join(self.separator);
        match (entries, self.format) {
            _ if joined.is_empty() => joined,
            ([], Format::Xml | Format::Index | Format::Bullets) => joined.trim_start().to_owned(),
            _ => format!("{}{joined}{}", self.head, self.foot),
        }
    }

    /// The length of what stands before and after the entries.
    pub(super) fn frame(self) -> usize {
        safe::length(self.head) + safe::length(self.foot)
    }

    /// The length of what stands between two entries.
    pub(super) fn separator_length(self) -> usize {
        safe::length(self.separator)
    }

    /// The length of one entry.
    pub(super) fn length(self, entry: &Entry, cap: usize) -> usize {
        safe::length(&self.write(entry, cap))
    }

    /// The length of the note on missing skills, with its separator.
    pub(super) fn note_length(self, missing: usize) -> usize {
        self.note(missing).map_or(0, |note| safe::length(&note) + self.separator_length())
    }

    /// Whether `cap` takes something from the entry.
    pub(super) fn cuts(self, entry: &Entry, cap: usize) -> bool {
        self.write(entry, cap) != self.write(entry, WHOLE)
    }

    fn note(self, missing: usize) -> Option<String> {
        let note = match self.format {
            Format::Xml => format!("  … ({missing} more; use search)"),
            Format::Index | Format::Bullets => format!("… ({missing} more; use search)"),
            Format::Json => format!("{{\"more\":{missing}}}"),
        };
        (missing > 0).then_some(note)
    }

    fn write(self, entry: &Entry, cap: usize) -> String {
        match self.format {
            Format::Xml => self.write_xml(entry, cap),
            Format::Index => write_line(entry, tag(entry.subagent), " — ", cap),
            Format::Bullets => write_line(entry, "", ": ", cap),
            Format::Json => self.write_json(entry, cap),
        }
    }

    fn write_xml(self, entry: &Entry, cap: usize) -> String {
        let Entry { name, location, .. } = entry;
        let description = match self.escape(&safe::shrink(&entry.description, cap)) {
            text if text.is_empty() => text,
            text => format!("    <description>{text}</description>\n"),
        };
        format!(
            "  <skill>\n    <name>{name}</name>\n{description}    <location>{location}</location>\n  </skill>"
        )
    }

    fn write_json(self, entry: &Entry, cap: usize) -> String {
        let Entry { name, location, .. } = entry;
        let kind = if entry.subagent { "subagent" } else { "inline" };
        let description = self.escape(&safe::shrink(&entry.description, cap));
        let rest = cap.saturating_sub(safe::length(&entry.description));
        let when_to_use = match self.escape(&safe::shrink(&entry.when_to_use, rest)) {
            text if text.is_empty() => text,
            text => format!(",\"when_to_use\":\"{text}\""),
        };
        format!(
            "{{\"name\":\"{name}\",\"description\":\"{description}\",\"location\":\"{location}\"{when_to_use},\"kind\":\"{kind}\"}}"
        )
    }

    fn escape(self, text: &str) -> String {
        match self.format {
            Format::Xml => safe::xml(text),
            Format::Json => safe::json(text),
            Format::Index | Format::Bullets => text.to_owned(),
        }
    }
}

fn write_line(entry: &Entry, tag: &str, dash: &str, cap: usize) -> String {
    let description = safe::shrink(&entry.description, cap);
    let dash = if description.is_empty() { "" } else { dash };
    format!("- {}{tag}{dash}{description}", entry.name)
}

fn tag(subagent: bool) -> &'static str {
    if subagent { " [🧬 subagent]" } else { "" }
}

/// What a line of an index has left for the description.
fn index_width(name: &str, subagent: bool) -> usize {
    let taken = safe::length(name) + safe::length(tag(subagent));
    INDEX_WIDTH.saturating_sub(taken).max(1)
}

/// Two texts as one, with a period between them where the first has no end of its own.
fn sentences(first: &str, second: &str) -> String {
    let is_open = first.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '"' | '\''));
    let joint = if is_open && !second.is_empty() { "." } else { "" };
    format!("{first}{joint} {second}")
}
