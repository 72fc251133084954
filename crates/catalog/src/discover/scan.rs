//! Walking one root: which of its entries are skills, which are groups of skills, which are neither.
//!
//! Who wins a name is not decided here, and no skill's directory is searched for more skills.

use super::Freshness;
use super::parallel::in_parallel;
use super::skill_files::{SkillDirectory, joined};
use super::skill_reader::{self, Found, Manner};
use super::unreadable;
use crate::directory::{Directory, Kind, Name};
use crate::index::{Check, Index, Record};
use crate::precedence::Candidate;
use crate::snapshot::Place;
use crate::{Machine, Scope, bounds};
use guild_manifest::config::Config;
use guild_manifest::{Code, Pos, Problem, Severity};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Hidden directories that installers group skills in.
const HIDDEN_GROUPS: &[&str] = &[".curated", ".experimental", ".system"];
/// Directories that hold no skills of their own.
const SKIPPED: &[&str] = &["node_modules", "__pycache__", "dist", "build"];

/// How a root is walked.
pub struct Scanner<'a> {
    pub machine: &'a Machine,
    pub config: &'a Config,
    pub freshness: Freshness,
}

/// A root to walk, and what is known of everything found in it.
pub struct Ground {
    /// The directory.
    pub path: PathBuf,
    /// The scope of what is found.
    pub scope: Scope,
    /// The plugin it belongs to.
    pub plugin: Option<Arc<str>>,
    /// Whether the directory itself may be a skill.
    pub itself: bool,
    /// How many levels below it may hold skills.
    pub depth: usize,
}

/// Something in a root that may be a skill; its path is relative to the root.
struct Item {
    path: PathBuf,
    kind: ItemKind,
    /// Its place among the items of its level.
    ordinal: usize,
}

impl Item {
    /// The name in the index; a path that is no text has none, and is read every time.
    fn key(&self) -> Option<&str> {
        self.path.to_str()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Directory,
    Flat,
}

/// What an item turned out to be.
enum Outcome {
    Current,
    Read(Box<Record>),
    Group(Vec<Name>),
    /// A directory that is there and cannot be read.
    Unreadable,
    Nothing,
}

impl Scanner<'_> {
    /// How many levels of groups a root may have.
    pub fn depth(&self) -> usize {
        usize::try_from(self.config.limits.max_depth).unwrap_or(usize::MAX)
    }

    /// Every skill of a root, nearest to its top first.
    pub fn skills(&self, ground: &Ground, problems: &mut Vec<Problem>) -> Vec<Candidate> {
        let cache = self.machine.cache.as_deref();
        let mut index = match self.freshness {
            Freshness::Indexed => Index::open(cache, &ground.path),
            Freshness::Reread => Index::forgotten(cache, &ground.path),
        };
        let Ok(root) = Directory::open(&ground.path) else {
            problems.push(unreadable(&ground.path));
            return Vec::new();
        };
        let mut walk = Walk { ground, found: Vec::new(), fresh: 0, seen_links: HashSet::new(), problems };
        let mut level = vec![Item { path: PathBuf::new(), kind: ItemKind::Directory, ordinal: 0 }];
        let mut room =
            usize::try_from(self.config.limits.max_entries).unwrap_or(usize::MAX).saturating_add(1);
        for depth in 0..=ground.depth {
            if level.len() > room {
                level.truncate(room);
                walk.tell_limit(self.config.limits.max_entries);
            }
            room -= level.len();
            let outcomes = in_parallel(&level, |item| self.examine(ground, &root, item, &index));
            let done = std::mem::take(&mut level);
            for (item, outcome) in done.into_iter().zip(outcomes) {
                level.extend(walk.take(item, outcome, depth, &mut index));
            }
            level.iter_mut().enumerate().for_each(|(ordinal, item)| item.ordinal = ordinal);
        }
        if level.iter().any(|item| item.kind == ItemKind::Directory) && ground.depth > 1 {
            walk.tell_depth(ground.depth);
        }
        walk.keep(&index);
        walk.found.into_iter().map(|(path, record)| ground.candidate(&path, record)).collect()
    }

    fn examine(&self, ground: &Ground, root: &Directory, item: &Item, index: &Index) -> Outcome {
        let manner = Manner::lenient(self.config);
        let check = Check { root, limit: self.config.limits.max_file_bytes };
        if item.key().is_some_and(|key| index.is_current(key, item.ordinal, &check)) {
            return Outcome::Current;
        }
        if item.kind == ItemKind::Flat {
            let read = skill_reader::read_flat(root, &item.path, manner);
            return read.map_or(Outcome::Nothing, |record| Outcome::Read(Box::new(record)));
        }
        let path = joined(&ground.path, &item.path);
        let below = if item.path.as_os_str().is_empty() { Path::new(".") } else { &item.path };
        let open = match root.open_below(below) {
            Ok(open) => open,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Outcome::Nothing,
            Err(_) => return Outcome::Unreadable,
        };
        if item.path.as_os_str().is_empty() && !ground.itself {
            return open.names().map_or(Outcome::Unreadable, Outcome::Group);
        }
        let directory = SkillDirectory { open: &open, path: &path };
        match skill_reader::read_directory(&directory, manner) {
            Found::Skill(record) => Outcome::Read(record),
            Found::Group(names) => Outcome::Group(names),
            Found::Unreadable => Outcome::Unreadable,
        }
    }
}

impl Ground {
    fn candidate(&self, path: &Path, record: Record) -> Candidate {
        let own = joined(&self.path, path);
        let directory =
            if record.flat { own.parent().map_or_else(PathBuf::new, Path::to_owned) } else { own };
        let place = Place {
            scope: self.scope,
            plugin: self.plugin.clone(),
            directory,
            file: record.file,
            flat: record.flat,
        };
        Candidate { place, skill: record.skill, fingerprint: record.fingerprint, problems: record.problems }
    }
}

struct Walk<'a> {
    ground: &'a Ground,
    found: Vec<(PathBuf, Record)>,
    /// How many of them are not in the index as they are.
    fresh: usize,
    seen_links: HashSet<PathBuf>,
    problems: &'a mut Vec<Problem>,
}

impl Walk<'_> {
    /// Notes an outcome and gives the items of the next level.
    fn take(&mut self, item: Item, outcome: Outcome, depth: usize, index: &mut Index) -> Vec<Item> {
        match outcome {
            Outcome::Current => {
                let record = item.key().and_then(|key| index.take(key, item.ordinal));
                self.found.extend(record.map(|record| (item.path, record)));
            }
            Outcome::Read(record) => {
                self.fresh += usize::from(item.key().is_some());
                self.found.push((item.path, *record));
            }
            Outcome::Group(names) => {
                return names.into_iter().filter_map(|name| self.item(&item.path, name, depth)).collect();
            }
            Outcome::Unreadable => self.problems.push(unreadable(&joined(&self.ground.path, &item.path))),
            Outcome::Nothing => {}
        }
        Vec::new()
    }

    /// Writes the index anew if anything in it is not as it was found.
    fn keep(&self, index: &Index) {
        if self.fresh > 0 || index.has_leftovers() {
            let records: Vec<(&str, &Record)> =
                self.found.iter().filter_map(|(path, record)| Some((path.to_str()?, record))).collect();
            index.replace(records.into_iter());
        }
    }

    /// A name in a group, if it may be a skill or a group itself.
    fn item(&mut self, parent: &Path, name: Name, depth: usize) -> Option<Item> {
        let text = name.name.to_string_lossy();
        let is_hidden = text.starts_with('.') && !HIDDEN_GROUPS.contains(&text.as_ref());
        let is_markdown = text.to_ascii_lowercase().ends_with(".md");
        let may_be_flat = is_markdown && depth == 0;
        if is_hidden || SKIPPED.contains(&text.as_ref()) || (name.kind == Kind::File && !may_be_flat) {
            return None;
        }
        let path =
            if parent.as_os_str().is_empty() { PathBuf::from(name.name) } else { parent.join(&name.name) };
        let kind = if name.kind == Kind::Link { self.follow(&path)? } else { name.kind };
        match kind {
            Kind::Directory => Some(Item { path, kind: ItemKind::Directory, ordinal: 0 }),
            // A flat skill is known by its file's name, and replacement characters would name another file.
            Kind::File if may_be_flat && path.to_str().is_none() => {
                let message = "the file's name is no UTF-8, so the file was left out";
                self.tell(Code::NameInvalid, &self.ground.path.join(path), message, "rename it");
                None
            }
            Kind::File if may_be_flat => Some(Item { path, kind: ItemKind::Flat, ordinal: 0 }),
            _ => None,
        }
    }

    /// What a link leads to; `None` where it leads nowhere, back up, or where another link led already.
    fn follow(&mut self, path: &Path) -> Option<Kind> {
        let link = self.ground.path.join(path);
        match bounds::follow(&link) {
            Ok(target) if target.is_dir() => self.seen_links.insert(target).then_some(Kind::Directory),
            Ok(target) => target.is_file().then_some(Kind::File),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    fn tell(&mut self, code: Code, path: &Path, message: &str, hint: &str) {
        self.problems.push(Problem::new(code, Pos::START, message, hint).in_file(path.to_string_lossy()));
    }

    fn tell_depth(&mut self, depth: usize) {
        let message = format!("directories more than {depth} levels down were not searched");
        let hint = "raise `limits.max_depth` if they hold skills";
        let problem = Problem::new(Code::ScanLimit, Pos::START, message, hint).with_severity(Severity::Info);
        self.problems.push(problem.in_file(self.ground.path.to_string_lossy()));
    }

    fn tell_limit(&mut self, limit: u64) {
        let message = format!("the directory holds more than {limit} entries; the rest was left out");
        let path = self.ground.path.clone();
        self.tell(
            Code::ScanLimit,
            &path,
            &message,
            "raise `limits.max_entries`, or move what holds no skills away",
        );
    }
}
