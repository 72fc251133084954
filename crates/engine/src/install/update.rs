//! `update`: what is at the source now, shown with everything that it changes, and installed once a person has agreed.
//!
//! What somebody has edited is never overwritten without being asked: kept, replaced, or merged.

use super::compare::compare_trees;
use super::drift::drift;
use super::merge::{Sides, merge};
use super::place::{Scope, site};
use super::refetch::Refetch;
use super::remembered::Remembered;
use super::select::select;
use super::settled::{Fate, settle};
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::reply::{Comparison, Update, UpdateLine};
use crate::{Code, Envelope, Refusal};
use guild_source::lock::{Entry, Lock};
use guild_source::site::{Change, Site};
use guild_source::store::Kept;

/// What becomes of edits of one's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    /// They stop the update.
    Refuse,
    /// They stay, and so does what they are in.
    Keep,
    /// They go.
    Replace,
    /// They are merged with the update.
    Merge,
}

/// Asks a person who has seen what would change.
pub type Confirm<'a> = &'a (dyn Fn(&Update) -> bool + Sync);

/// What to update.
pub struct UpdateRequest<'a> {
    /// By name; all where none is named.
    pub names: &'a [String],
    /// Where.
    pub scope: Scope,
    /// What becomes of edits.
    pub edits: Edits,
    /// Whether it is agreed to unseen.
    pub agreed: bool,
    /// Whom to ask otherwise.
    pub confirm: Option<Confirm<'a>>,
}

/// One thing that is going to change.
struct Ready {
    /// The entry that the lock will have.
    entry: Entry,
    /// The files at the source.
    stored: Kept,
    /// The files that will lie in the place, where edits are merged into them.
    merged: Option<Kept>,
}

/// What an update does to one entry.
struct Prepared {
    line: UpdateLine,
    ready: Option<Ready>,
    /// Why nothing is updated, which is said once everything was looked at: a person decides by what they have seen.
    stop: Option<Refusal>,
}

/// Updates what is installed.
pub async fn update(desk: &Installer<'_>, request: &UpdateRequest<'_>) -> Envelope<Update> {
    let mut reply = Update { scope: request.scope.word(), ..Update::default() };
    match run(desk, request, &mut reply).await {
        Ok(unasked) => {
            let updated = reply.changes.iter().filter(|change| change.change == "updated").count();
            if let Some(Refusal { code, message }) = unasked.first() {
                let message = match (updated, unasked.len()) {
                    (0, 1) => message.clone(),
                    (_, count) => format!("{updated} updated, {count} not: {message}"),
                };
                return Envelope::error(*code, message, reply);
            }
            let message = match updated {
                0 if reply.updates.iter().all(|line| line.state == "current") => {
                    "everything is up to date".to_owned()
                }
                0 => "nothing was updated".to_owned(),
                count => format!("{count} updated; `guild rollback NAME` goes back"),
            };
            Envelope::ok(reply).with_message(message)
        }
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

/// Updates what can be, and says why the rest cannot: of many sources one is always down, and only who is named has to be there.
async fn run(
    desk: &Installer<'_>,
    request: &UpdateRequest<'_>,
    reply: &mut Update,
) -> Result<Vec<Refusal>, Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    let remembered = Remembered::of(desk, &site, &lock, true).await?;
    let mut refetch = Refetch::new(desk, &site);
    let (mut ready, mut stopped, mut unasked) = (Vec::new(), None, Vec::new());
    for entry in select(&lock, request.names)? {
        let prepared = match prepare(desk, request, &mut refetch, (&site, &remembered, entry)).await {
            Err(refusal) if request.names.is_empty() => {
                let reason = Some(refusal.message.clone());
                reply.updates.push(UpdateLine { state: "unknown", reason, ..line(entry) });
                unasked.push(refusal);
                continue;
            }
            prepared => prepared?,
        };
        reply.updates.push(prepared.line);
        ready.extend(prepared.ready);
        stopped = stopped.or(prepared.stop);
    }
    let looks: Vec<Look<'_>> = ready.iter().map(Ready::look).collect::<Result<_, _>>()?;
    reply.vetted = vetting::vet(desk, &looks);
    vetting::refuse_denied(&reply.vetted, "")?;
    if let Some(stop) = stopped {
        return Err(stop);
    }
    let is_shown = reply.updates.iter().any(|line| line.state == "update");
    if is_shown && !request.agreed && !request.confirm.is_some_and(|confirm| confirm(reply)) {
        let message = "nothing was changed: look at what would be, and say `--yes`";
        return Err(Refusal::new(Code::NotConfirmed, message));
    }
    install(desk, &site, (&lock, &ready), reply).await?;
    Ok(unasked)
}

/// Finds out what an update does to one entry.
async fn prepare(
    desk: &Installer<'_>,
    request: &UpdateRequest<'_>,
    refetch: &mut Refetch<'_, '_>,
    (site, remembered, entry): (&Site, &Remembered, &Entry),
) -> Result<Prepared, Refusal> {
    let mut line = line(entry);
    if entry.pinned || entry.linked {
        line.state = if entry.pinned { "pinned" } else { "current" };
        return Ok(Prepared { line, ready: None, stop: None });
    }
    let (origin, stored) = refetch.latest(entry).await?;
    line.to.clone_from(&origin.resolved);
    let next = |previous| Entry {
        origin: origin.clone(),
        digest: stored.digest,
        tree: stored.tree.clone(),
        previous,
        ..entry.clone()
    };
    if stored.digest == entry.digest {
        // The commit has moved and the files have not: that is worth writing down, and nothing to ask about.
        let moved = (origin != entry.origin).then(|| next(entry.before_it(&origin)));
        let ready = moved.map(|entry| Ready { entry, stored: stored.clone(), merged: None });
        return Ok(Prepared { line, ready, stop: None });
    }
    let old = refetch.locked(entry).await?;
    line.state = "update";
    line.comparison = compare_trees(desk, &entry.name, &old.tree, &stored.tree)?;
    let mut edits = Ok(None);
    // What an earlier lock has put here is nobody's edit.
    if drift(site, entry).has_edits() && !remembered.has_untouched(site, entry) {
        let ours = site.place(entry.kind, &entry.name);
        let sides = Sides { name: &entry.name, base: &old.tree, ours: &ours, theirs: &stored };
        (line.edits, edits) = decided(desk, request.edits, entry, &sides).await;
    }
    if line.edits == "kept" {
        line.state = "kept";
        return Ok(Prepared { line, ready: None, stop: None });
    }
    let (merged, stop) = edits.map_or_else(|stop| (None, Some(stop)), |merged| (merged, None));
    let entry = next(entry.before(&origin));
    Ok(Prepared { line, ready: Some(Ready { entry, stored, merged }), stop })
}

fn line(entry: &Entry) -> UpdateLine {
    UpdateLine {
        name: entry.name.clone(),
        kind: entry.kind.word(),
        state: "current",
        reason: None,
        from: entry.origin.resolved.clone(),
        to: None,
        edits: "none",
        comparison: Comparison::default(),
    }
}

/// What becomes of the edits of an entry: the word for it, and what they are merged to, or why they stop the update.
async fn decided(
    desk: &Installer<'_>,
    edits: Edits,
    entry: &Entry,
    sides: &Sides<'_>,
) -> (&'static str, Result<Option<Kept>, Refusal>) {
    match edits {
        Edits::Refuse => ("undecided", Err(undecided(entry))),
        Edits::Keep => ("kept", Ok(None)),
        Edits::Replace => ("replaced", Ok(None)),
        Edits::Merge => match merge(desk, sides).await {
            Ok(merged) => ("merged", Ok(Some(merged))),
            Err(stop) => ("contradicting", Err(stop)),
        },
    }
}

fn undecided(entry: &Entry) -> Refusal {
    let message = format!(
        "{} `{}` has edits of yours (see `guild verify {}`): say `--keep`, `--replace` or `--merge`",
        entry.kind, entry.name, entry.name
    );
    Refusal::new(Code::LocallyEdited, message)
}

impl Ready {
    fn look(&self) -> Result<Look<'_>, Refusal> {
        Look::of(&self.entry, self.files())
    }

    /// The files that will lie in the place.
    fn files(&self) -> &Kept {
        self.merged.as_ref().unwrap_or(&self.stored)
    }
}

/// Puts everything in its place, unless somebody has changed the lock meanwhile.
async fn install(
    desk: &Installer<'_>,
    site: &Site,
    (before, ready): (&Lock, &[Ready]),
    reply: &mut Update,
) -> Result<(), Refusal> {
    if ready.is_empty() {
        return Ok(());
    }
    let held = site.hold().map_err(failure::of_site)?;
    let mut lock = site.read_lock().map_err(failure::of_site)?;
    if lock != *before {
        let message = format!("{} was changed meanwhile; run it again", site.lock_file().display());
        return Err(Refusal::new(Code::InstallConflict, message));
    }
    let (mut changes, mut fates) = (Vec::new(), Vec::new());
    for ready in ready {
        let (kind, name) = (ready.entry.kind, ready.entry.name.as_str());
        let is_new = before.get(kind, name).is_none_or(|old| old.digest != ready.entry.digest);
        if is_new {
            changes.push(Change::Place { kind, name, tree: &ready.files().tree, from: None });
        }
        fates.push((if is_new { Fate::Updated } else { Fate::Unchanged }, &ready.entry));
        lock.put(ready.entry.clone());
    }
    reply.changes = settle(desk, &held, &changes, &lock, fates).await?;
    Ok(())
}
