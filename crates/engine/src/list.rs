//! `list`: every skill, or those that one agent may use.
//!
//! It shows what discovery found and what the vet remembers; it reads no skill again and vets none.

use crate::agent::{skills_of, slip};
use crate::file_match::FileMatch;
use crate::hall::Hall;
use crate::reply::{BrokenLine, CollisionLine, List, ProblemLine, SkillList};
use crate::vet::Gate;
use crate::{Code, Envelope};
use guild_catalog::{Entry, Scope};
use guild_manifest::fold::nearest;
use guild_vet::Verdict;

/// What to list.
#[derive(Debug, Default)]
pub struct ListRequest<'a> {
    /// Only skills of this scope.
    pub source: Option<&'a str>,
    /// Only skills that this agent may use, in the order of its allowlist.
    pub agent: Option<&'a str>,
    /// Also the skills that a problem keeps out.
    pub all: bool,
    /// Mark and lift the skills whose activation globs match this file.
    pub file: Option<&'a str>,
    /// Only a part of them.
    pub page: Option<Page<'a>>,
}

/// A part of a list.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The name after which it begins, as the page before says; the first page if absent.
    pub after: Option<&'a str>,
    /// At most so many.
    pub limit: usize,
}

/// Lists skills.
pub fn list<'a>(hall: &'a Hall, request: &ListRequest<'_>) -> Envelope<List<'a>> {
    let snapshot = &hall.snapshot;
    let source = match request.source.map(|name| Scope::named(name).ok_or(name)).transpose() {
        Ok(source) => source,
        Err(name) => return Envelope::error(Code::UnknownSource, unknown_source(name), empty(hall)),
    };
    let file = match FileMatch::of(hall, request.file) {
        Ok(file) => file,
        Err(message) => return Envelope::error(Code::InvalidPattern, message, empty(hall)),
    };
    let of_source = |entry: &&Entry| source.is_none_or(|source| entry.place.is_from(source));
    let gate = Gate::open(hall);
    // What is remembered of it; nothing is vetted for a list.
    let verdict = move |entry: &Entry| gate.remembered(hall, entry).map(Verdict::as_str);
    let mut skills = match request.agent {
        Some(agent) => SkillList::of(skills_of(hall, agent).into_iter().filter(of_source), verdict),
        None => SkillList::of(snapshot.skills.iter().filter(of_source), verdict),
    };
    if let Some(file) = file {
        skills.mark(|entry| file.matches(entry));
    }
    let broken = request.all.then(|| {
        let of_source =
            |broken: &&guild_catalog::Broken| source.is_none_or(|source| broken.place.is_from(source));
        snapshot.broken.iter().filter(of_source).map(broken_line).collect()
    });
    let message = request.agent.and_then(|agent| slip(hall, agent)).unwrap_or_default();
    let (count, next) = (skills.len(), request.page.and_then(|page| skills.cut(page.after, page.limit)));
    // What is wrong elsewhere is told once, with the first page.
    let rest = match request.page {
        Some(Page { after: Some(_), .. }) => {
            List { problems: Vec::new(), collisions: Vec::new(), ..empty(hall) }
        }
        _ => List { broken, ..empty(hall) },
    };
    Envelope::ok(List { count, skills, next, ..rest }).with_message(message)
}

fn empty(hall: &Hall) -> List<'_> {
    List {
        skills: SkillList::default(),
        count: 0,
        broken: None,
        problems: hall.snapshot.problems.iter().map(ProblemLine::of).collect(),
        collisions: hall.snapshot.collisions.iter().map(CollisionLine::of).collect(),
        snapshot: hall.snapshot.version.to_string(),
        next: None,
    }
}

fn broken_line(broken: &guild_catalog::Broken) -> BrokenLine<'_> {
    BrokenLine {
        name: broken.place.qualified(&broken.name).into_owned(),
        scope: broken.place.scope.as_str(),
        path: broken.place.path().to_string_lossy().into_owned(),
        problems: broken.problems.iter().map(ProblemLine::of).collect(),
    }
}

fn unknown_source(name: &str) -> String {
    let valid: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let hint = nearest(name, valid.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
    format!("unknown source `{name}`; valid: {}{}", valid.join(", "), hint.unwrap_or_default())
}
