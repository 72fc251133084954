//! Names of cgroups say which process made them: `guild-<pid>-<start>-<number>` for a container, `guild-<pid>-<start>-self` where
//! processes of ours stand aside, and `guild-<pid>-<start>.scope` for what systemd gave us.
//!
//! A process number alone can be given anew; together with the moment of its start it cannot.

use std::fs;
use std::io;
use std::sync::OnceLock;

const ASIDE: &str = "-self";
const SCOPE: &str = ".scope";

/// The process that made a cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pid: u32,
    start: u64,
}

impl Owner {
    /// This process.
    pub(crate) fn current() -> io::Result<Owner> {
        static START: OnceLock<Option<u64>> = OnceLock::new();
        let pid = std::process::id();
        let start = START.get_or_init(|| started(pid));
        start
            .map(|start| Owner { pid, start })
            .ok_or_else(|| io::Error::other("/proc/self/stat cannot be read"))
    }

    /// The owner that a name tells; `None` for names that are not ours.
    pub(crate) fn of(name: &str) -> Option<Owner> {
        let mut parts = name.strip_prefix("guild-")?.splitn(3, '-');
        let owner = Owner { pid: parts.next()?.parse().ok()?, start: parts.next()?.parse().ok()? };
        parts.next().map(|_| owner)
    }

    /// The name of a cgroup of this owner's.
    pub(crate) fn name(self, number: u64) -> String {
        format!("guild-{}-{}-{number}", self.pid, self.start)
    }

    /// The name of the cgroup in which this process stands aside, so that another can hold containers.
    pub(super) fn aside(self) -> String {
        format!("guild-{}-{}{ASIDE}", self.pid, self.start)
    }

    /// The name of the scope that systemd makes for this process.
    pub(super) fn scope(self) -> String {
        format!("guild-{}-{}{SCOPE}", self.pid, self.start)
    }

    /// Whether the process still lives.
    pub(crate) fn alive(self) -> bool {
        started(self.pid) == Some(self.start)
    }
}

/// Whether processes of ours stand aside in the cgroup of this name. Somebody may live in there whose maker is gone.
pub(super) fn is_aside(name: &str) -> bool {
    name.ends_with(ASIDE) && Owner::of(name).is_some()
}

/// Whether the cgroup of this name is a scope that a process of ours asked for.
pub(super) fn is_scope(name: &str) -> bool {
    name.strip_suffix(SCOPE).is_some_and(|name| Owner::of(&format!("{name}-")).is_some())
}

/// When a process was started, in ticks since boot: the 22nd field, counted after the name, which may contain anything.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace();
    let state = fields.next()?;
    // A zombie has ended, whoever has not waited for it yet.
    if state == "Z" { None } else { fields.nth(18)?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_owner_and_others_names_tell_none() {
        let here = Owner::current().expect("/proc is mounted");
        assert_eq!(Owner::of(&here.name(7)), Some(here));
        assert!(here.alive());
        assert!(!Owner { start: here.start + 1, ..here }.alive(), "the number was given anew");
        assert_eq!(Owner::of(&here.aside()), Some(here));
        for other in ["guild", "guild-1", "guild-1-2", "guild-a-2-3", "user.slice"] {
            assert_eq!(Owner::of(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_tells_what_the_cgroup_is_for() {
        let here = Owner::current().expect("/proc is mounted");
        let kinds =
            [here.name(7), here.aside(), here.scope(), "guild-run.scope".to_owned(), "x-self".to_owned()]
                .map(|name| (is_aside(&name), is_scope(&name)));
        assert_eq!(kinds, [(false, false), (true, false), (false, true), (false, false), (false, false)]);
    }
}
