//! Keeping a plugin inside its directory: no file of it is read, and no skill of it loaded, that really lies elsewhere.
//!
//! A plugin is staged, hashed and judged as one directory, so what is linked into it from outside would escape all that.

use crate::bounds::{is_inside, leaves};
use crate::precedence::Candidate;
use guild_manifest::plugin::{Files, Found};
use guild_manifest::{Code, Pos, Problem};
use std::fs;
use std::io;
use std::path::Path;

const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;

/// A plugin's directory and the files that lie inside it.
pub struct Contained<'a> {
    directory: &'a Path,
}

impl<'a> Contained<'a> {
    /// The files of the plugin in `directory`.
    pub fn new(directory: &'a Path) -> Self {
        Self { directory }
    }
}

impl Files for Contained<'_> {
    fn file(&self, path: &str) -> Found {
        let whole = self.directory.join(path);
        match fs::symlink_metadata(&whole) {
            Err(error) if is_absence(&error) => return Found::Missing,
            Err(error) => return Found::Unreadable(error.to_string()),
            Ok(_) if leaves(path) || !is_inside(self.directory, &whole) => return Found::NotAFile,
            Ok(_) => {}
        }
        match fs::metadata(&whole) {
            Ok(metadata) if !metadata.is_file() => Found::NotAFile,
            Ok(metadata) if metadata.len() > MAX_MANIFEST_BYTES => Found::Unreadable(format!(
                "it has {} bytes; the limit is {MAX_MANIFEST_BYTES}",
                metadata.len()
            )),
            Ok(_) => fs::read(&whole).map_or_else(|error| Found::Unreadable(error.to_string()), Found::Bytes),
            Err(error) => Found::Unreadable(error.to_string()),
        }
    }

    /// A directory that is linked in from outside counts here, so that its use can be told.
    fn is_dir(&self, path: &str) -> bool {
        !leaves(path) && self.directory.join(path).is_dir()
    }

    fn is_file(&self, path: &str) -> bool {
        let whole = self.directory.join(path);
        !leaves(path) && whole.is_file() && is_inside(self.directory, &whole)
    }
}

/// Leaves a skill as it was found, or takes its content away if it lies outside its plugin's directory.
pub fn contain(directory: &Path, skill: &mut Candidate) {
    let own = skill.place().own();
    // Looking for links is cheaper than resolving every path, and most plugins have none.
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    let has_link = own.ancestors().take_while(|path| *path != directory).any(is_link);
    if has_link && !is_inside(directory, &own) {
        let hint = "copy the skill into the plugin instead of linking it";
        let problem = Problem::new(
            Code::FileEscapes,
            Pos::START,
            "the skill is a link that leads out of its plugin",
            hint,
        );
        let place = skill.place().clone();
        let problem = problem.in_file(place.file.as_ref());
        *skill = Candidate::new(place, None, skill.fingerprint(), vec![problem]);
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
