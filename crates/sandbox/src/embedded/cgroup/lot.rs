//! The cgroup of one launch. With version 1, which has a directory for each controller, it is made while the launch is prepared, and is there
//! before the kernel copies the launcher: whoever writes to its memory after that waits for a copy of every page.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{Cgroup, Cgroups, Place};
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

impl Lot {
    /// One that is there when it is needed: at once where a process is born in it, else when the order is fulfilled.
    pub(in crate::embedded) fn in_time(place: Place, limits: Limits) -> io::Result<(Lot, Option<Order>)> {
        match place.cgroups {
            Cgroups::V2(_) => Ok((Lot::Made(Box::new(place.create(&limits)?)), None)),
            Cgroups::V1(_) => {
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
