//! The files of what Guildhall ships, compiled in: whole plugins, and the built-in skills of one file each.
//!
//! They are handed out as they are in memory; nothing is unpacked here. A bundled plugin is found like any other one,
//! under the directory that [`DIRECTORY`] stands for.

use crate::discover::builtin_text;
use crate::snapshot::Place;
use crate::{Scope, discover::SKILL_FILE};
use guild_manifest::plugin::{Files, Found};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What stands in for the directory that built-in skills and plugins lie in.
pub const DIRECTORY: &str = "(builtin)";

/// A file that is compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledFile {
    /// Its path, with forward slashes.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
    /// Whether it is a program.
    pub executable: bool,
}

/// A plugin that is compiled in.
#[derive(Debug)]
pub(crate) struct Bundle {
    /// The name of its directory.
    pub name: &'static str,
    /// Its files, sorted by path.
    pub files: &'static [BundledFile],
}

macro_rules! bundle {
    ($name:literal: $($kind:ident $path:literal),+ $(,)?) => {
        Bundle { name: $name, files: &[$(BundledFile {
            path: $path,
            bytes: include_bytes!(concat!("../builtins/", $name, "/", $path)),
            executable: bundle!(@$kind),
        }),+] }
    };
    (@file) => { false };
    (@program) => { true };
}

/// The plugins that are compiled in.
pub(crate) const PLUGINS: &[Bundle] = &[bundle!("guild-samples":
    file ".claude-plugin/plugin.json",
    file "skills/code-complexity/SKILL.md",
    file "skills/code-complexity/references/outputs.json",
    file "skills/code-complexity/references/scoring.md",
    file "skills/code-complexity/scripts/command.py",
    program "skills/code-complexity/scripts/complexity.py",
    file "skills/code-complexity/scripts/python_files.py",
    file "skills/scientific-debugging/SKILL.md",
    file "skills/scientific-debugging/references/method.md",
    file "skills/scientific-debugging/references/outputs.json",
    file "skills/scientific-debugging/scripts/command.py",
    program "skills/scientific-debugging/scripts/worksheet.py",
    file "skills/systemic-vulnerability-scan/SKILL.md",
    file "skills/systemic-vulnerability-scan/references/categories.md",
    file "skills/systemic-vulnerability-scan/references/outputs.json",
    file "skills/systemic-vulnerability-scan/scripts/command.py",
    file "skills/systemic-vulnerability-scan/scripts/python_files.py",
    file "skills/systemic-vulnerability-scan/scripts/rules.py",
    program "skills/systemic-vulnerability-scan/scripts/scan.py",
    file "skills/systemic-vulnerability-scan/scripts/secret_patterns.py",
)];

/// The files of a bundled plugin, sorted by path; `None` where none of that name is compiled in.
pub fn plugin(name: &str) -> Option<&'static [BundledFile]> {
    PLUGINS.iter().find(|bundle| bundle.name == name).map(|bundle| bundle.files)
}

/// The files of a skill that is compiled in, sorted by path, which is relative to the skill's directory; `None` for a
/// skill that lies on a disk.
pub fn files(place: &Place) -> Option<Vec<BundledFile>> {
    if place.scope != Scope::Builtin {
        return None;
    }
    let Some(name) = &place.plugin else {
        let name = place.directory.file_name().map(OsStr::to_string_lossy)?;
        let bytes = builtin_text(&name)?.as_bytes();
        return Some(vec![BundledFile { path: SKILL_FILE, bytes, executable: false }]);
    };
    let below = |file: &BundledFile| {
        let inner = Path::new(file.path).strip_prefix(place.directory.strip_prefix(directory(name)).ok()?);
        Some(BundledFile { path: inner.ok()?.to_str()?, ..*file })
    };
    plugin(name).map(|files| files.iter().filter_map(below).collect())
}

/// What stands in for the directory of a built-in skill or plugin.
pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(DIRECTORY).join(name)
}

impl Bundle {
    /// The names and texts of the skills right below a directory of the plugin.
    pub fn skills_in(&self, directory: &str) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        self.files.iter().filter_map(move |file| {
            let (name, file_name) = file.below(directory)?.rsplit_once('/')?;
            (file_name == SKILL_FILE && !name.contains('/')).then_some((name, file.bytes))
        })
    }
}

impl BundledFile {
    /// Its path below a directory, if it is there. As text, since taking paths apart would be the larger part of looking through
    /// a bundle, and that is done on every start.
    fn below(&self, directory: &str) -> Option<&'static str> {
        self.path.strip_prefix(directory)?.strip_prefix('/')
    }
}

impl Files for Bundle {
    fn file(&self, path: &str) -> Found {
        match self.files.iter().find(|file| file.path == path) {
            Some(file) => Found::Bytes(file.bytes.to_vec()),
            None if self.is_dir(path) => Found::NotAFile,
            None => Found::Missing,
        }
    }

    fn is_dir(&self, path: &str) -> bool {
        path == "." || self.files.iter().any(|file| file.below(path).is_some())
    }

    fn is_file(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }
}

#[cfg(test)]
mod tests;
