//! Looking at skills one by one, at a path or in a snapshot, under any profile.
//!
//! Discovery asks what can be used; inspection asks what is wrong. It reads every file anew and never the index.

use crate::directory::{self, Directory, Kind};
use crate::discover::parallel::in_parallel;
use crate::discover::skill_files::{self, SkillDirectory};
use crate::discover::skill_reader::{self, Found, Manner};
use crate::snapshot::Place;
use crate::{Scope, Snapshot};
use guild_manifest::Problem;
use guild_manifest::config::Config;
use guild_manifest::skill::Profile;
use std::path::{Path, PathBuf};

/// How deep below a given path skills are looked for.
const MAX_DEPTH: usize = 24;

/// What is to be known of one skill's files.
#[derive(Debug)]
pub struct Inspected {
    /// The skill's file.
    pub path: PathBuf,
    /// The skill's name, or what its directory or file is called.
    pub name: String,
    /// Whether it loads.
    pub loaded: bool,
    /// What is wrong; files are relative to the skill's directory.
    pub problems: Vec<Problem>,
}

/// Inspects every skill of a snapshot, those that do not load included; built-in ones are ours to check.
pub fn inspect_snapshot(snapshot: &Snapshot, config: &Config, profile: Profile) -> Vec<Inspected> {
    let skills = snapshot.skills.iter().map(|entry| &entry.place);
    let broken = snapshot.broken.iter().map(|broken| &broken.place);
    let places: Vec<&Place> = skills.chain(broken).filter(|place| place.scope != Scope::Builtin).collect();
    let paths: Vec<PathBuf> = places.into_iter().map(Place::path).collect();
    inspect_files(&paths, config, profile)
}

/// Inspects every skill at or below a path; `None` where there is nothing.
pub fn inspect_path(path: &Path, config: &Config, profile: Profile) -> Option<Vec<Inspected>> {
    let metadata = path.metadata().ok()?;
    let mut files = Vec::new();
    if metadata.is_dir() {
        collect(path, 0, &mut files);
    } else {
        files.push(path.to_owned());
    }
    Some(inspect_files(&files, config, profile))
}

fn inspect_files(files: &[PathBuf], config: &Config, profile: Profile) -> Vec<Inspected> {
    let manner = Manner { profile, ..Manner::lenient(config) };
    let mut found: Vec<Inspected> =
        in_parallel(files, |file| inspect_file(file, manner)).into_iter().flatten().collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn inspect_file(file: &Path, manner: Manner) -> Option<Inspected> {
    let directory =
        file.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let open = Directory::open(directory).ok()?;
    let name = file.file_name()?;
    let in_directory = skill_reader::is_skill_file(name);
    let skill = SkillDirectory { open: &open, path: directory, in_root: Path::new("") };
    let record = match in_directory.then(|| skill_reader::read_directory(&skill, manner)) {
        Some(Found::Skill(record)) if name == record.file.as_ref() => *record,
        _ => skill_reader::read_single(&open, Path::new(name), manner)?,
    };
    let stem = if in_directory { directory.file_name() } else { file.file_stem() };
    let name = match &record.skill {
        Some(skill) => skill.name.clone(),
        None => stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    Some(Inspected { path: file.to_owned(), name, loaded: record.skill.is_some(), problems: record.problems })
}

/// Every skill's file at or below a directory, those inside other skills too; links are not followed.
fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if depth > MAX_DEPTH {
        return;
    }
    for name in directory::names(directory).unwrap_or_default() {
        let path = directory.join(&name.name);
        if name.kind == Kind::Directory && !skill_files::is_skipped(&name.name) {
            collect(&path, depth + 1, files);
        } else if name.kind != Kind::Directory && skill_reader::is_skill_file(&name.name) {
            files.push(path);
        }
    }
}
