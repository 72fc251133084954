//! What a skill is called: its own name where that can serve, else the directory's or the file's.
//!
//! Whether another skill bears it too is the catalog's to say.

use super::text_of;
use crate::tree::Map;
use crate::{Code, Pos, Problem};
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
    name.starts_with(char::is_alphanumeric)
        && name.chars().count() <= MAX_CHARS
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// Decides the names; a name that cannot serve is kept as a title and an alias.
pub fn resolve(map: &Map, at: Pos, stem: &str, problems: &mut Vec<Problem>) -> Names {
    let title = text_of(map, "display-name", problems);
    let written = text_of(map, "name", problems);
    let name_at = map.entry("name").map_or(at, |entry| entry.value.at);
    match written {
        None => {
            let message = format!("the skill has no name; `{stem}` is used");
            problems.push(Problem::new(
                Code::NameMissing,
                at,
                message,
                format!("add `name: {}`", identifier(stem)),
            ));
            let name = identifier(stem);
            Names { aliases: others(&name, [stem]), name, title }
        }
        Some(written) if is_usable(&written) => {
            if written != stem && !written.nfkc().eq(stem.nfkc()) {
                let message =
                    format!("the name `{written}` differs from the directory's, `{stem}`; both find it");
                let hint = "give both the same name; several agents go by the directory's";
                problems.push(Problem::new(Code::NameMismatch, name_at, message, hint));
            }
            Names { aliases: others(&written, [stem]), name: written, title }
        }
        Some(written) => {
            let name = identifier(stem);
            let message =
                format!("the name cannot serve as an identifier; `{name}` is used and the name is shown");
            let hint = "use at most 64 letters, digits, `-`, `_` and `.`, such as `my-skill`";
            problems.push(Problem::new(Code::NameInvalid, name_at, message, hint));
            Names { aliases: others(&name, [written.as_str(), stem]), name, title: title.or(Some(written)) }
        }
    }
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
    if is_usable(stem) {
        return stem.to_owned();
    }
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let slug: String = stem.chars().map(kept).skip_while(|c| !c.is_alphanumeric()).take(MAX_CHARS).collect();
    let slug = slug.trim_end_matches(['-', '.', '_']);
    if slug.is_empty() { "skill".to_owned() } else { slug.to_owned() }
}
