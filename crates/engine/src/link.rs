//! `link`: makes skills visible in other agents' directories, as links or as copies, and undoes it.
//!
//! What it made it remembers, and nothing else is ever replaced or removed. Everything is looked at first: where one thing is in the way
//! nothing is changed. What is switched off or denied by the vet is shown to nobody.

mod directory;
mod made;
mod record;

use crate::install::{Installer, Scope, locked_skills};
use crate::reply::{Link, LinkLine};
use crate::resolve::{Unresolved, resolve};
use crate::vet::{Gate, Subject};
use crate::{Code, Envelope, Places, Refusal, counted};
use directory::directory;
use guild_catalog::Entry;
use made::{Making, Manner, make, unmake};
use record::Record;
use std::path::PathBuf;

/// What to make visible.
pub struct LinkRequest<'a> {
    /// The agents, by their ids.
    pub agents: &'a [String],
    /// The skills, by name; without any all that Guildhall has installed there.
    pub skills: &'a [String],
    /// Whose directories.
    pub scope: Scope,
    /// Whether files are copied instead of linked to.
    pub copy: bool,
    /// Whether it is undone.
    pub remove: bool,
}

/// Makes skills visible to agents, or undoes that.
pub async fn link(desk: &Installer<'_>, request: &LinkRequest<'_>) -> Envelope<Link> {
    let mut reply = Link { scope: request.scope.word(), ..Link::default() };
    let done =
        if request.remove { removed(desk, request, &mut reply) } else { linked(desk, request, &mut reply) };
    match done {
        Ok(()) => {
            let message = sentence(&reply);
            Envelope::ok(reply).with_message(message)
        }
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

fn linked(desk: &Installer<'_>, request: &LinkRequest<'_>, reply: &mut Link) -> Result<(), Refusal> {
    let directories = directories(desk, request)?;
    let chosen = chosen(desk, request, reply)?;
    let manner = if request.copy { Manner::Copy } else { Manner::Link };
    let mut record = Record::open(desk.places)?;
    let mut makings: Vec<Making> = Vec::new();
    for (agent, directory) in &directories {
        for entry in &chosen {
            let making = Making::plan(desk, &record, (agent, directory), entry, manner)?;
            if !makings.iter().any(|known| known.place == making.place) {
                makings.push(making);
            }
        }
    }
    for making in &makings {
        make(desk, &mut record, making)?;
        reply.links.push(making.line());
    }
    Ok(())
}

/// Undoes what was made for these agents: of these skills, or of all.
fn removed(desk: &Installer<'_>, request: &LinkRequest<'_>, reply: &mut Link) -> Result<(), Refusal> {
    let mut record = Record::open(desk.places)?;
    for (agent, directory) in directories(desk, request)? {
        let is_meant =
            |name: &str| request.skills.is_empty() || request.skills.iter().any(|skill| skill == name);
        let made: Vec<_> = record.made_in(&directory).filter(|made| is_meant(&made.name)).cloned().collect();
        for made in made {
            let change = unmake(&made)?;
            record.forget(&made.place)?;
            reply.links.push(LinkLine {
                agent: agent.clone(),
                name: made.name.clone(),
                path: made.place.to_string_lossy().into_owned(),
                target: made.target.to_string_lossy().into_owned(),
                mode: made.mode(),
                change,
            });
        }
    }
    Ok(())
}

/// Takes away what was made of skills that are removed; what somebody has changed since stays.
pub(crate) fn unlink(places: &Places, targets: &[PathBuf]) -> Result<Vec<PathBuf>, Refusal> {
    let mut record = Record::open(places)?;
    let mut gone = Vec::new();
    for made in record.made_of(targets) {
        if unmake(&made).is_ok() {
            record.forget(&made.place)?;
            gone.push(made.place);
        }
    }
    Ok(gone)
}

/// The directory of each agent.
fn directories(desk: &Installer<'_>, request: &LinkRequest<'_>) -> Result<Vec<(String, PathBuf)>, Refusal> {
    let of = |agent: &String| Ok((agent.clone(), directory(&desk.hall.machine, agent, request.scope)?));
    request.agents.iter().map(of).collect()
}

/// The skills that are meant and may be shown; the others are told.
fn chosen<'h>(
    desk: &Installer<'h>,
    request: &LinkRequest<'_>,
    reply: &mut Link,
) -> Result<Vec<&'h Entry>, Refusal> {
    let hall = desk.hall;
    let named: Vec<&Entry> = if request.skills.is_empty() {
        let places = locked_skills(desk, request.scope)?;
        hall.snapshot.skills.iter().filter(|entry| places.contains(&entry.place.own())).collect()
    } else {
        let find = |name: &String| {
            resolve(hall, name).map_err(|Unresolved { code, message, .. }| Refusal::new(code, message))
        };
        request.skills.iter().map(find).collect::<Result<_, _>>()?
    };
    if named.is_empty() {
        let message =
            "no skill is installed there; `--skill NAME` names one of those that `guild list` shows";
        return Err(Refusal::new(Code::NoSkills, message));
    }
    let mut gate = Gate::open(hall);
    let mut chosen = Vec::new();
    for entry in named {
        let verdict = gate.vet(&Subject::of_entry(&hall.snapshot, entry)).verdict;
        match hidden(entry, verdict) {
            None => chosen.push(entry),
            Some(why) => reply.left_out.push(format!("{}: {why}", entry.qualified_name())),
        }
    }
    gate.close();
    if chosen.is_empty() {
        let message = format!("there is nothing to show: {}", reply.left_out.join("; "));
        return Err(Refusal::new(Code::SkillNotInvocable, message));
    }
    Ok(chosen)
}

/// Why a skill is shown to nobody.
fn hidden(entry: &Entry, verdict: &str) -> Option<&'static str> {
    match () {
        () if verdict == "deny" => Some("the vet denies it"),
        () if !entry.enabled => Some("it is switched off"),
        () if entry.place.scope == guild_catalog::Scope::Builtin => Some("it is built in, and lies nowhere"),
        () if entry.place.flat => Some("it is one file, and agents read directories"),
        () => None,
    }
}

fn sentence(reply: &Link) -> String {
    let count = |change: &str| reply.links.iter().filter(|line| line.change == change).count();
    let mut parts = Vec::new();
    for word in ["linked", "copied", "removed", "gone", "unchanged"] {
        if count(word) > 0 {
            parts.push(format!("{} {word}", count(word)));
        }
    }
    if !reply.left_out.is_empty() {
        parts.push(format!("{} left out", counted(reply.left_out.len(), "skill")));
    }
    if parts.is_empty() { "there is nothing to undo".to_owned() } else { parts.join(", ") }
}
