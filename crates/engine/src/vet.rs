//! `vet`: whether skills are safe to load, by fixed rules, with evidence.
//!
//! Results are cached by content and rules. It executes nothing and changes no skill; what follows from a verdict is
//! for the operations that ask for it.

mod allow;
mod cache;
mod gate;
mod policy;
mod subject;
mod tree;

use crate::counted::counted;
use crate::hall::Hall;
use crate::reply::{self, Vetted};
use crate::resolve::{Unresolved, resolve};
use crate::{Code, Envelope};
use guild_catalog::{Scope, inspect_path};
use guild_manifest::skill::Profile;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use allow::{AllowRequest, vet_allow, vet_allowed, vet_disallow};
pub(crate) use gate::report;
pub use gate::{Gate, denied_draft};
pub use policy::policy;
pub(crate) use policy::problems as policy_problems;
pub(crate) use subject::Subject;

/// How many skills are worth a thread more.
const WORTH_A_THREAD: usize = 8;
/// How many threads at the most.
const MAX_THREADS: usize = 8;

/// What to vet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Every skill that is found, those that do not load included.
    Everything,
    /// Skills by name, or whatever lies at a path.
    Named(Vec<String>),
}

/// What to vet, and whom to tell how far it is.
pub struct VetRequest<'a> {
    /// What to vet.
    pub target: Target,
    /// Called after each skill with how many are done and how many there are.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Vets skills; it fails with `security_preflight_denied` if one is denied.
pub fn vet(hall: &Hall, request: &VetRequest<'_>) -> Envelope<reply::Vet> {
    let (subjects, failure) = match &request.target {
        Target::Everything => (everything(hall), None),
        Target::Named(names) => named(hall, names),
    };
    let mut gate = Gate::open(hall);
    let skills = all(&mut gate, &subjects, request.progress);
    gate.close();
    let summary = reply::VetSummary::of(&skills);
    let reply = reply::Vet { skills, rules: guild_vet::RULES.to_string(), summary };
    if let Some((code, message)) = failure {
        return Envelope::error(code, message, reply);
    }
    let message = sentence(&summary);
    if summary.denied > 0 {
        return Envelope::error(Code::SecurityPreflightDenied, message, reply);
    }
    Envelope::ok(reply).with_message(message)
}

fn sentence(summary: &reply::VetSummary) -> String {
    let reply::VetSummary { skills, allowed, warned, denied } = summary;
    format!("{}: {allowed} allowed, {warned} with warnings, {denied} denied", counted(*skills, "skill"))
}

/// Vets subjects on a few threads, in their order.
fn all(gate: &mut Gate, subjects: &[Subject<'_>], progress: &(dyn Fn(usize, usize) + Sync)) -> Vec<Vetted> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(subjects.len() / WORTH_A_THREAD).clamp(1, MAX_THREADS);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, gate::Looked)>> = Mutex::new(Vec::with_capacity(subjects.len()));
    let reader = gate.reader();
    let work = || {
        while let Some((at, subject)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            subjects.get(at).map(|subject| (at, subject))
        } {
            let looked = reader.look(subject);
            if let Ok(mut results) = results.lock() {
                results.push((at, looked));
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, subjects.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    let looked = results.into_iter().filter_map(|(at, looked)| Some((subjects.get(at)?, looked)));
    looked.map(|(subject, looked)| gate.keep(subject, looked)).collect()
}

fn everything(hall: &Hall) -> Vec<Subject<'_>> {
    let skills = hall.snapshot.skills.iter().map(Subject::of_entry);
    let broken = hall.snapshot.broken.iter().filter(|broken| broken.place.scope != Scope::Builtin);
    skills.chain(broken.map(Subject::of_broken)).collect()
}

/// The skills of these names, or at these paths; and the first failure.
fn named<'a>(hall: &'a Hall, names: &[String]) -> (Vec<Subject<'a>>, Option<(Code, String)>) {
    let mut subjects = Vec::new();
    let mut failure = None;
    for name in names {
        let is_path = name.starts_with(['.', '/', '~']);
        match resolve(hall, name) {
            Ok(entry) if !is_path => subjects.push(Subject::of_entry(entry)),
            Err(Unresolved { code: Code::SkillAmbiguous, message, .. }) if !is_path => {
                failure.get_or_insert((Code::SkillAmbiguous, message));
            }
            unresolved => {
                let found = at_path(hall, name);
                if found.is_empty() {
                    let missing =
                        unresolved.err().filter(|_| !is_path).map(|error| (error.code, error.message));
                    let message = format!("there is no skill at `{name}`");
                    failure.get_or_insert(missing.unwrap_or((Code::PathNotFound, message)));
                }
                subjects.extend(found);
            }
        }
    }
    (subjects, failure)
}

/// Every skill at or below a path, found by discovery or not.
fn at_path<'a>(hall: &'a Hall, name: &str) -> Vec<Subject<'a>> {
    let whole = hall.machine.directory.join(Path::new(name));
    let inspection = inspect_path(&whole, &hall.config, Profile::Lenient).unwrap_or_default();
    inspection.skills.into_iter().map(|skill| Subject::of_path(&skill.path, skill.name)).collect()
}
