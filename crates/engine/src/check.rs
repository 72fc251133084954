//! `check`: what is wrong with skills, plugins, marketplaces and configuration, and how to fix it.
//!
//! It changes nothing, and quotes no file that a link leads to outside a skill.

mod declarations;

use crate::counted::counted;
use crate::file_match::normal;
use crate::hall::Hall;
use crate::reply::{Check, CheckSummary, CheckedFile, OtherFile, ProblemLine};
use crate::{Code, Envelope};
use guild_catalog::{Inspected, Inspection, Lookup, PluginEntry, Scope, inspect_path, inspect_snapshot};
use guild_manifest::Problem;
use guild_manifest::skill::Profile;
use guild_manifest::text::{clamp, decode};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How many characters of a line are shown.
const MAX_SOURCE: usize = 400;
/// Larger files are not read again to show their lines.
const MAX_SHOWN_BYTES: usize = 4 * 1024 * 1024;

/// What to check.
#[derive(Debug, Default)]
pub struct CheckRequest {
    /// Files and directories; none means everything in the hall.
    pub paths: Vec<PathBuf>,
    /// How strictly.
    pub profile: Profile,
}

/// Checks what is asked for; it fails if any file has an error.
pub fn check(hall: &Hall, request: &CheckRequest) -> Envelope<Check<'static>> {
    let found = if request.paths.is_empty() { everything(hall, request) } else { at_paths(hall, request) };
    let Found { mut skills, mut problems, missing } = found;
    skills.iter_mut().for_each(|skill| declarations::check(skill, request.profile));
    skills.sort_by(|a, b| a.path.cmp(&b.path));
    skills.dedup_by(|a, b| a.path == b.path);
    problems.sort_by(|a, b| (&a.file, a.at, a.code, &a.message).cmp(&(&b.file, b.at, b.code, &b.message)));
    problems.dedup();
    let others = by_file(problems);
    let skills: Vec<CheckedFile<'_>> = skills.into_iter().map(checked).collect();
    let summary = count(&skills, &others);
    let reply = Check { skills, others, summary };
    if !missing.is_empty() {
        let mut message = format!("there is no skill or plugin at `{}`", missing.join("`, `"));
        for (name, path) in missing.iter().filter_map(|word| Some((word, by_name(hall, word)?))) {
            message.push_str(&format!("; the skill `{name}` is at `{}`", path.display()));
        }
        return Envelope::error(Code::PathNotFound, message, reply);
    }
    let message = sentence(&summary);
    if summary.errors > 0 {
        return Envelope::error(Code::CheckFailed, message, reply);
    }
    Envelope::ok(reply).with_message(message)
}

/// What was looked at.
#[derive(Default)]
struct Found {
    skills: Vec<Inspected>,
    /// Problems that belong to no skill; files are whole paths.
    problems: Vec<Problem>,
    /// Paths at which there is nothing.
    missing: Vec<String>,
}

fn everything(hall: &Hall, request: &CheckRequest) -> Found {
    let skills = inspect_snapshot(&hall.snapshot, &hall.config, request.profile);
    Found { skills, problems: hall.snapshot.problems.clone(), missing: Vec::new() }
}

/// Everything at or below the paths, whether discovery finds it or not.
fn at_paths(hall: &Hall, request: &CheckRequest) -> Found {
    let mut found = Found::default();
    for path in &request.paths {
        let whole = plain(hall.machine.directory.join(path));
        let inspection =
            if is_other(&whole) { None } else { inspect_path(&whole, &hall.config, request.profile) };
        let Inspection { skills, packages, problems, .. } = inspection.unwrap_or_default();
        if skills.is_empty() && packages == 0 && problems.is_empty() && !is_known(hall, &whole) {
            found.missing.push(path.display().to_string());
        }
        let known =
            hall.snapshot.problems.iter().filter(|problem| Path::new(&problem.file).starts_with(&whole));
        let is_told = |known: &&Problem| {
            problems
                .iter()
                .any(|told| (&told.file, told.code, told.at) == (&known.file, known.code, known.at))
        };
        let known: Vec<Problem> = known.filter(|known| !is_told(known)).cloned().collect();
        found.problems.extend(problems.into_iter().chain(known));
        found.skills.extend(skills);
    }
    found
}

/// Where the skill lies whose name was given instead of a path; built-in ones lie nowhere.
fn by_name(hall: &Hall, name: &str) -> Option<PathBuf> {
    let place = match hall.snapshot.find(name) {
        Lookup::Found(entry) => &entry.place,
        _ => &hall.snapshot.broken.iter().find(|broken| broken.name == name)?.place,
    };
    (place.scope != Scope::Builtin).then(|| place.path())
}

/// The path without `.` and `..`, unless a link on the way makes that another place.
fn plain(path: PathBuf) -> PathBuf {
    let plain = normal(&path);
    let is_same = plain.canonicalize().ok() == path.canonicalize().ok();
    if is_same { plain } else { path }
}

/// Whether a file is no skill by its name: manifests and configuration are judged by what discovery said of them.
fn is_other(path: &Path) -> bool {
    let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    !is_markdown && path.is_file()
}

/// Whether discovery knows a plugin or a configuration file at or below a path.
fn is_known(hall: &Hall, path: &Path) -> bool {
    let is_of =
        |plugin: &PluginEntry| plugin.directory.starts_with(path) || path.starts_with(&plugin.directory);
    let is_found = hall.snapshot.plugins.iter().any(is_of)
        || hall.snapshot.problems.iter().any(|problem| Path::new(&problem.file).starts_with(path))
        || hall.config_files.iter().any(|file| Path::new(file) == path);
    is_found && path.exists()
}

fn checked(inspected: Inspected) -> CheckedFile<'static> {
    let Inspected { path, name, loaded, problems, .. } = inspected;
    let mut problems: Vec<ProblemLine<'static>> = problems.into_iter().map(ProblemLine::owned).collect();
    let directory = path.parent().unwrap_or(Path::new(""));
    quote_sources(directory, &mut problems);
    CheckedFile { path: path.to_string_lossy().into_owned(), name, loaded, problems }
}

/// Problems that belong to no skill, by file.
fn by_file(problems: Vec<Problem>) -> Vec<OtherFile<'static>> {
    let mut files: BTreeMap<String, Vec<ProblemLine<'static>>> = BTreeMap::new();
    for problem in problems {
        files.entry(problem.file.clone()).or_default().push(ProblemLine::owned(problem));
    }
    let other = |(path, mut problems): (String, Vec<_>)| {
        quote_sources(Path::new(""), &mut problems);
        OtherFile { path, problems }
    };
    files.into_iter().map(other).collect()
}

/// Adds to each problem the line of the file that it stands on.
///
/// A link is never followed: what it leads to may be none of the author's, such as a key in the home directory.
fn quote_sources(directory: &Path, problems: &mut [ProblemLine<'_>]) {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for problem in problems {
        let file = problem.file.clone().into_owned();
        let text = texts.entry(file).or_insert_with_key(|file| read_text(&directory.join(file)));
        let line = text.as_ref().and_then(|text| text.lines().nth(problem.line.saturating_sub(1) as usize));
        let before = (problem.column as usize).saturating_sub(1);
        // Manifests that a program wrote are one line of any length.
        let skipped = if before + MAX_SOURCE / 4 < MAX_SOURCE { 0 } else { before - MAX_SOURCE / 2 };
        problem.source = line.map(|line| line.chars().skip(skipped).take(MAX_SOURCE).collect());
        let is_cut = skipped > 0 && problem.source.is_some();
        problem.source_column = is_cut.then(|| clamp(before - skipped + 1));
    }
}

fn read_text(path: &Path) -> Option<String> {
    let is_small = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_SHOWN_BYTES as u64);
    let bytes = is_small.then(|| fs::read(path).ok()).flatten()?;
    decode(&bytes, MAX_SHOWN_BYTES).ok().map(|decoded| decoded.text.into_owned())
}

fn count(skills: &[CheckedFile<'_>], others: &[OtherFile<'_>]) -> CheckSummary {
    let problems =
        || skills.iter().flat_map(|file| &file.problems).chain(others.iter().flat_map(|file| &file.problems));
    let of = |severity: &str| problems().filter(|problem| problem.severity == severity).count();
    CheckSummary {
        files: skills.len(),
        loaded: skills.iter().filter(|file| file.loaded).count(),
        errors: of("error"),
        warnings: of("warning"),
        infos: of("info"),
    }
}

fn sentence(summary: &CheckSummary) -> String {
    let CheckSummary { files, loaded, errors, warnings, .. } = summary;
    format!(
        "{}, {loaded} loaded, {}, {}",
        counted(*files, "skill"),
        counted(*errors, "error"),
        counted(*warnings, "warning")
    )
}
