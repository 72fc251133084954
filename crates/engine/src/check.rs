//! `check`: what is wrong with skills, plugins and configuration, and how to fix it.

use crate::hall::Hall;
use crate::reply::{Check, CheckSummary, CheckedFile, OtherFile, ProblemLine};
use crate::{Code, Envelope};
use guild_catalog::{Inspected, inspect_path, inspect_snapshot};
use guild_manifest::skill::Profile;
use guild_manifest::text::decode;
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
pub fn check<'a>(hall: &'a Hall, request: &CheckRequest) -> Envelope<Check<'a>> {
    let mut inspected = Vec::new();
    let mut missing = Vec::new();
    for path in &request.paths {
        match inspect_path(&hall.machine.directory.join(path), &hall.config, request.profile) {
            Some(found) if !found.is_empty() => inspected.extend(found),
            _ => missing.push(path.display().to_string()),
        }
    }
    let everything = request.paths.is_empty();
    if everything {
        inspected = inspect_snapshot(&hall.snapshot, &hall.config, request.profile);
    }
    let others = if everything { others(hall) } else { Vec::new() };
    let skills: Vec<CheckedFile<'_>> = inspected.into_iter().map(checked).collect();
    let summary = count(&skills, &others);
    let reply = Check { skills, others, summary };
    if !missing.is_empty() {
        let message = format!("no skill at `{}`", missing.join("`, `"));
        return Envelope::error(Code::PathNotFound, message, reply);
    }
    let message = sentence(&summary);
    if summary.errors > 0 {
        return Envelope::error(Code::CheckFailed, message, reply);
    }
    Envelope::ok(reply).with_message(message)
}

fn checked(inspected: Inspected) -> CheckedFile<'static> {
    let Inspected { path, name, loaded, problems } = inspected;
    let mut problems: Vec<ProblemLine<'static>> = problems.into_iter().map(ProblemLine::owned).collect();
    let directory = path.parent().unwrap_or(Path::new(""));
    quote_sources(directory, &mut problems);
    CheckedFile { path: path.to_string_lossy().into_owned(), name, loaded, problems }
}

/// Problems that belong to no skill, by file.
fn others(hall: &Hall) -> Vec<OtherFile<'_>> {
    let mut files: BTreeMap<&str, Vec<ProblemLine<'_>>> = BTreeMap::new();
    for problem in &hall.snapshot.problems {
        files.entry(&problem.file).or_default().push(ProblemLine::of(problem));
    }
    let other = |(path, mut problems): (&str, Vec<_>)| {
        quote_sources(Path::new(""), &mut problems);
        OtherFile { path: path.to_owned(), problems }
    };
    files.into_iter().map(other).collect()
}

/// Adds to each problem the line of the file that it stands on.
fn quote_sources(directory: &Path, problems: &mut [ProblemLine<'_>]) {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for problem in problems {
        let file = problem.file.clone().into_owned();
        let text = texts.entry(file).or_insert_with_key(|file| read_text(&directory.join(file)));
        let line = text.as_ref().and_then(|text| text.lines().nth(problem.line.saturating_sub(1) as usize));
        problem.source = line.map(|line| line.chars().take(MAX_SOURCE).collect());
    }
}

fn read_text(path: &Path) -> Option<String> {
    let is_small =
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_SHOWN_BYTES as u64);
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
    let plural = |count: &usize, word: &str| format!("{count} {word}{}", if *count == 1 { "" } else { "s" });
    format!(
        "{}, {loaded} loaded, {}, {}",
        plural(files, "file"),
        plural(errors, "error"),
        plural(warnings, "warning")
    )
}
