//! The content of a skill that was found: its text when it is needed, and whether two are the same.

use super::builtins;
use crate::Scope;
use crate::directory::{self, Kind};
use crate::snapshot::{Entry, Place};
use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How many files are compared before two skills count as different.
const MAX_COMPARED: usize = 2_000;

/// The bytes of a skill's file, as they are now.
pub fn bytes(entry: &Entry) -> io::Result<Cow<'static, [u8]>> {
    if entry.place.scope == Scope::Builtin {
        let text = builtins::text(&entry.skill.name).unwrap_or_default();
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    fs::read(entry.place.path()).map(Cow::Owned)
}

/// The files of a skill, relative to its directory, sorted; a flat skill has one.
pub fn files(place: &Place) -> Vec<String> {
    if place.flat || place.scope == Scope::Builtin {
        return vec![place.file.to_string()];
    }
    let mut files = Vec::new();
    collect(&place.directory, Path::new(""), &mut files);
    files.sort();
    files.into_iter().map(|file| file.to_string_lossy().into_owned()).collect()
}

/// Whether two skills whose own files are equal are equal throughout.
pub fn same_content(a: &Place, b: &Place) -> bool {
    if a.flat || b.flat {
        return a.flat
            && b.flat
            && fs::read(a.path()).is_ok_and(|ours| fs::read(b.path()).is_ok_and(|b| ours == b));
    }
    let real = |place: &Place| place.directory.canonicalize().ok();
    if real(a).is_some() && real(a) == real(b) {
        return true;
    }
    let (ours, theirs) = (files(a), files(b));
    let equal = |file: &String| {
        let read = |place: &Place| fs::read(place.directory.join(file)).ok();
        read(a).is_some() && read(a) == read(b)
    };
    ours.len() <= MAX_COMPARED && ours == theirs && ours.iter().all(equal)
}

fn collect(root: &Path, relative: &Path, files: &mut Vec<PathBuf>) {
    let Ok(names) = directory::names(&root.join(relative)) else { return };
    for name in names {
        let path = relative.join(&name.name);
        if files.len() > MAX_COMPARED {
            return;
        }
        if name.kind != Kind::Directory {
            files.push(path);
        } else if !super::skill_files::is_skipped(&name.name) {
            collect(root, &path, files);
        }
    }
}
