//! Looking at skills one by one, at a path or in a snapshot, under any profile; at a path at plugins and marketplaces too.
//!
//! Discovery asks what can be used; inspection asks what is wrong. It reads every file anew and never the index.

mod packages;

use crate::directory::{self, Directory, Kind, Name};
use crate::discover::parallel::in_parallel_from;
use crate::discover::skill_files::{self, SkillDirectory};
use crate::discover::skill_reader::{self, Found, Manner};
use crate::discover::unreadable;
use crate::snapshot::Place;
use crate::{Scope, Snapshot, validate};
use guild_manifest::config::Config;
use guild_manifest::skill::{Contract, Profile};
use guild_manifest::{Code, Problem, Severity, text};
use std::path::{Path, PathBuf};

pub use packages::read_marketplace;

/// How deep below a given path skills are looked for.
const MAX_DEPTH: usize = 24;

/// So many skills, each of which is listed, read and parsed, are worth a thread.
const WORTH_A_THREAD: usize = 64;

/// What is to be known of one skill's files.
#[derive(Debug)]
pub struct Inspected {
    /// The skill's file.
    pub path: PathBuf,
    /// The skill's name, or what its directory or file is called.
    pub name: String,
    /// What it is for; nothing where it does not load.
    pub description: String,
    /// Whether it loads.
    pub loaded: bool,
    /// What it declares; nothing where it does not load or declares nothing.
    pub contract: Option<Box<Contract>>,
    /// What is wrong; files are relative to the skill's directory.
    pub problems: Vec<Problem>,
}

/// A directory with a plugin's manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectedPlugin {
    /// Its directory.
    pub path: PathBuf,
    /// The manifest that decided, relative to that.
    pub manifest: &'static str,
    /// Its name; none where the manifest does not load.
    pub name: Option<String>,
    /// What it is for.
    pub description: String,
}

/// What is to be known of everything at or below a path.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The skills, by path.
    pub skills: Vec<Inspected>,
    /// The plugins, by path.
    pub plugins: Vec<InspectedPlugin>,
    /// How many plugins and marketplaces there are.
    pub packages: usize,
    /// What is wrong with them; files are whole paths.
    pub problems: Vec<Problem>,
}

/// A file that is inspected, and as what.
struct Target {
    path: PathBuf,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// The file of a skill that is a directory.
    Directory,
    /// A skill that is one file.
    Flat,
    /// A file that is a skill only if it means to be one.
    Perhaps,
}

/// What is to be known of a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Whether it loads, and as what.
    Loading,
    /// What its author is told of its text as well.
    Everything,
}

/// Inspects every skill of a snapshot, those that do not load included; built-in ones are ours to check.
pub fn inspect_snapshot(snapshot: &Snapshot, config: &Config, profile: Profile) -> Vec<Inspected> {
    let skills = snapshot.skills.iter().map(|entry| &entry.place);
    let broken = snapshot.broken.iter().map(|broken| &broken.place);
    let places = skills.chain(broken).filter(|place| place.scope != Scope::Builtin);
    let targets: Vec<Target> = places.map(Target::of).collect();
    let mut found = inspect_targets(&targets, config, profile, Asked::Everything);
    for broken in &snapshot.broken {
        // What a plugin forbids its skills is not to be seen in the skill's own directory.
        let path = broken.place.path();
        if let Some(inspected) = found.iter_mut().find(|inspected| inspected.loaded && inspected.path == path)
        {
            inspected.loaded = false;
            inspected.problems.extend(broken.problems.iter().filter(|problem| problem.excludes()).cloned());
        }
    }
    found
}

/// Inspects every skill, plugin and marketplace at or below a path; `None` where there is no such path.
pub fn inspect_path(path: &Path, config: &Config, profile: Profile) -> Option<Inspection> {
    at_path(path, config, profile, Asked::Everything)
}

/// Finds the same, and says of skills whether they load; what authors are told is not looked for, which spares reading them twice.
pub fn find_path(path: &Path, config: &Config) -> Option<Inspection> {
    at_path(path, config, Profile::Lenient, Asked::Loading)
}

fn at_path(path: &Path, config: &Config, profile: Profile, asked: Asked) -> Option<Inspection> {
    let metadata = path.metadata().ok()?;
    // A path such as `..` has no name that a skill could go by, and `.` in one is nothing to show people.
    let path =
        if path.file_name().is_some() { path.components().collect() } else { path.canonicalize().ok()? };
    let mut inspection = Inspection::default();
    let mut targets = Vec::new();
    if metadata.is_dir() {
        collect(&path, 0, &mut targets, &mut inspection);
    } else {
        let is_in_directory = path.file_name().is_some_and(skill_reader::is_skill_file);
        targets.push(Target { form: if is_in_directory { Form::Directory } else { Form::Flat }, path });
    }
    inspection.skills = inspect_targets(&targets, config, profile, asked);
    Some(inspection)
}

impl Target {
    fn of(place: &Place) -> Self {
        Self { path: place.path(), form: if place.flat { Form::Flat } else { Form::Directory } }
    }
}

fn inspect_targets(targets: &[Target], config: &Config, profile: Profile, asked: Asked) -> Vec<Inspected> {
    let manner = Manner { profile, ..Manner::lenient(config) };
    let found = in_parallel_from(WORTH_A_THREAD, targets, |target| inspect(target, manner, asked));
    let mut found: Vec<Inspected> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn inspect(target: &Target, manner: Manner, asked: Asked) -> Option<Inspected> {
    let Target { path, form } = target;
    let directory =
        path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let open = Directory::open(directory).ok()?;
    let file = Path::new(path.file_name()?);
    let record = match form {
        Form::Directory => {
            let skill = SkillDirectory { open: &open, path: directory };
            match skill_reader::read_directory(&skill, manner) {
                Found::Skill(record) if file == Path::new(record.file.as_ref()) => *record,
                // Another spelling of the skill's file beside it; one that is a link is told with the skill, not read.
                _ if path.is_symlink() => return None,
                _ => skill_reader::read_single(&open, file, manner)?,
            }
        }
        Form::Flat => skill_reader::read_single(&open, file, manner)?,
        Form::Perhaps => skill_reader::read_flat(&open, file, manner)?,
    };
    let stem = if matches!(form, Form::Directory) { directory.file_name() } else { path.file_stem() };
    let stem = || stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = record.skill.as_ref().map_or_else(stem, |skill| skill.name.clone());
    let mut problems = record.problems;
    if asked == Asked::Everything && !problems.iter().any(|problem| problem.code == Code::FileEscapes) {
        problems.extend(of_the_text(&open, file, manner, &problems));
    }
    let loaded = record.skill.is_some();
    let (description, contract) =
        record.skill.map(|skill| (skill.description, skill.contract)).unwrap_or_default();
    Some(Inspected { path: path.clone(), name, description, loaded, contract, problems })
}

/// What authors are told of a skill's text and loaders do not ask.
fn of_the_text(directory: &Directory, file: &Path, manner: Manner, known: &[Problem]) -> Vec<Problem> {
    let mut bytes = Vec::new();
    let read = directory.read(file, manner.limit as u64, &mut bytes);
    if !read.is_ok_and(|read| read.is_read) {
        return Vec::new();
    }
    let Ok(decoded) = text::decode(&bytes, manner.limit) else { return Vec::new() };
    let mut problems = validate::validate(&decoded.text, &[]);
    problems.retain(|problem| known.iter().all(|known| known.code != problem.code));
    let name = file.to_string_lossy();
    problems.into_iter().map(|problem| problem.in_file(name.as_ref())).collect()
}

/// Every skill's file at or below a directory, those inside other skills too; links are not followed.
fn collect(directory: &Path, depth: usize, targets: &mut Vec<Target>, inspection: &mut Inspection) {
    if depth > MAX_DEPTH {
        return;
    }
    // Elsewhere a Markdown file with a description is a page of somebody's documentation.
    let has_flat_skills = directory.file_name().is_some_and(|name| name == "skills" || name == "skill");
    let names = directory::names(directory).unwrap_or_else(|_| {
        let problem = unreadable(directory);
        // Whoever names a directory is not to hear that all is well with it.
        let is_named = depth == 0;
        inspection.problems.push(if is_named { problem.with_severity(Severity::Error) } else { problem });
        Vec::new()
    });
    // A manifest lies in a hidden directory of its plugin; that directory is no plugin.
    let below = directory.components().rev().take(depth);
    let is_hidden = below.into_iter().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    if !is_hidden
        && packages::may_be_package(&names)
        && let Some((plugin, problems)) = packages::inspect(directory)
    {
        inspection.packages += 1;
        inspection.plugins.extend(plugin);
        inspection.problems.extend(problems);
    }
    let (below, files): (Vec<Name>, Vec<Name>) =
        names.into_iter().partition(|name| name.kind == Kind::Directory);
    for name in files {
        let path = directory.join(&name.name);
        let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        if skill_reader::is_skill_file(&name.name) {
            targets.push(Target { path, form: Form::Directory });
        } else if has_flat_skills && is_markdown {
            targets.push(Target { path, form: Form::Perhaps });
        }
    }
    let below: Vec<Name> = below.into_iter().filter(|name| !skill_files::is_skipped(&name.name)).collect();
    let found = in_parallel_from(WORTH_A_THREAD, &below, |name| {
        let (mut targets, mut inspection) = (Vec::new(), Inspection::default());
        collect(&directory.join(&name.name), depth + 1, &mut targets, &mut inspection);
        (targets, inspection)
    });
    for (more, found) in found {
        targets.extend(more);
        inspection.packages += found.packages;
        inspection.plugins.extend(found.plugins);
        inspection.problems.extend(found.problems);
    }
}
