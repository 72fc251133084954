//! Cgroups of the second kind, one a test: given to the test user or kept from it.
//!
//! What a test makes within its own is its business until it ends; then everything in it is killed and removed.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The uid and gid of the test user.
pub const TESTER: u32 = 1000;

const ROOT: &str = "/sys/fs/cgroup";
const PARENT: &str = "/sys/fs/cgroup/guild-vm";
const CONTROLLERS: &str = "+cpu +io +memory +pids";

/// Who owns a cgroup.
#[derive(Debug, Clone, Copy)]
pub enum Owner {
    Root,
    Tester,
}

/// The cgroup of one test.
pub struct Cgroup {
    path: PathBuf,
}

/// Makes the parent of all cgroups of tests, with the controllers that limits need.
pub fn prepare() -> Result<(), String> {
    let made = write(ROOT, "cgroup.subtree_control", CONTROLLERS)
        .and_then(|()| fs::create_dir(PARENT))
        .and_then(|()| write(PARENT, "cgroup.subtree_control", CONTROLLERS));
    made.map_err(|error| format!("cannot prepare the cgroups: {error}"))
}

impl Cgroup {
    /// Makes the cgroup called `name`.
    pub fn make(name: &str, owner: Owner) -> Result<Self, String> {
        let path = Path::new(PARENT).join(name);
        let made = fs::create_dir(&path).and_then(|()| match owner {
            Owner::Root => Ok(()),
            Owner::Tester => give(&path),
        });
        made.map_err(|error| format!("cannot make the cgroup {}: {error}", path.display()))?;
        Ok(Self { path })
    }

    /// The file that takes processes in.
    pub fn processes(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// Kills every process in it, also in cgroups below.
    pub fn kill(&self) -> Result<(), String> {
        write(&self.path, "cgroup.kill", "1")
            .map_err(|error| format!("cannot empty the cgroup {}: {error}", self.path.display()))
    }

    /// Kills what is left and removes the cgroup with everything below.
    pub fn end(self) -> Result<(), String> {
        self.kill()?;
        let start = Instant::now();
        // The dead leave their cgroup a moment after they were killed.
        while let Err(error) = remove(&self.path) {
            if start.elapsed() > Duration::from_secs(10) {
                return Err(format!("cannot remove the cgroup {}: {error}", self.path.display()));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// Gives a cgroup away as the kernel's documentation says: the directory and the files that the kernel lists.
fn give(path: &Path) -> io::Result<()> {
    chown(path, Some(TESTER), Some(TESTER))?;
    for file in fs::read_to_string("/sys/kernel/cgroup/delegate")?.lines() {
        match chown(path.join(file), Some(TESTER), Some(TESTER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove(&entry.path())?;
        }
    }
    fs::remove_dir(path)
}

fn write(directory: impl AsRef<Path>, file: &str, text: &str) -> io::Result<()> {
    fs::write(directory.as_ref().join(file), text)
}
