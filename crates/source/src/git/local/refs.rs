//! What the names of a repository stand for.

use super::content;
use super::object::Id;
use crate::spec::is_reference;
use std::path::Path;

/// The largest file with a ref, or with all of them, that is read.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How many names may stand for each other.
const MAX_LINKS: usize = 5;

/// The object that a name stands for, in the order in which git looks for it; the default branch where none is given.
pub fn find(directory: &Path, name: Option<&str>) -> Option<Id> {
    let Some(name) = name else { return resolve(directory, "HEAD") };
    let places = [format!("refs/{name}"), format!("refs/tags/{name}"), format!("refs/heads/{name}")];
    // Git takes a whole name as it is.
    let is_whole = name == "HEAD" || name.starts_with("refs/");
    if is_whole { None } else { places.iter().find_map(|place| resolve(directory, place)) }
}

/// The object of a whole name.
fn resolve(directory: &Path, name: &str) -> Option<Id> {
    let mut name = name.to_owned();
    for _ in 0..MAX_LINKS {
        let Some(bytes) = content(&directory.join(&name), MAX_BYTES) else { return packed(directory, &name) };
        let text = String::from_utf8(bytes).ok()?;
        match text.strip_prefix("ref:") {
            Some(other) => name = Some(other.trim()).filter(|name| is_whole(name))?.to_owned(),
            None => return Id::parse(text.trim_end()),
        }
    }
    None
}

/// Whether a name is one of a ref, so that it leads nowhere else.
fn is_whole(name: &str) -> bool {
    name.starts_with("refs/") && is_reference(name)
}

/// The object of a name that has no file of its own: `ID NAME` in a file of many.
fn packed(directory: &Path, name: &str) -> Option<Id> {
    let text = String::from_utf8(content(&directory.join("packed-refs"), MAX_BYTES)?).ok()?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter(|(_, known)| *known == name).find_map(|(id, _)| Id::parse(id))
}
