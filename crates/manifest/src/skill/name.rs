//! What a skill is called: its own name where that can serve, else the directory's or the file's.
//!
//! Whether another skill bears it too is the catalog's to say.

use super::{Source, text_of};
use crate::tree::Map;
use crate::{Code, Pos, Problem};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization as _;

/// The longest name that serves as an identifier, in characters.
const MAX_CHARS: usize = 64;

/// A skill's names.
pub struct Names {
    pub name: String,
    pub aliases: Vec<String>,
    pub title: Option<String>,
}

/// Whether a name can serve as an identifier: letters and digits of any script, `.`, `_` and `-`, not at the start.
pub fn is_usable(name: &str) -> bool {
    // Letters of any script are looked up one by one, which few names need.
    let is_ordinary = |byte: u8| byte.is_ascii_alphanumeric() | matches!(byte, b'.' | b'_' | b'-');
    name.starts_with(char::is_alphanumeric)
        && (name.len() <= MAX_CHARS || name.chars().count() <= MAX_CHARS)
        && (name.bytes().all(is_ordinary)
            || name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-')))
}

/// Decides the names; a name that cannot serve is kept as a title and an alias.
pub fn resolve(map: &Map, at: Pos, source: &Source<'_>, problems: &mut Vec<Problem>) -> Names {
    let stem = source.stem;
    let title = text_of(map, "display-name", problems).map(one_line);
    let written = text_of(map, "name", problems).map(one_line);
    let name_at = map.entry("name").map_or(at, |entry| entry.value.at);
    match written {
        None => {
            let name = identifier(stem);
            let message = format!("the skill has no name; `{name}` is used");
            problems.push(Problem::new(Code::NameMissing, at, message, format!("add `name: {name}`")));
            Names { aliases: others(&name, [stem]), name, title }
        }
        Some(written) => match usable(&written) {
            Some(name) => {
                if name != stem && !name.chars().eq(stem.nfkc()) {
                    let is_flat = source.file.rsplit_once('.').is_some_and(|(before, _)| before == stem);
                    let whose = if is_flat { "file" } else { "directory" };
                    let message =
                        format!("the name `{written}` differs from the {whose}'s, `{stem}`; both find it");
                    let hint = format!("give both the same name; several agents go by the {whose}'s");
                    problems.push(Problem::new(Code::NameMismatch, name_at, message, hint));
                }
                Names { aliases: others(&name, [written.as_str(), stem]), name: name.into_owned(), title }
            }
            None => {
                let name = identifier(stem);
                let message =
                    format!("the name cannot serve as an identifier; `{name}` is used and the name is shown");
                let hint = "use at most 64 letters, digits, `-`, `_` and `.`, such as `my-skill`";
                problems.push(Problem::new(Code::NameInvalid, name_at, message, hint));
                Names {
                    aliases: others(&name, [written.as_str(), stem]),
                    name,
                    title: title.or(Some(written)),
                }
            }
        },
    }
}

/// The name in its one normal form, if that can serve: accents may be written as one character or as two.
fn usable(written: &str) -> Option<Cow<'_, str>> {
    let name = if written.is_ascii() { Cow::Borrowed(written) } else { Cow::Owned(written.nfkc().collect()) };
    is_usable(&name).then_some(name)
}

/// Text with every run of white space as one space, as names are shown.
fn one_line(text: String) -> String {
    let is_ordinary = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if !is_ordinary && text.contains(|c: char| c.is_whitespace() && c != ' ') {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text
}

fn others<const N: usize>(name: &str, candidates: [&str; N]) -> Vec<String> {
    let mut aliases: Vec<String> = candidates
        .into_iter()
        .filter(|alias| *alias != name && !alias.is_empty())
        .map(str::to_owned)
        .collect();
    aliases.dedup();
    aliases
}

/// The stem itself, or what is usable of it.
fn identifier(stem: &str) -> String {
    if let Some(stem) = usable(stem) {
        return stem.into_owned();
    }
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let slug: String = stem.nfkc().map(kept).skip_while(|c| !c.is_alphanumeric()).take(MAX_CHARS).collect();
    let slug = slug.trim_end_matches(['-', '.', '_']);
    if slug.is_empty() { "skill".to_owned() } else { slug.to_owned() }
}
