//! Where the cgroups of this process's containers are made: found at the start, taken when the first container needs it.
//!
//! The ways, in this order: version 1 where it has the controllers; a cgroup of version 2 that is delegated to us; a scope from
//! systemd. Taking it may move this process, which nobody should notice who launches no container.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::layout::Layout;
use super::owner::{self, Owner};
use super::systemd::Manager;
use super::v2::{self, Claim};
use super::{Cgroups, Place, reap, v1};
use crate::probe::Finding;
use crate::surroundings::Surroundings;

/// The ground on which containers are counted and limited, or why there is none.
#[derive(Debug)]
pub(in crate::embedded) struct Ground {
    surroundings: Surroundings,
    way: Result<Way, Finding>,
    taken: Mutex<Option<Place>>,
}

/// How cgroups are come by.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// By directories of version 1.
    V1(v1::Directories),
    /// By a directory of version 2 that is ours already.
    Own(PathBuf),
    /// By a scope from this systemd.
    Scope(Manager),
}

impl Ground {
    /// Looks where cgroups can be made, and removes what killed processes have left there.
    pub(in crate::embedded) fn survey(surroundings: &Surroundings) -> Ground {
        let way = Way::find(surroundings);
        match &way {
            Ok(Way::V1(directories)) => directories.all().into_iter().for_each(reap),
            Ok(Way::Own(directory)) => reap(directory),
            Ok(Way::Scope(_)) | Err(_) => {}
        }
        let taken = match &way {
            Ok(Way::V1(directories)) => {
                Some(Place { cgroups: Cgroups::V1(directories.clone()), claim: None })
            }
            _ => None,
        };
        Ground { surroundings: surroundings.clone(), way, taken: Mutex::new(taken) }
    }

    /// How limits are enforced here, for people; else why they cannot be.
    pub(in crate::embedded) fn describe(&self) -> Result<&'static str, &Finding> {
        Ok(match self.way.as_ref()? {
            Way::V1(_) => "cgroup v1",
            Way::Own(directory) if !owner::is_scope(&file_name(directory)) => "cgroup v2, own delegation",
            Way::Own(_) | Way::Scope(_) if rustix::process::geteuid().is_root() => "cgroup v2, systemd scope",
            Way::Own(_) | Way::Scope(_) => "cgroup v2, systemd user scope",
        })
    }

    /// What was taken already, or needs no taking.
    pub(in crate::embedded) fn taken(&self) -> Option<Place> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes it, which may wait for systemd and for others of this user.
    pub(in crate::embedded) fn take(&self) -> Result<Place, Finding> {
        // A process is in one cgroup: where two runtimes of one process take theirs at once, the second sees what the first has done.
        static TAKING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = self.taken() {
            return Ok(place);
        }
        let place = Way::find(&self.surroundings)?.take()?;
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(place.clone());
        Ok(place)
    }
}

impl Way {
    fn find(surroundings: &Surroundings) -> Result<Way, Finding> {
        match layout()? {
            Layout::V2 { mount, own } => Way::within(&mount, &own, surroundings),
            Layout::V1(directories) => v1::writable(directories).map(Way::V1),
            Layout::None => Err(Finding::new(
                "no cgroup file system is mounted",
                "mount cgroup2 at /sys/fs/cgroup, or use docker or podman",
            )),
        }
    }

    fn within(mount: &Path, own: &Path, surroundings: &Surroundings) -> Result<Way, Finding> {
        let delegates = |unit: &Path| is_delegated(unit, surroundings);
        let blocked = match v2::nearest(mount, own, &delegates) {
            Ok(directory) => return Ok(Way::Own(directory)),
            Err(blocked) => blocked,
        };
        if owner::is_scope(&file_name(&blocked.directory)) {
            // What systemd has given already is no better when it is asked again.
            return Err(Finding::new(blocked.cause(), WITHOUT));
        }
        let manager = Manager::find(surroundings).map_err(|finding| Finding {
            cause: format!("{}, and {}", blocked.cause(), finding.cause),
            ..finding
        })?;
        let controllers = fs::read_to_string(mount.join(manager.cgroup()).join("cgroup.controllers"));
        match controllers.ok().as_deref().and_then(v2::missing) {
            None => Ok(Way::Scope(manager)),
            Some(controller) => Err(manager.lacks(controller)),
        }
    }

    fn take(self) -> Result<Place, Finding> {
        match self {
            Way::V1(directories) => Ok(Place { cgroups: Cgroups::V1(directories), claim: None }),
            Way::Own(directory) => claim(directory),
            Way::Scope(manager) => {
                let unit = Owner::current().map_err(|error| unreadable(&error))?.scope();
                manager.scope(&unit)?;
                match layout()? {
                    Layout::V2 { own, .. } if file_name(&own) == unit => claim(own),
                    _ => Err(manager.misunderstood(&unit)),
                }
            }
        }
    }
}

const WITHOUT: &str = "ask an administrator to delegate it, or use docker or podman";

fn claim(directory: PathBuf) -> Result<Place, Finding> {
    match Claim::take(&directory) {
        Ok(claim) => Ok(Place { cgroups: Cgroups::V2(directory), claim: Some(Arc::new(claim)) }),
        Err(error) => {
            Err(Finding::new(format!("the cgroup {} cannot be used: {error}", directory.display()), WITHOUT))
        }
    }
}

/// systemd marks what it has delegated, so that everybody can see it; older ones do not mark what a user's systemd has.
fn is_delegated(unit: &Path, surroundings: &Surroundings) -> bool {
    let mut mark = [0; 1];
    match rustix::fs::getxattr(unit, "user.delegate", &mut mark) {
        Ok(_) => mark == *b"1",
        Err(_) => Manager::find(surroundings).is_ok_and(|manager| manager.delegates(&file_name(unit))),
    }
}

fn layout() -> Result<Layout, Finding> {
    let read = |path: &str| fs::read_to_string(path).map_err(|error| unreadable(&error));
    Ok(Layout::read(&read("/proc/self/mountinfo")?, &read("/proc/self/cgroup")?))
}

fn unreadable(error: &io::Error) -> Finding {
    Finding::new(format!("/proc cannot be read: {error}"), "mount /proc")
}

fn file_name(directory: &Path) -> String {
    directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
