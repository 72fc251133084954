//! What the vet says of files that are to be installed: it looks at the stored copy, which is what will be installed.

use super::Installer;
use super::staging::main_file;
use crate::reply::VettedCandidate;
use crate::vet::{Plugin, Subject, vet_subjects};
use crate::{Code, Refusal, counted};
use guild_source::lock::{Entry, Kind};
use guild_source::store::{Kept, Store};
use std::path::PathBuf;

/// What is to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// The file that makes it what it is.
    pub main: &'a str,
    /// Its files.
    pub stored: &'a Kept,
}

impl<'a> Look<'a> {
    /// What is to be looked at of an entry with these files: the file that makes it what it is is found in the tree.
    ///
    /// # Errors
    /// Where there is none: nothing is put into its place that nobody can look at.
    pub fn of(entry: &'a Entry, stored: &'a Kept) -> Result<Self, Refusal> {
        let main = main_file(entry).ok_or_else(|| no_main(entry))?;
        Ok(Self { kind: entry.kind, name: &entry.name, main, stored })
    }
}

fn no_main(entry: &Entry) -> Refusal {
    let file = match entry.kind {
        Kind::Skill => "SKILL.md",
        Kind::Plugin => "manifest",
    };
    let (kind, name) = (entry.kind, &entry.name);
    let message = format!(
        "{kind} `{name}` from {} has no {file}, so that it is none; nothing was installed",
        entry.origin.source
    );
    Refusal::new(Code::SkillBroken, message)
}

/// Vets everything, and gives those in which something was found.
pub fn vet(desk: &Installer<'_>, looks: &[Look<'_>]) -> Vec<VettedCandidate> {
    let subjects: Vec<Subject<'_>> = looks.iter().map(|look| subject(desk.store, look)).collect();
    let vetted = vet_subjects(desk.hall, &subjects, &|done, total| {
        (desk.progress)(&format!("vetting {done} of {total}"));
    });
    let found = vetted.into_iter().filter(|vetted| vetted.verdict != "allow");
    found
        .map(|vetted| VettedCandidate {
            name: vetted.name,
            verdict: vetted.verdict,
            findings: vetted.findings,
        })
        .collect()
}

/// Refuses what the vet denies; `remedy` says what else can be done.
pub fn refuse_denied(vetted: &[VettedCandidate], remedy: &str) -> Result<(), Refusal> {
    let denied: Vec<&str> = denied(vetted).collect();
    if denied.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the vet denies {} (`{}`), so nothing was installed{remedy}",
        counted(denied.len(), "skill"),
        denied.join("`, `")
    );
    Err(Refusal::new(Code::SecurityPreflightDenied, message))
}

/// The names of what the vet denies.
pub fn denied(vetted: &[VettedCandidate]) -> impl Iterator<Item = &str> {
    vetted.iter().filter(|vetted| vetted.verdict == "deny").map(|vetted| vetted.name.as_str())
}

fn subject<'a>(store: &'a Store, look: &Look<'a>) -> Subject<'a> {
    let subject = Subject::of_kept(store, look.stored, look.main, look.name.to_owned());
    match look.kind {
        Kind::Skill => subject,
        Kind::Plugin => subject.within(Some(Plugin { name: look.name.to_owned(), root: PathBuf::new() })),
    }
}
