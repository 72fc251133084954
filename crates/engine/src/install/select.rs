//! Which of the installed things are meant.

use crate::{Code, Refusal};
use guild_catalog::near;
use guild_source::lock::{Entry, Kind, Lock};

/// The entries of these names, or all where none is named. `skill:NAME` and `plugin:NAME` say which of two is meant.
pub fn select<'l>(lock: &'l Lock, names: &[String]) -> Result<Vec<&'l Entry>, Refusal> {
    if names.is_empty() {
        return Ok(lock.entries().iter().collect());
    }
    let mut selected: Vec<&Entry> = Vec::new();
    for name in names {
        let entry = one(lock, name)?;
        if !selected.iter().any(|known| std::ptr::eq(*known, entry)) {
            selected.push(entry);
        }
    }
    Ok(selected)
}

/// The one entry of a name.
pub fn one<'l>(lock: &'l Lock, name: &str) -> Result<&'l Entry, Refusal> {
    let (kind, bare) = match name.split_once(':') {
        Some(("skill", bare)) => (Some(Kind::Skill), bare),
        Some(("plugin", bare)) => (Some(Kind::Plugin), bare),
        _ => (None, name),
    };
    let is_meant = |entry: &&Entry| entry.name == bare && kind.is_none_or(|kind| kind == entry.kind);
    let mut found = lock.entries().iter().filter(is_meant);
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry),
        (Some(_), Some(_)) => {
            let message =
                format!("a skill and a plugin are called `{bare}`; write `skill:{bare}` or `plugin:{bare}`");
            Err(Refusal::new(Code::SkillAmbiguous, message))
        }
        (None, _) => {
            let near = near(bare, lock.entries().iter().map(|entry| entry.name.clone()));
            let hint = if near.is_empty() {
                "`guild list --installed` shows what is".to_owned()
            } else {
                format!("did you mean `{}`?", near.join("`, `"))
            };
            Err(Refusal::new(Code::NotInstalled, format!("`{bare}` is not installed here; {hint}")))
        }
    }
}
