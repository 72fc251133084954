//! Walking one root: which of its entries are skills, which are groups of skills, which are neither.
//!
//! Who wins a name is not decided here, and no skill's directory is searched for more skills.

use super::Freshness;
use super::skill_files::{SkillDirectory, joined};
use super::skill_reader::{self, Found, Manner};
use super::unreadable;
use crate::directory::{Directory, Kind, Name};
use crate::index::{Check, Fresh, Index, Record, Stamp, Stored};
use crate::precedence::Candidate;
use crate::snapshot::Place;
use crate::{Machine, Scope, bounds};
use guild_manifest::config::Config;
use guild_manifest::skill::Form;
use guild_manifest::{Code, Pos, Problem, Severity};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Hidden directories that installers group skills in.
const HIDDEN_GROUPS: &[&str] = &[".curated", ".experimental", ".system"];
/// Directories that hold no skills of their own.
const SKIPPED: &[&str] = &["node_modules", "__pycache__"];
/// Directories that programs write, and good names for skills too: right below a root one may be a skill, and none is a group.
const OUTPUTS: &[&str] = &["dist", "build"];

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
    inode: u64,
}

impl Item {
    /// The name in the index; a path that is no text has none, and is read every time.
    fn key(&self) -> Option<&str> {
        self.path.to_str()
    }

    /// Whether only a skill is looked for there.
    fn is_output(&self) -> bool {
        self.path.file_name().is_some_and(|name| OUTPUTS.iter().any(|output| name == *output))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Directory,
    Flat,
}

/// What an item turned out to be.
enum Outcome {
    /// A skill.
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

    /// Adds every skill of a root to `found`, nearest to its top first.
    pub fn skills(&self, ground: &Ground, found: &mut Vec<Candidate>, problems: &mut Vec<Problem>) {
        let stored = match self.freshness {
            Freshness::Indexed => Stored::open(self.machine, &ground.path),
            Freshness::Reread => Stored::forgotten(self.machine, &ground.path),
        };
        let Ok(root) = Directory::open(&ground.path) else {
            return problems.push(unreadable(&ground.path));
        };
        let mut walk = Walk {
            ground,
            index: stored.index(),
            fresh: Fresh::default(),
            found,
            seen_links: HashSet::new(),
            problems,
        };
        let mut level = vec![Item { path: PathBuf::new(), kind: ItemKind::Directory, inode: 0 }];
        let mut room =
            usize::try_from(self.config.limits.max_entries).unwrap_or(usize::MAX).saturating_add(1);
        for depth in 0..=ground.depth {
            if level.len() > room {
                level.truncate(room);
                walk.tell_limit(self.config.limits.max_entries);
            }
            room -= level.len();
            level = self.level(&mut walk, &root, &level, depth);
        }
        if level.iter().any(|item| item.kind == ItemKind::Directory) && ground.depth > 1 {
            walk.tell_depth(ground.depth);
        }
        stored.update(&walk.index, &walk.fresh);
    }

    /// Takes what the items of one level are, and gives those of the next.
    fn level(&self, walk: &mut Walk<'_>, root: &Directory, items: &[Item], depth: usize) -> Vec<Item> {
        let mut below = Vec::new();
        walk.found.reserve(items.len());
        let mut check =
            Check { root, limit: self.config.limits.max_file_bytes, path: String::new(), skew: 0 };
        let places = walk.places(items, &mut check);
        for (item, place) in items.iter().zip(places) {
            if place.is_some_and(|place| walk.keep(item, place)) {
                continue;
            }
            let outcome = match walk.listing(item, &mut check) {
                Some(names) => Outcome::Group(names),
                None => self.read(walk, root, item),
            };
            walk.take(item, outcome, depth, &mut below);
        }
        below
    }

    fn read(&self, walk: &mut Walk<'_>, root: &Directory, item: &Item) -> Outcome {
        let ground = walk.ground;
        let manner = Manner::lenient(self.config);
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
            return open.names().map_or(Outcome::Unreadable, |names| walk.group(item, &open, names));
        }
        let directory = SkillDirectory { open: &open, path: &path };
        match skill_reader::read_directory(&directory, manner) {
            Found::Skill(record) => Outcome::Read(record),
            Found::Group(names) => walk.group(item, &open, names),
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
            form: Form::Skill,
        };
        Candidate::new(place, record.skill, record.fingerprint, record.problems)
    }
}

struct Walk<'a> {
    ground: &'a Ground,
    index: Index<'a>,
    /// What is not in the index, to be added to it.
    fresh: Fresh,
    found: &'a mut Vec<Candidate>,
    seen_links: HashSet<PathBuf>,
    problems: &'a mut Vec<Problem>,
}

impl Walk<'_> {
    /// The name in the index of what may be a skill: the root itself only where a person may have named one skill's directory.
    fn skill_key<'i>(&self, item: &'i Item) -> Option<&'i str> {
        item.key().filter(|key| self.ground.itself || !key.is_empty())
    }

    /// The names of a group that is as the index knows it.
    fn listing(&mut self, item: &Item, check: &mut Check<'_>) -> Option<Vec<Name>> {
        let key = item.key().filter(|_| item.kind == ItemKind::Directory)?;
        let names = self.index.listing(key, check)?;
        // A root was listed as a group whatever it holds, and may since have been named as one skill's directory.
        let was_group = key.is_empty() && self.ground.itself;
        (!was_group || !names.iter().any(|name| skill_reader::is_skill_file(&name.name))).then_some(names)
    }

    /// Puts the names of a group that was listed among what is fresh.
    fn group(&mut self, item: &Item, open: &Directory, names: Vec<Name>) -> Outcome {
        if let Some((key, facts)) = item.key().zip(open.facts().ok()) {
            self.fresh.add_listing(key, Stamp::of(&facts), &names);
        }
        Outcome::Group(names)
    }

    /// Where the index has those of the items that are as it knows them. They are looked at in the order of their inodes:
    /// what was made together lies together in the kernel's memory too, and that spares a tenth of the time. What has to be
    /// read is not read in that order, since it would then lie in ours as the next steps do not ask for it.
    fn places(&self, items: &[Item], check: &mut Check<'_>) -> Vec<Option<usize>> {
        let mut places = vec![None; items.len()];
        if self.index.is_empty() {
            return places;
        }
        let mut order: Vec<(u64, usize)> =
            items.iter().enumerate().map(|(ordinal, item)| (item.inode, ordinal)).collect();
        order.sort_unstable();
        for (_, ordinal) in order {
            if let Some((item, place)) = items.get(ordinal).zip(places.get_mut(ordinal)) {
                *place = self.skill_key(item).and_then(|key| self.index.current(key, ordinal, check));
            }
        }
        places
    }

    /// Takes the skill that the index has at this place; not, if its record cannot be read.
    fn keep(&mut self, item: &Item, place: usize) -> bool {
        let Some(record) = self.index.keep(place) else { return false };
        self.found.push(self.ground.candidate(&item.path, record));
        true
    }

    /// Notes an outcome and adds the items `below` it.
    fn take(&mut self, item: &Item, outcome: Outcome, depth: usize, below: &mut Vec<Item>) {
        match outcome {
            Outcome::Read(record) => {
                if let Some(key) = item.key().filter(|_| record.can_be_kept()) {
                    self.fresh.add(key, &record);
                }
                self.found.push(self.ground.candidate(&item.path, *record));
            }
            Outcome::Group(_) if item.is_output() => {}
            Outcome::Group(names) => {
                let items = names.into_iter().filter_map(|name| self.item(&item.path, name, depth));
                // Most roots are one group, whose items take the memory of their names.
                if below.is_empty() { *below = items.collect() } else { below.extend(items) }
            }
            Outcome::Unreadable => self.problems.push(unreadable(&joined(&self.ground.path, &item.path))),
            Outcome::Nothing => {}
        }
    }

    /// A name in a group, if it may be a skill or a group itself.
    fn item(&mut self, parent: &Path, name: Name, depth: usize) -> Option<Item> {
        let inode = name.inode;
        let bytes = name.name.as_encoded_bytes();
        let is_any = |names: &[&str]| names.iter().any(|known| known.as_bytes() == bytes);
        let is_hidden = bytes.starts_with(b".") && !is_any(HIDDEN_GROUPS);
        let is_markdown = bytes.last_chunk().is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b".md"));
        let may_be_flat = is_markdown && depth == 0;
        let is_skipped = is_any(SKIPPED) || depth > 0 && is_any(OUTPUTS);
        if is_hidden || is_skipped || (name.kind == Kind::File && !may_be_flat) {
            return None;
        }
        let path =
            if parent.as_os_str().is_empty() { PathBuf::from(name.name) } else { parent.join(&name.name) };
        let kind = if name.kind == Kind::Link { self.follow(&path)? } else { name.kind };
        match kind {
            Kind::Directory => Some(Item { path, kind: ItemKind::Directory, inode }),
            // A flat skill is known by its file's name, and replacement characters would name another file.
            Kind::File if may_be_flat && path.to_str().is_none() => {
                let message = "the file's name is no UTF-8, so the file was left out";
                self.tell(Code::NameInvalid, &self.ground.path.join(path), message, "rename it");
                None
            }
            Kind::File if may_be_flat => Some(Item { path, kind: ItemKind::Flat, inode }),
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
