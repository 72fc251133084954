//! What many launches leave behind: descriptors, mounts, cgroups, directories, threads and processes, counted before and after.
//!
//! Only what is this process's own is counted, so that others may go on meanwhile. Root therefore gets mounts of its own first; an
//! ordinary user can mount nothing on the host.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::mount::MountPropagationFlags;
use rustix::thread::UnshareFlags;
use serde::Serialize;

use crate::contained::Contained;

/// What is there at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Count {
    descriptors: usize,
    mounts: usize,
    cgroups: usize,
    directories: usize,
    threads: usize,
    processes: usize,
}

#[derive(Serialize)]
struct Residue {
    launches: u32,
    containers: u32,
    before: Count,
    after: Count,
}

/// Every how many launches a container that waits for commands is started too.
const A_CONTAINER_EVERY: u32 = 5;

/// Launches this often, and says as JSON what there was before and after. Runs in an empty directory, where everything new is counted.
pub fn after(launches: u32) -> Result<String, Box<dyn Error>> {
    own_mounts()?;
    let contained = Contained::new()?;
    let containers = launches / A_CONTAINER_EVERY;
    // The first of each kind makes what is made once for a process, and the second what is kept for those after it.
    one_of_each(&contained)?;
    one_of_each(&contained)?;
    let before = settled(None)?;
    for number in 1..=launches {
        contained.launch()?;
        if number % A_CONTAINER_EVERY == 0 {
            one_of_each(&contained)?;
        }
    }
    let after = settled(Some(&before))?;
    let launches = launches + containers;
    Ok(serde_json::to_string(&Residue { launches, containers, before, after })?)
}

fn one_of_each(contained: &Contained) -> Result<(), Box<dyn Error>> {
    contained.launch()?;
    let container = contained.start()?;
    contained.exec(&*container)?;
    contained.stop(container)
}

fn own_mounts() -> Result<(), Box<dyn Error>> {
    if rustix::process::geteuid().is_root() {
        // SAFETY: this process has one thread, and only its view of the file system changes.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }?;
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change(Path::new("/"), private)?;
    }
    Ok(())
}

/// The count once it is what it is expected to be, or has had ten seconds for it: a thread that has said its last word still has to end.
fn settled(expected: Option<&Count>) -> Result<Count, Box<dyn Error>> {
    let begun = Instant::now();
    loop {
        let count = count()?;
        let done = expected.map_or(count.threads == 1, |expected| *expected == count);
        if done || begun.elapsed() > Duration::from_secs(10) {
            return Ok(count);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn count() -> Result<Count, Box<dyn Error>> {
    Ok(Count {
        descriptors: fs::read_dir("/proc/self/fd")?.count(),
        mounts: fs::read_to_string("/proc/thread-self/mountinfo")?.lines().count(),
        cgroups: cgroups(Path::new("/sys/fs/cgroup"), &format!("guild-{}-", std::process::id())),
        directories: fs::read_dir(".")?.count(),
        threads: fs::read_dir("/proc/self/task")?.count(),
        processes: fs::read_to_string("/proc/thread-self/children")?.split_whitespace().count(),
    })
}

fn cgroups(directory: &Path, prefix: &str) -> usize {
    let within = fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = within.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let paths: Vec<PathBuf> = directories.map(|entry| entry.path()).collect();
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    paths.iter().map(|path| usize::from(named(path)) + cgroups(path, prefix)).sum()
}
