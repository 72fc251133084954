//! The files of one skill directory: what leads out of it, and the stamps that tell when to look again.
//!
//! It looks at names and links and reads no file.

use crate::directory::{Directory, Kind, Name};
use crate::index::Stamp;
use guild_manifest::{Code, Pos, Problem};
use std::ffi::{OsStr, OsString};
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

/// How deep a skill's own files are looked at.
const MAX_DEPTH: usize = 12;
/// How many entries of one skill are looked at.
const MAX_ENTRIES: usize = 10_000;
/// Directories that belong to tools and not to the skill's author.
const SKIPPED: &[&str] = &[".git", "node_modules", "__pycache__"];

/// Whether a directory belongs to a tool and not to the skill's author.
pub fn is_skipped(name: &OsStr) -> bool {
    SKIPPED.iter().any(|skipped| name == *skipped)
}

/// A skill's directory: open, and where it is.
pub struct SkillDirectory<'a> {
    pub open: &'a Directory,
    pub path: &'a Path,
}

/// What came of looking at a skill's files.
#[derive(Default)]
pub struct Surveyed {
    /// Stamps of the directories, so that a change anywhere is noticed.
    pub beside: Vec<(String, Stamp)>,
    /// What is wrong with the files.
    pub problems: Vec<Problem>,
}

/// Looks at everything in a skill's directory, whose top level is given; what is `read` is looked at in any case.
pub fn survey(skill: &SkillDirectory<'_>, top: &[Name], read: &[&str]) -> Surveyed {
    let mut survey = Survey { skill, real: None, entries: 0, found: Surveyed::default() };
    survey.level(skill.open, Path::new(""), top, 0);
    if survey.is_limited() {
        // Ten thousand files before a link would else hide where it leads.
        let is_there = |path: &&&str| skill.path.join(path).exists();
        read.iter().filter(is_there).for_each(|path| survey.link(Path::new(path)));
    }
    survey.found
}

struct Survey<'a> {
    skill: &'a SkillDirectory<'a>,
    /// The directory without links; found only when a link has to be judged.
    real: Option<Option<PathBuf>>,
    entries: usize,
    found: Surveyed,
}

impl Survey<'_> {
    fn level(&mut self, directory: &Directory, relative: &Path, names: &[Name], depth: usize) {
        if let Ok(facts) = directory.facts() {
            self.found.beside.push((relative.to_string_lossy().into_owned(), Stamp::of(&facts)));
        }
        for name in names {
            self.entries += 1;
            if self.entries > MAX_ENTRIES || depth > MAX_DEPTH {
                return self.tell_limit(relative);
            }
            match name.kind {
                Kind::Link => self.link(&joined(relative, Path::new(&name.name))),
                Kind::Directory if !is_skipped(&name.name) => {
                    if let Ok(below) = directory.open_below(Path::new(&name.name)) {
                        let names = below.names().unwrap_or_default();
                        self.level(&below, &joined(relative, Path::new(&name.name)), &names, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    fn link(&mut self, relative: &Path) {
        let skill = self.skill;
        let real = self.real.get_or_insert_with(|| skill.path.canonicalize().ok());
        let shown = relative.to_string_lossy().into_owned();
        let problem = match skill.path.join(relative).canonicalize() {
            Err(_) => {
                let message = format!("the link `{shown}` leads nowhere");
                Problem::new(Code::LinkBroken, Pos::START, message, "mend or remove the link")
            }
            Ok(target) if real.as_ref().is_some_and(|real| target.starts_with(real)) => return,
            Ok(_) => {
                let message = format!("`{shown}` is a link that leads out of the skill's directory");
                let hint = "copy the file into the skill instead of linking it";
                Problem::new(Code::FileEscapes, Pos::START, message, hint)
            }
        };
        let problem = problem.in_file(shown);
        if !self.found.problems.contains(&problem) {
            self.found.problems.push(problem);
        }
    }

    fn is_limited(&self) -> bool {
        self.found.problems.iter().any(|problem| problem.code == Code::ScanLimit)
    }

    fn tell_limit(&mut self, relative: &Path) {
        if !self.is_limited() {
            let message =
                format!("the skill has more than {MAX_ENTRIES} files or is deeper than {MAX_DEPTH}");
            let hint = "keep what the skill does not need elsewhere";
            let problem = Problem::new(Code::ScanLimit, Pos::START, message, hint);
            self.found.problems.push(problem.in_file(relative.to_string_lossy()));
        }
    }
}

/// Two relative paths as one, without the slash that joining nothing would leave.
pub fn joined(directory: &Path, path: &Path) -> PathBuf {
    match (directory.as_os_str().is_empty(), path.as_os_str().is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => directory.to_owned(),
        // Joining looks for separators and grows what it just made; this is done for every skill.
        _ if !path.is_absolute() && !is_separated(directory) => {
            let parts = [directory.as_os_str(), OsStr::new(MAIN_SEPARATOR_STR), path.as_os_str()];
            let mut whole = OsString::with_capacity(parts.iter().map(|part| part.len()).sum());
            parts.iter().for_each(|part| whole.push(part));
            PathBuf::from(whole)
        }
        _ => directory.join(path),
    }
}

fn is_separated(directory: &Path) -> bool {
    directory.as_os_str().as_encoded_bytes().ends_with(MAIN_SEPARATOR_STR.as_bytes())
}
