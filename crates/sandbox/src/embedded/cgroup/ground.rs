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
use super::v2::{self, Blocked, Claim};
use super::{Cgroups, Place, file_name, reap, v1};
use crate::probe::Finding;
use crate::surroundings::Surroundings;

/// The ground on which containers are counted and limited, or why there is none.
#[derive(Debug)]
pub(in crate::embedded) struct Ground {
    surroundings: Surroundings,
    seen: Result<Survey, Finding>,
    taken: Mutex<Option<Place>>,
}

/// What was found at one moment.
#[derive(Debug)]
struct Survey {
    /// The cgroups of this process at that moment, as the kernel tells them.
    own: String,
    way: Way,
}

/// How cgroups are come by.
#[derive(Clone, Debug)]
enum Way {
    /// By directories of version 1.
    V1(v1::Directories),
    /// By a directory of version 2 that is ours already.
    Own(PathBuf),
    /// By a scope from systemd, because nothing else will do.
    Scope {
        /// Where version 2 is mounted.
        mount: PathBuf,
        blocked: Blocked,
    },
}

impl Ground {
    /// Looks where cgroups can be made, and removes what killed processes have left there.
    pub(in crate::embedded) fn survey(surroundings: &Surroundings) -> Ground {
        let seen = Survey::make(surroundings);
        let mut taken = None;
        match seen.as_ref().map(|survey| &survey.way) {
            Ok(Way::V1(directories)) => {
                directories.all().into_iter().for_each(reap);
                taken = Some(Place { cgroups: Cgroups::V1(directories.clone()), claim: None });
            }
            Ok(Way::Own(directory)) => Claim::clean(directory),
            Ok(Way::Scope { .. }) | Err(_) => {}
        }
        Ground { surroundings: surroundings.clone(), seen, taken: Mutex::new(taken) }
    }

    /// How limits are enforced here, for people; else why they cannot be.
    pub(in crate::embedded) fn describe(&self) -> Result<&'static str, Finding> {
        match &self.seen.as_ref().map_err(Clone::clone)?.way {
            Way::V1(_) => return Ok("cgroup v1"),
            Way::Own(directory) if !owner::is_scope(&file_name(directory)) => {
                return Ok("cgroup v2, own delegation");
            }
            Way::Own(_) => {}
            Way::Scope { mount, blocked } => drop(manager(mount, blocked, &self.surroundings)?),
        }
        let is_root = rustix::process::geteuid().is_root();
        Ok(if is_root { "cgroup v2, systemd scope" } else { "cgroup v2, systemd user scope" })
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
        let look_again = || Survey::make(&self.surroundings)?.way.take(&self.surroundings);
        let place = match &self.seen {
            Ok(Survey { own, way }) if *own == own_cgroups()? => match way.clone().take(&self.surroundings) {
                // Somebody may have come into it since.
                Err(_) if matches!(way, Way::Own(_)) => look_again(),
                place => place,
            },
            _ => look_again(),
        }?;
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(place.clone());
        Ok(place)
    }
}

impl Survey {
    fn make(surroundings: &Surroundings) -> Result<Survey, Finding> {
        let own = own_cgroups()?;
        let way = match layout(&own)? {
            Layout::V1(directories) => v1::writable(directories).map(Way::V1)?,
            Layout::V2 { mount, own } => {
                let delegates = |unit: &Path| is_delegated(unit, surroundings);
                match v2::nearest(&mount, &own, &delegates) {
                    Ok(directory) => Way::Own(directory),
                    Err(blocked) => Way::Scope { mount, blocked },
                }
            }
            Layout::None => {
                return Err(Finding::new(
                    "no cgroup file system is mounted",
                    "mount cgroup2 at /sys/fs/cgroup, or use docker or podman",
                ));
            }
        };
        Ok(Survey { own, way })
    }
}

impl Way {
    fn take(self, surroundings: &Surroundings) -> Result<Place, Finding> {
        let (mount, blocked) = match self {
            Way::V1(directories) => return Ok(Place { cgroups: Cgroups::V1(directories), claim: None }),
            Way::Own(directory) => return claim(directory),
            Way::Scope { mount, blocked } => (mount, blocked),
        };
        let manager = manager(&mount, &blocked, surroundings)?;
        let unit = Owner::current().map_err(|error| unreadable(&error))?.scope();
        manager.scope(&unit)?;
        match layout(&own_cgroups()?)? {
            Layout::V2 { own, .. } if file_name(&own) == unit => claim(own),
            _ => Err(manager.misunderstood(&unit)),
        }
    }
}

/// The systemd that can give what is not to be had where this process is.
fn manager(mount: &Path, blocked: &Blocked, surroundings: &Surroundings) -> Result<Manager, Finding> {
    if owner::is_scope(&file_name(&blocked.directory)) {
        // What systemd has given already is no better when it is asked again.
        return Err(Finding::new(blocked.cause(), WITHOUT));
    }
    let missing = |directory: &Path| {
        let controllers = fs::read_to_string(directory.join("cgroup.controllers"));
        controllers.ok().as_deref().and_then(v2::missing)
    };
    if let Some(controller) = missing(mount) {
        return Err(Finding::new(
            format!("this machine has no controller {controller} for cgroup v2"),
            format!(
                "start it with `cgroup_enable={controller}` on the kernel's command line, or use another kernel"
            ),
        ));
    }
    let manager = Manager::find(surroundings).map_err(|finding| Finding {
        cause: format!("{}, and {}", blocked.cause(), finding.cause),
        ..finding
    })?;
    match missing(&mount.join(manager.cgroup())) {
        None => Ok(manager),
        Some(controller) => Err(manager.lacks(controller)),
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

fn layout(own: &str) -> Result<Layout, Finding> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| unreadable(&error))?;
    Ok(Layout::read(&mounts, own))
}

fn own_cgroups() -> Result<String, Finding> {
    fs::read_to_string("/proc/self/cgroup").map_err(|error| unreadable(&error))
}

fn unreadable(error: &io::Error) -> Finding {
    Finding::new(format!("/proc cannot be read: {error}"), "mount /proc")
}
