//! From a name to a skill, or to the sentence that helps whoever mistyped it.
//!
//! It never guesses: several bearers of a name are listed, and near names are only offered.

use crate::Code;
use crate::hall::Hall;
use guild_catalog::{Entry, Lookup};

/// Why a name leads to no skill.
pub struct Unresolved {
    /// Whether nobody bears it or several do.
    pub code: Code,
    /// The sentence for people.
    pub message: String,
    /// Names near it, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

/// Finds a skill by any of its names.
pub fn resolve<'a>(hall: &'a Hall, name: &str) -> Result<&'a Entry, Unresolved> {
    match hall.snapshot.find(name) {
        Lookup::Found(entry) => Ok(entry),
        Lookup::Ambiguous(candidates) => {
            let message =
                format!("several skills are named `{name}`; use one of `{}`", candidates.join("`, `"));
            Err(Unresolved { code: Code::SkillAmbiguous, message, candidates })
        }
        Lookup::Missing(candidates) => {
            let message = not_found(hall, name, &candidates);
            Err(Unresolved { code: Code::SkillNotFound, message, candidates })
        }
    }
}

/// The sentence for a name that nobody bears, with what is near it or why its bearer is out.
fn not_found(hall: &Hall, name: &str, near: &[String]) -> String {
    let qualified = name.replacen(':', "/", 1);
    let broken = hall
        .snapshot
        .broken
        .iter()
        .find(|broken| broken.name == name || broken.place.qualified(&broken.name) == qualified);
    match (broken, near) {
        (Some(broken), _) => format!(
            "skill `{name}` does not load; run `guild check {}` to see why",
            broken.place.own().display()
        ),
        (None, []) => format!("skill `{name}` not found; `guild list` shows every skill"),
        (None, near) => format!("skill `{name}` not found; did you mean `{}`?", near.join("`, `")),
    }
}
