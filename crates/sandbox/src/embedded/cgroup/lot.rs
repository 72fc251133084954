//! The cgroup of one launch. With version 1, which has a directory for each controller, it is made while the launch is prepared, and is there
//! before the kernel copies the launcher, unless one waits already: whoever writes to its memory after that waits for a copy of every page.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{Cgroup, Cgroups, Place, spare};
use crate::policy::Limits;

/// The cgroup of one launch.
#[derive(Debug)]
pub(in crate::embedded) enum Lot {
    /// It is there.
    Made(Box<Cgroup>),
    /// Somebody makes it.
    Due(Receiver<io::Result<Cgroup>>),
}

/// A cgroup that is still to be made for a launch that goes on meanwhile.
#[derive(Debug)]
pub(in crate::embedded) struct Order {
    place: Place,
    limits: Limits,
    to: SyncSender<io::Result<Cgroup>>,
}

/// Where a cgroup was that is gone, and its limits.
pub(in crate::embedded) struct Vacancy(Option<(Cgroups, Limits)>);

impl Vacancy {
    /// Makes one there for the next launch, where that takes long.
    pub(in crate::embedded) fn fill(self) {
        if let Some((place @ Cgroups::V1(_), limits)) = self.0 {
            spare::make_another(place, &limits);
        }
    }
}

impl Lot {
    /// One that is there when it is needed: at once where a process is born in it or one waits, else when the order is fulfilled.
    pub(in crate::embedded) fn in_time(place: Place, limits: Limits) -> io::Result<(Lot, Option<Order>)> {
        match place.cgroups {
            Cgroups::V2(_) => Ok((Lot::Made(Box::new(place.create(&limits)?)), None)),
            Cgroups::V1(_) => {
                if let Some(spare) = spare::take(&place, &limits) {
                    return Ok((Lot::Made(Box::new(spare)), None));
                }
                let (to, due) = sync_channel(1);
                Ok((Lot::Due(due), Some(Order { place, limits, to })))
            }
        }
    }

    /// Waits until it is there.
    pub(in crate::embedded) fn wait(self) -> io::Result<Lot> {
        match self {
            Lot::Due(due) => Ok(Lot::Made(Box::new(due.recv().map_err(io::Error::other)??))),
            made @ Lot::Made(_) => Ok(made),
        }
    }

    /// Removes it.
    pub(in crate::embedded) fn end(self) -> Vacancy {
        let Lot::Made(cgroup) = &self else { return Vacancy(None) };
        Vacancy(cgroup.origin.as_ref().map(|origin| (origin.place.clone(), origin.limits)))
    }

    /// The cgroup, if it is there.
    pub(in crate::embedded) fn made(&self) -> Option<&Cgroup> {
        match self {
            Lot::Made(cgroup) => Some(cgroup),
            Lot::Due(_) => None,
        }
    }
}

impl Order {
    /// Makes the cgroup; if the launch has failed meanwhile, it is removed again.
    pub(in crate::embedded) fn fulfil(self) {
        let _ = self.to.send(self.place.create(&self.limits));
    }
}
