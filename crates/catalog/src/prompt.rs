//! Prompt catalogs: the skills an agent may use, as text for its prompt, within a budget.
//!
//! Names, descriptions and places are strangers' text. Here they become data that cannot leave its line or its
//! element (see [`Format`]); whether they are fit to be shown at all is decided before. Which skills are listed,
//! and in which order, is the caller's choice: what is dropped is dropped from the end.

mod layout;
mod safe;
#[cfg(test)]
mod tests;

use layout::{Entry, Layout};

/// One skill as a catalog shows it.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// The qualified name, as lists show it.
    pub name: &'a str,
    /// What the skill does.
    pub description: &'a str,
    /// When the skill applies.
    pub when_to_use: Option<&'a str>,
    /// The absolute path of its file, or `(builtin)`.
    pub location: &'a str,
    /// Whether it runs in an isolated child agent.
    pub subagent: bool,
}

/// The shape of a catalog.
///
/// In all of them each run of blanks and line ends in a name or description is one blank, and control
/// characters, bidirectional marks and every other character that draws nothing are taken out. Then `&`, `<`,
/// `>` and quotes are escaped in XML, and `<`, `>`, `"` and `\` in JSON. An index and bullets have no escapes:
/// there `<` and `>` become `‹` and `›`, and three backticks or more become apostrophes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Two rules, then `<available_skills>` with name, description and location of each.
    Xml,
    /// A heading, one sentence, then a fenced block with one line of at most 85 characters for each, unless a
    /// name alone is longer.
    Index,
    /// `- name: description`, one line for each.
    Bullets,
    /// A compact array of objects with `name`, `description`, `location`, `when_to_use` where there is one, and
    /// `kind`, which is `inline` or `subagent`; where skills are missing, `{"more":N}` is the last of them.
    Json,
}

/// How long a catalog may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// In Unicode scalar values.
    Characters(usize),
    /// In tokens of a model, estimated as four characters each.
    Tokens(usize),
}

impl Budget {
    /// The budget in characters.
    pub const fn characters(self) -> usize {
        match self {
            Self::Characters(count) => count,
            Self::Tokens(count) => count.saturating_mul(CHARACTERS_PER_TOKEN),
        }
    }
}

/// A catalog, and what was left out of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    /// The text, without a newline at its end; empty when there is nothing to list.
    pub text: String,
    /// How many skills it lists.
    pub shown: usize,
    /// Names, as they were given, of the listed skills whose description the budget cut or left out.
    pub shortened: Vec<String>,
    /// Names, as they were given, of the skills that found no room.
    pub dropped: Vec<String>,
}

/// The budget of an index when none is given, for its lines without heading and fence.
pub const INDEX_CHARACTERS: usize = 2_000;

/// Renders `items` in their order; the same items give the same bytes.
///
/// Over budget, all names stay and descriptions are cut to one common length, the greatest that fits. Where the
/// names alone do not fit, as many as can be kept are kept from the start, and the text says how many are
/// missing; if not even that fits, the text is empty. Without a budget only an index is limited, to
/// [`INDEX_CHARACTERS`].
pub fn render(items: &[Item<'_>], format: Format, budget: Option<Budget>) -> Catalog {
    let layout = Layout::new(format);
    let entries: Vec<Entry> = items.iter().map(|item| layout.entry(item)).collect();
    let room = match budget {
        Some(budget) => budget.characters(),
        None if format == Format::Index => INDEX_CHARACTERS + layout.frame(),
        None => usize::MAX,
    };
    let text = layout.text(&entries, 0, WHOLE);
    if safe::length(&text) <= room {
        return Catalog { text, shown: items.len(), shortened: Vec::new(), dropped: Vec::new() };
    }
    let kept = count_kept(layout, &entries, room);
    let (shown, dropped) = entries.split_at_checked(kept).unwrap_or((&entries, &[]));
    let cap = common_cap(layout, shown, dropped.len(), room);
    let text = layout.text(shown, dropped.len(), cap);
    let shortened = items.iter().zip(shown).filter(|(_, entry)| layout.cuts(entry, cap));
    Catalog {
        text: if safe::length(&text) <= room { text } else { String::new() },
        shown: kept,
        shortened: shortened.map(|(item, _)| item.name.to_owned()).collect(),
        dropped: items.iter().skip(kept).map(|item| item.name.to_owned()).collect(),
    }
}

/// A common estimate for English; other languages need more tokens.
const CHARACTERS_PER_TOKEN: usize = 4;

/// No limit to a description.
const WHOLE: usize = usize::MAX;

/// How many of `entries`, from the first, fit into `room` without descriptions.
fn count_kept(layout: Layout, entries: &[Entry], room: usize) -> usize {
    let (mut kept, mut length) = (0, layout.frame());
    for (before, entry) in entries.iter().enumerate() {
        length += layout.length(entry, 0) + if before == 0 { 0 } else { layout.separator_length() };
        let missing = entries.len() - before - 1;
        if length + layout.note_length(missing) <= room {
            kept = before + 1;
        } else if length > room {
            break;
        }
    }
    kept
}

/// The greatest number of characters that every description may have; it is known that none at all fit.
fn common_cap(layout: Layout, shown: &[Entry], missing: usize, room: usize) -> usize {
    let fits = |cap: usize| {
        let entries: usize = shown.iter().map(|entry| layout.length(entry, cap)).sum();
        let separators = shown.len().saturating_sub(1) * layout.separator_length();
        layout.frame() + entries + separators + layout.note_length(missing) <= room
    };
    let longest = shown.iter().map(Entry::longest_cap).max().unwrap_or(0);
    let (mut fitting, mut exceeding) = (0, longest + 1);
    while exceeding - fitting > 1 {
        let middle = fitting.midpoint(exceeding);
        if fits(middle) { fitting = middle } else { exceeding = middle }
    }
    fitting
}
