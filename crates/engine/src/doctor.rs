//! `doctor`: one look at everything that decides what a person sees, each with what to do about it.
//!
//! It mends nothing.

use crate::Envelope;
use crate::counted::counted;
use crate::hall::Hall;
use crate::reply::{Doctor, DoctorLine, Health};
use crate::runners::{faults, runners};
use guild_catalog::{Scope, Status};
use guild_manifest::{Code, Problem, Severity};
use guild_sandbox::Probe;
use std::collections::BTreeSet;

/// Looks at everything; what the container runtimes can do is told by them, and what hosts say of us by whoever has asked them.
pub fn doctor(hall: &Hall, runtimes: &[Probe], hosts: Vec<DoctorLine>) -> Envelope<Doctor> {
    let mut checks = vec![
        workspace(hall),
        configuration(hall),
        roots(hall),
        index(hall),
        skills(hall),
        descriptions(hall),
        eligibility(hall),
        collisions(hall),
        plugins(hall),
        allowlists(hall),
    ];
    checks.extend(child_agents(hall));
    checks.extend(containers(runtimes));
    checks.extend(hosts);
    let verdict = checks.iter().map(|check| check.health).max().unwrap_or(Health::Good);
    Envelope::ok(Doctor { checks, verdict })
}

fn line(name: &'static str, health: Health, detail: String, hint: &str) -> DoctorLine {
    let hint = (health != Health::Good && !hint.is_empty()).then(|| hint.to_owned());
    DoctorLine { name, health, detail, hint }
}

fn worry(count: usize, health: Health) -> Health {
    if count == 0 { Health::Good } else { health }
}

fn workspace(hall: &Hall) -> DoctorLine {
    let workspace = hall.machine.workspace().display();
    let detail = match hall.machine.repository() {
        Some(_) => format!("{workspace} (repository root)"),
        None => format!("{workspace} (no repository; only this directory counts)"),
    };
    line("workspace", Health::Good, detail, "")
}

fn configuration(hall: &Hall) -> DoctorLine {
    // A name that is only absent here is no fault of the file's.
    let is_config =
        |problem: &&Problem| problem.code != Code::AllowlistUnknown && problem.severity != Severity::Info;
    let problems: Vec<&Problem> = hall.config_problems().filter(is_config).collect();
    let unreadable = problems.iter().any(|problem| problem.code == Code::ConfigInvalid);
    let health = if unreadable { Health::Bad } else { worry(problems.len(), Health::Warning) };
    let files = match hall.config_files.as_slice() {
        [] => "no file; defaults are in effect".to_owned(),
        files => files.join(", "),
    };
    line(
        "configuration",
        health,
        format!("{files}; {}", counted(problems.len(), "problem")),
        "run `guild check` for the lines",
    )
}

fn roots(hall: &Hall) -> DoctorLine {
    let roots = &hall.snapshot.roots;
    let good = roots.iter().filter(|root| root.status == Status::Ok).count();
    let bad =
        roots.iter().filter(|root| matches!(root.status, Status::Unreadable | Status::NotDirectory)).count();
    let detail = format!("{good} of {} known places are there, {bad} cannot be read", roots.len());
    line("roots", worry(bad, Health::Warning), detail, "run `guild roots` to see which")
}

fn index(hall: &Hall) -> DoctorLine {
    // Whatever was found has just been written down, if that was possible.
    let is_needed = || hall.snapshot.skills.iter().any(|entry| entry.place.scope != Scope::Builtin);
    match &hall.machine.cache {
        Some(cache) if !cache.is_dir() && is_needed() => {
            let detail = format!("{} cannot be written; every run reads every file", cache.display());
            line("index", Health::Warning, detail, "make it a directory that you may write to")
        }
        Some(cache) => line("index", Health::Good, format!("kept below {}", cache.display()), ""),
        None => {
            let hint = "set HOME or XDG_CACHE_HOME so that unchanged files are not read again";
            line("index", Health::Warning, "no cache directory; every run reads every file".to_owned(), hint)
        }
    }
}

fn skills(hall: &Hall) -> DoctorLine {
    let broken = hall.snapshot.broken.len();
    let detail = format!("{} load, {broken} do not", hall.snapshot.skills.len());
    line("skills", worry(broken, Health::Bad), detail, "run `guild check` to see why and how to fix them")
}

fn descriptions(hall: &Hall) -> DoctorLine {
    let silent = hall.snapshot.skills.iter().filter(|entry| entry.skill.description.is_empty()).count();
    let detail = match silent {
        0 => "every skill has one".to_owned(),
        count => format!("missing in {}, so models are not told of them", counted(count, "skill")),
    };
    line("descriptions", worry(silent, Health::Warning), detail, "add `description:` to their frontmatter")
}

fn eligibility(hall: &Hall) -> DoctorLine {
    let unmet: Vec<String> = hall
        .snapshot
        .skills
        .iter()
        .filter(|entry| !entry.is_eligible())
        .map(|entry| entry.qualified_name().into_owned())
        .collect();
    let detail = match unmet.as_slice() {
        [] => "every skill has what it asks for".to_owned(),
        names => format!("{} cannot be used here: {}", counted(names.len(), "skill"), some(names)),
    };
    line(
        "eligibility",
        worry(unmet.len(), Health::Warning),
        detail,
        "run `guild show NAME` to see what is missing",
    )
}

fn collisions(hall: &Hall) -> DoctorLine {
    let mut names: Vec<String> =
        hall.snapshot.collisions.iter().map(|collision| collision.name.clone()).collect();
    names.dedup();
    let detail = match names.as_slice() {
        [] => "no name is borne twice".to_owned(),
        names => format!("{} borne more than once: {}", counted(names.len(), "name"), some(names)),
    };
    line("collisions", worry(names.len(), Health::Warning), detail, "run `guild list --all` to see who wins")
}

fn plugins(hall: &Hall) -> DoctorLine {
    // A manifest may have several problems, and one that cannot be read has none of a plugin's own. What leads out of a
    // plugin is left out of it and keeps nothing else out.
    let is_fatal = |problem: &&Problem| problem.excludes() && problem.code != Code::FileEscapes;
    let files = hall.snapshot.problems.iter().filter(is_fatal).map(|problem| problem.file.as_str());
    let bad = files.collect::<BTreeSet<_>>().len();
    let detail = format!("{} load, {bad} do not", hall.snapshot.plugins.len());
    line("plugins", worry(bad, Health::Warning), detail, "run `guild plugins` to see why")
}

fn allowlists(hall: &Hall) -> DoctorLine {
    let unknown = hall.snapshot.problems.iter().filter(|p| p.code == Code::AllowlistUnknown).count();
    let agents: Vec<String> = hall.config.agents.keys().cloned().collect();
    let detail = format!("configured for {}; {}", some(&agents), counted(unknown, "unknown name"));
    line("allowlists", worry(unknown, Health::Warning), detail, "correct the names under `[agents]`")
}

/// Who runs child agents, where anybody is configured to.
fn child_agents(hall: &Hall) -> Option<DoctorLine> {
    let names: Vec<String> = runners(&hall.config).into_iter().map(|runner| runner.name).collect();
    let faults: Vec<String> = faults(&hall.config).into_iter().map(|(_, fault)| fault).collect();
    let detail = match (names.as_slice(), faults.as_slice()) {
        ([], []) => return None,
        (names, []) => some(names),
        ([], faults) => faults.join("; "),
        (names, faults) => format!("{}; {}", some(names), faults.join("; ")),
    };
    Some(line(
        "runners",
        worry(faults.len(), Health::Warning),
        detail,
        "correct `[runners]` and `[subagents]`",
    ))
}

/// One line a runtime. That a second one is not there is no worry while the first one works.
fn containers(runtimes: &[Probe]) -> impl Iterator<Item = DoctorLine> {
    let any_usable = runtimes.iter().any(|probe| probe.unusable.is_none() && probe.lacks.is_empty());
    runtimes.iter().map(move |probe| {
        let version = probe.version.as_deref().map(|version| format!(" ({version})")).unwrap_or_default();
        let bad = if any_usable { Health::Good } else { Health::Bad };
        match (&probe.unusable, probe.lacks.as_slice()) {
            (Some(finding), _) => {
                let line = line(probe.backend, bad, format!("not usable: {}", finding.cause), "");
                DoctorLine { hint: Some(finding.fix.clone()), ..line }
            }
            (None, []) => line(probe.backend, Health::Good, format!("usable{version}"), ""),
            (None, lacks @ [(_, first), ..]) => {
                let names = lacks.iter().map(|(feature, _)| feature.name()).collect::<Vec<_>>().join(", ");
                let detail = format!("usable{version}, but without {names}: {}", first.cause);
                let health = if any_usable { Health::Good } else { Health::Warning };
                DoctorLine { hint: Some(first.fix.clone()), ..line(probe.backend, health, detail, "") }
            }
        }
    })
}

/// The first few names, and how many more there are.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
