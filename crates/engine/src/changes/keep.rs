//! Keeping what a container writes to a copy-on-write mount: a layer before the run, a change set after it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use guild_sandbox::changes::{Bounds, ChangeSet, ChangeSetId, ChangeStore, Layer, Listing, Owner, Watch};
use guild_sandbox::{Child, Policy, random_bytes};
use ulid::Ulid;

use super::{sensitive, store};
use crate::cause::with_cause;
use crate::reply::ChangeSummary;
use crate::{Code, Places, Refusal};

/// A mount whose changes are being kept.
pub(crate) struct Keeping {
    store: ChangeStore,
    id: ChangeSetId,
    layer: Layer,
    source: PathBuf,
    watch: Option<Watch>,
}

impl Keeping {
    /// Makes a layer for what is written over `source`, or instead of it where the runtime takes no layers over it.
    pub(crate) fn begin(
        places: &Places,
        source: &Path,
        now: SystemTime,
        overlay: bool,
    ) -> Result<Keeping, Refusal> {
        let store = store(places)?;
        let id = new_id(now)?;
        let layer = if overlay {
            store.begin(&id)?
        } else {
            // The container's user, as every container that is asked for here has it.
            let owner = Owner::inside(Policy::default().user);
            store.begin_copy(&id, source, Bounds::default(), owner)?.0
        };
        Ok(Keeping { store, id, layer, source: source.to_owned(), watch: None })
    }

    /// Where the sandbox writes.
    pub(crate) fn layer(&self) -> &Path {
        self.layer.directory()
    }

    /// Sees to it that whoever writes there is ended before it is more than can be kept, or the disk is full.
    pub(crate) fn watch(&mut self, child: &Child) -> Result<(), Refusal> {
        self.watch = Some(Watch::begin(&self.layer, Bounds::default(), child.killer())?);
        Ok(())
    }

    /// Lists what was written and keeps it until somebody decides; nothing is kept of a run that changed nothing, or too much.
    pub(crate) fn finish(mut self) -> Result<Option<ChangeSummary>, Refusal> {
        let listing = match self.listing() {
            Ok(Some(listing)) => listing,
            nothing => {
                self.layer.remove()?;
                return nothing.map(|_| None);
            }
        };
        let set = ChangeSet::new(self.id, &self.source, &self.layer, listing)?;
        self.store.save(&set)?;
        Ok(Some(ChangeSummary::of(&set)))
    }

    fn listing(&mut self) -> Result<Option<Listing>, Refusal> {
        if let Some(overfull) = self.watch.take().and_then(Watch::end) {
            let message = format!("the command was ended: {}; nothing of it is kept", with_cause(&overfull));
            return Err(Refusal::new(Code::ChangesUnusable, message));
        }
        let listing = self.layer.changes(&self.source, Bounds::default())?;
        let is_empty = listing.changes.is_empty() && listing.refused.is_empty();
        Ok((!is_empty).then(|| listing.marked(&sensitive::patterns())))
    }

    /// Finishes all of a run's: what became of one is no reason to lose another.
    pub(crate) fn finish_all(all: Vec<Keeping>) -> Result<Vec<ChangeSummary>, Refusal> {
        let finished: Vec<_> = all.into_iter().map(Keeping::finish).collect();
        Ok(finished.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }
}

fn new_id(now: SystemTime) -> Result<ChangeSetId, Refusal> {
    let defect = |error: &dyn std::error::Error| Refusal::new(Code::Internal, error.to_string());
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let random = u128::from_be_bytes(random_bytes().map_err(|error| defect(&error))?);
    let ulid = Ulid::from_parts(u64::try_from(since.as_millis()).unwrap_or(u64::MAX), random);
    ChangeSetId::try_from(format!("chg_{ulid}")).map_err(|error| defect(&error))
}
