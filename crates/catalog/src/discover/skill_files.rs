//! The files of one skill directory: what is there, what leads out, and the stamps that tell when to look again.

use crate::index::Stamp;
use guild_manifest::{Code, Pos, Problem};
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// How deep a skill's own files are looked at.
const MAX_DEPTH: usize = 12;
/// How many entries of one skill are looked at.
const MAX_ENTRIES: usize = 10_000;
/// Directories that belong to tools and not to the skill's author.
const SKIPPED: &[&str] = &[".git", "node_modules", "__pycache__"];

/// One name in a directory.
pub struct Name {
    pub name: std::ffi::OsString,
    pub kind: FileType,
}

/// The names in a directory, sorted.
pub fn names(directory: &Path) -> io::Result<Vec<Name>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        names.push(Name { kind: entry.file_type()?, name: entry.file_name() });
    }
    names.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(names)
}

/// What a skill's directory holds below its top level.
pub struct Files {
    /// Stamps of the directories, so that a change anywhere is noticed.
    pub stamps: Vec<Stamp>,
    /// What is wrong with the files.
    pub problems: Vec<Problem>,
}

/// Looks at everything below a skill's directory, whose top level is given.
pub fn survey(directory: &Path, top: &[Name]) -> Files {
    let mut survey = Survey {
        directory,
        real: None,
        entries: 0,
        files: Files { stamps: Vec::new(), problems: Vec::new() },
    };
    survey.level(directory, top, 0);
    survey.files
}

struct Survey<'a> {
    directory: &'a Path,
    /// The directory without links; found only when a link has to be judged.
    real: Option<Option<PathBuf>>,
    entries: usize,
    files: Files,
}

impl Survey<'_> {
    fn level(&mut self, directory: &Path, names: &[Name], depth: usize) {
        if let Ok(metadata) = fs::metadata(directory) {
            let relative = directory.strip_prefix(self.directory).unwrap_or(directory);
            self.files.stamps.push(Stamp::new(relative.to_string_lossy(), &metadata));
        }
        for name in names {
            self.entries += 1;
            if self.entries > MAX_ENTRIES || depth > MAX_DEPTH {
                return self.tell_limit(directory);
            }
            let path = || directory.join(&name.name);
            if name.kind.is_symlink() {
                self.link(&path());
            } else if name.kind.is_dir() && !is_skipped(&name.name) {
                let below = path();
                if let Ok(names) = self::names(&below) {
                    self.level(&below, &names, depth + 1);
                }
            }
        }
    }

    fn link(&mut self, path: &Path) {
        let directory = self.directory;
        let real = self.real.get_or_insert_with(|| directory.canonicalize().ok());
        let relative = path.strip_prefix(directory).unwrap_or(path).to_string_lossy().into_owned();
        let problem = match path.canonicalize() {
            Err(_) => {
                let message = format!("the link `{relative}` leads nowhere");
                Problem::new(Code::LinkBroken, Pos::START, message, "mend or remove the link")
            }
            Ok(target) if real.as_ref().is_some_and(|real| target.starts_with(real)) => return,
            Ok(_) => {
                let message = format!("`{relative}` is a link that leads out of the skill's directory");
                Problem::new(Code::FileEscapes, Pos::START, message, "copy the file into the skill instead of linking it")
            }
        };
        self.files.problems.push(problem.in_file(relative));
    }

    fn tell_limit(&mut self, directory: &Path) {
        if !self.files.problems.iter().any(|problem| problem.code == Code::ScanLimit) {
            let message = format!("the skill has more than {MAX_ENTRIES} files or is deeper than {MAX_DEPTH}");
            let problem = Problem::new(Code::ScanLimit, Pos::START, message, "keep what the skill does not need elsewhere");
            let relative = directory.strip_prefix(self.directory).unwrap_or(directory);
            self.files.problems.push(problem.in_file(relative.to_string_lossy()));
        }
    }
}

/// Whether a directory belongs to a tool and not to the skill's author.
pub fn is_skipped(name: &OsStr) -> bool {
    SKIPPED.iter().any(|skipped| name == *skipped)
}
