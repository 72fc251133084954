//! `vet`: whether skills are safe to load, by fixed rules, with evidence.
//!
//! Results are cached by content and rules. It executes nothing and changes no skill; what follows from a verdict is
//! for the operations that ask for it.

mod allow;
mod cache;
mod gate;
mod part;
mod policy;
mod subject;
mod tree;

use crate::counted::counted;
use crate::hall::Hall;
use crate::reply::{self, Vetted};
use crate::resolve::{Unresolved, resolve};
use crate::{Code, Envelope};
use guild_catalog::{Inspected, Scope, find_path};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use allow::{AllowRequest, vet_allow, vet_allowed, vet_disallow};
pub(crate) use cache::Remembered;
pub(crate) use gate::report;
pub use gate::{Gate, denied_draft};
pub use policy::policy;
pub(crate) use policy::problems as policy_problems;
pub(crate) use subject::{Plugin, Subject};

/// How many skills are worth a thread more.
const WORTH_A_THREAD: usize = 8;
/// How many threads at the most.
const MAX_THREADS: usize = 8;

/// Subjects that one look is enough for, with their places in the request.
type Whole<'s, 'a> = Vec<(usize, &'s Subject<'a>)>;

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

/// Has a thread get ready for vetting while something else is done first: what is compiled once is some ten milliseconds of work.
pub fn get_ready_to_vet() {
    // Where there is no thread, whoever vets first does it.
    std::thread::Builder::new().spawn(guild_vet::warm_up).ok();
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

/// Vets subjects that no snapshot knows.
pub(crate) fn vet_subjects(
    hall: &Hall,
    subjects: &[Subject<'_>],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Vetted> {
    let mut gate = Gate::open(hall);
    let vetted = all(&mut gate, subjects, progress);
    gate.close();
    vetted
}

fn sentence(summary: &reply::VetSummary) -> String {
    let reply::VetSummary { skills, allowed, warned, denied } = summary;
    format!("{}: {allowed} allowed, {warned} with warnings, {denied} denied", counted(*skills, "skill"))
}

/// Vets subjects and tells everything that was found.
fn all(gate: &mut Gate, subjects: &[Subject<'_>], progress: &(dyn Fn(usize, usize) + Sync)) -> Vec<Vetted> {
    each(gate, subjects, progress, Gate::weigh)
}

/// Vets subjects on a few threads, in their order, and asks `say` about each; a plugin is looked at once for all of its skills.
fn each<'a, T>(
    gate: &mut Gate,
    subjects: &[Subject<'a>],
    progress: &(dyn Fn(usize, usize) + Sync),
    say: impl Fn(&Gate, &Subject<'a>, &gate::Looked) -> T,
) -> Vec<T> {
    let wholes = wholes(subjects);
    let looked = look(gate, &wholes, &|done| progress(done, subjects.len()));
    let mut vetted: Vec<(usize, T)> = Vec::with_capacity(subjects.len());
    for (whole, looked) in wholes.iter().zip(looked) {
        vetted.extend(whole.iter().map(|(at, subject)| (*at, say(gate, subject, &looked))));
        if let Some((_, first)) = whole.first() {
            gate.keep(first, looked);
        }
    }
    vetted.sort_by_key(|(at, _)| *at);
    vetted.into_iter().map(|(_, vetted)| vetted).collect()
}

/// Subjects with their places, those of one plugin together.
fn wholes<'s, 'a>(subjects: &'s [Subject<'a>]) -> Vec<Whole<'s, 'a>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut wholes: Vec<Whole<'s, 'a>> = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let place = *places.entry(subject.key()).or_insert(wholes.len());
        match wholes.get_mut(place) {
            Some(whole) => whole.push((at, subject)),
            None => wholes.push(vec![(at, subject)]),
        }
    }
    wholes
}

/// Looks at each whole on a few threads, in their order, and tells how many skills are done.
fn look(gate: &Gate, wholes: &[Whole<'_, '_>], progress: &(dyn Fn(usize) + Sync)) -> Vec<gate::Looked> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(wholes.len() / WORTH_A_THREAD).clamp(1, MAX_THREADS);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, gate::Looked)>> = Mutex::new(Vec::with_capacity(wholes.len()));
    let reader = gate.reader();
    let work = || {
        while let Some((at, whole)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            wholes.get(at).map(|whole| (at, whole))
        } {
            let looked = whole.first().map(|(_, subject)| reader.look(subject));
            if let (Some(looked), Ok(mut results)) = (looked, results.lock()) {
                results.push((at, looked));
            }
            progress(done.fetch_add(whole.len(), Ordering::Relaxed) + whole.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // What a thread that cannot be had would have done, the others do.
            std::thread::Builder::new().spawn_scoped(scope, work).ok();
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, looked)| looked).collect()
}

fn everything(hall: &Hall) -> Vec<Subject<'_>> {
    let snapshot = &hall.snapshot;
    let skills = snapshot.skills.iter().map(|entry| Subject::of_entry(snapshot, entry));
    let broken = snapshot.broken.iter().filter(|broken| broken.place.scope != Scope::Builtin);
    skills.chain(broken.map(|broken| Subject::of_broken(snapshot, broken))).collect()
}

/// The skills of these names, or at these paths; and the first failure.
fn named<'a>(hall: &'a Hall, names: &[String]) -> (Vec<Subject<'a>>, Option<(Code, String)>) {
    let mut subjects = Vec::new();
    let mut failure = None;
    for name in names {
        let is_path = name.starts_with(['.', '/', '~']);
        match resolve(hall, name) {
            Ok(entry) if !is_path => subjects.push(Subject::of_entry(&hall.snapshot, entry)),
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

/// Every skill at or below a path, found by discovery or not; where a plugin lies there too, with its plugin.
fn at_path<'a>(hall: &'a Hall, name: &str) -> Vec<Subject<'a>> {
    let whole = hall.machine.directory.join(Path::new(name));
    let inspection = find_path(&whole, &hall.config).unwrap_or_default();
    let subject = |skill: Inspected| {
        let plugin = skill.path.parent().and_then(|directory| Plugin::around(directory, &whole));
        Subject::of_path(&skill.path, skill.name).within(plugin)
    };
    inspection.skills.into_iter().map(subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_testkit::Fixture;
    use std::fs;

    /// Two skills of one plugin and one of none.
    fn subjects(fixture: &Fixture) -> [Subject<'static>; 3] {
        let skill = |path: &str| Subject::of_path(&fixture.join(path), path.to_owned());
        let plugin = || Some(Plugin { name: "p".to_owned(), root: fixture.join("p") });
        [
            skill("p/skills/a/SKILL.md").within(plugin()),
            skill("x/SKILL.md").within(plugin()),
            skill("p/skills/b/SKILL.md").within(plugin()),
        ]
    }

    fn fixture() -> Fixture {
        let skill = "---\nname: s\ndescription: Says hello\n---\n\nSay hello to everybody who is there.\n";
        Fixture::write(&format!(
            "//- /p/skills/a/SKILL.md\n{skill}//- /p/skills/b/SKILL.md\n{skill}//- /x/SKILL.md\n{skill}"
        ))
    }

    #[test]
    fn a_plugin_is_looked_at_once_for_all_of_its_skills() {
        let fixture = fixture();
        let subjects = subjects(&fixture);
        let places = wholes(&subjects).into_iter().map(|whole| whole.into_iter().map(|(at, _)| at).collect());
        assert_eq!(places.collect::<Vec<Vec<usize>>>(), [vec![0, 2], vec![1]]);
    }

    /// Asked for one after the other, as a search does: what changes in between is for the next gate.
    #[test]
    fn a_gate_does_not_read_a_plugin_again_for_another_of_its_skills() {
        let fixture = fixture();
        let [a, _, b] = subjects(&fixture);
        let verdicts = |gate: &mut Gate| [&a, &b].map(|subject| gate.vet(subject).verdict);
        let mut gate = Gate::default();
        let before = gate.vet(&a).verdict;
        fs::write(fixture.join("p/late.sh"), "rm -rf /\n").expect("a file");
        assert_eq!((before, verdicts(&mut gate)), (before, [before, before]));
        assert_eq!(verdicts(&mut Gate::default()), ["deny", "deny"]);
    }
}
