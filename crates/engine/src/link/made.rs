//! One skill in one agent's directory: planned, made, and taken away again.

use super::record::{Made, Record};
use crate::install::Installer;
use crate::reply::LinkLine;
use crate::{Code, Refusal};
use guild_catalog::Entry;
use guild_source::store::{Content, Kept, scan};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// How a skill is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// By a link to its directory.
    Link,
    /// By a copy of its files.
    Copy,
}

/// What is to be done about one place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// It is there.
    Nothing,
    /// Nothing is in the way, or what we made.
    Make { replaces: bool },
}

/// A skill that is to be visible to an agent.
#[derive(Debug)]
pub struct Making {
    /// Where.
    pub place: PathBuf,
    agent: String,
    name: String,
    target: PathBuf,
    /// The files to copy; nothing for a link.
    stored: Option<Kept>,
    step: Step,
}

impl Making {
    /// Finds out what is to be done, and refuses where something is in the way that we did not make.
    pub fn plan(
        desk: &Installer<'_>,
        record: &Record,
        (agent, directory): (&str, &Path),
        entry: &Entry,
        manner: Manner,
    ) -> Result<Self, Refusal> {
        let target = entry.place.own();
        let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let place = directory.join(&name);
        let stored = match manner {
            Manner::Link => None,
            Manner::Copy => Some(desk.store.keep(&Content::Directory(&target)).map_err(|error| {
                Refusal::new(Code::SkillFilesRefused, format!("`{name}` cannot be copied: {error}"))
            })?),
        };
        let step = step(record, &place, &target, stored.as_ref())?;
        Ok(Self { place, agent: agent.to_owned(), name, target, stored, step })
    }

    /// What has become of it.
    pub fn line(&self) -> LinkLine {
        LinkLine {
            agent: self.agent.clone(),
            name: self.name.clone(),
            path: self.place.to_string_lossy().into_owned(),
            target: self.target.to_string_lossy().into_owned(),
            mode: if self.stored.is_some() { "copy" } else { "link" },
            change: match (&self.step, &self.stored) {
                (Step::Nothing, _) => "unchanged",
                (Step::Make { .. }, None) => "linked",
                (Step::Make { .. }, Some(_)) => "copied",
            },
        }
    }
}

fn step(record: &Record, place: &Path, target: &Path, stored: Option<&Kept>) -> Result<Step, Refusal> {
    let Ok(metadata) = fs::symlink_metadata(place) else { return Ok(Step::Make { replaces: false }) };
    if place == target {
        return Ok(Step::Nothing);
    }
    let leads_there = metadata.is_symlink() && place.canonicalize().ok() == target.canonicalize().ok();
    if leads_there && stored.is_none() {
        return Ok(Step::Nothing);
    }
    match record.at(place) {
        Some(made) if is_link_of(made) => Ok(Step::Make { replaces: true }),
        Some(made) if made.digest.is_some() && metadata.is_dir() => {
            let there = scan(place).ok().map(|tree| tree.digest());
            if there != made.digest {
                let message =
                    format!("{} was copied there, and was edited since; move it away first", place.display());
                return Err(Refusal::new(Code::LocallyEdited, message));
            }
            let is_same = stored.is_some_and(|stored| Some(stored.digest) == there);
            Ok(if is_same { Step::Nothing } else { Step::Make { replaces: true } })
        }
        _ => {
            let message = format!(
                "{} is there already, and Guildhall did not make it; move it away first",
                place.display()
            );
            Err(Refusal::new(Code::AlreadyExists, message))
        }
    }
}

/// Makes what was planned; it is noted first, so that a kill leaves nothing that nobody knows of.
pub fn make(desk: &Installer<'_>, record: &mut Record, making: &Making) -> Result<(), Refusal> {
    let Step::Make { replaces } = making.step else { return Ok(()) };
    let failed = |error: io::Error| {
        Refusal::new(Code::WriteFailed, format!("cannot make {}: {error}", making.place.display()))
    };
    let directory = making.place.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory).map_err(failed)?;
    let made = Made {
        place: making.place.clone(),
        target: making.target.clone(),
        name: making.name.clone(),
        digest: making.stored.as_ref().map(|stored| stored.digest),
    };
    // Beside its place, where discovery passes over it, and in one move into it.
    let aside = tempfile::Builder::new().prefix(".guild-link-").tempdir_in(directory).map_err(failed)?;
    let staged = aside.path().join("new");
    match &making.stored {
        None => symlink(leading(directory, &making.target), &staged).map_err(failed)?,
        Some(stored) => desk.store.export(&stored.tree, &staged)?,
    }
    if replaces {
        fs::rename(&making.place, aside.path().join("old")).map_err(failed)?;
    }
    record.note(made)?;
    fs::rename(&staged, &making.place).map_err(failed)
}

/// Where a link leads: relative within one tree, so that a project that is moved keeps its links.
fn leading(directory: &Path, target: &Path) -> PathBuf {
    let shared = directory.iter().zip(target.iter()).take_while(|(one, other)| one == other).count();
    let up = directory.iter().count() - shared;
    // Two that share nothing but the root, or a home directory's parent, are moved apart from each other.
    if shared < 3 || up > 3 {
        return target.to_owned();
    }
    let mut path: PathBuf = std::iter::repeat_n("..", up).collect();
    path.extend(target.iter().skip(shared));
    path
}

/// Whether the link that was made is still the one that is there.
fn is_link_of(made: &Made) -> bool {
    let directory = made.place.parent().unwrap_or(Path::new("/"));
    made.digest.is_none() && fs::read_link(&made.place).is_ok_and(|to| to == leading(directory, &made.target))
}

/// Takes away what was made, unless somebody has changed it; says what has become of it.
pub fn unmake(made: &Made) -> Result<&'static str, Refusal> {
    let failed = |error: io::Error| {
        Refusal::new(Code::WriteFailed, format!("cannot remove {}: {error}", made.place.display()))
    };
    let Ok(metadata) = fs::symlink_metadata(&made.place) else { return Ok("gone") };
    match made.digest {
        None if is_link_of(made) => fs::remove_file(&made.place).map_err(failed)?,
        Some(digest) if metadata.is_dir() && scan(&made.place).is_ok_and(|tree| tree.digest() == digest) => {
            fs::remove_dir_all(&made.place).map_err(failed)?;
        }
        _ => {
            let message =
                format!("{} was changed since it was made; remove it yourself", made.place.display());
            return Err(Refusal::new(Code::LocallyEdited, message));
        }
    }
    Ok("removed")
}
