//! Processes whose parent was killed: they become this process's children, so that a test can see whether they end.
//!
//! It takes a test that has its process for itself, which nextest gives.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

use crate::wait_until;

/// Those that come from now on.
#[derive(Debug)]
pub struct Orphans {
    /// Children that were there before, such as a server.
    known: BTreeSet<i32>,
}

impl Orphans {
    /// Takes in whoever is orphaned from now on.
    #[track_caller]
    pub fn adopt() -> Self {
        set_child_subreaper(Some(getpid())).expect("adopt orphans");
        Self { known: children().collect() }
    }

    /// Waits until every one of them has ended by itself. Nothing that the test has started may be running.
    #[track_caller]
    pub fn wait_for_their_end(&self) {
        wait_until("something of a killed process lives on", || {
            let left: Vec<i32> = children().filter(|child| !self.known.contains(child)).collect();
            for pid in left.iter().filter_map(|pid| Pid::from_raw(*pid)) {
                // One that was taken away in the meantime is as good.
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            left.is_empty()
        });
    }
}

/// The processes whose parent this is.
fn children() -> impl Iterator<Item = i32> {
    let own = getpid().as_raw_nonzero().get();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(move |pid| parent(*pid) == Some(own))
}

/// The parent of a process, if there is such a one. Its name may hold anything, so that what follows it is read.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Env;

    #[test]
    fn whoever_is_orphaned_is_waited_for() {
        let orphans = Orphans::adopt();
        let env = Env::new("/bin/sh");
        let script =
            "(while ! test -e ../tmp/end; do :; done; echo > ../tmp/ended) & echo; while :; do :; done";
        let mut parent = env.invocation(&["-c", script]).spawn();
        parent.line();
        env.write("//- /tmp/end\n");
        drop(parent);
        orphans.wait_for_their_end();
        assert!(env.join("tmp/ended").exists());
    }
}
