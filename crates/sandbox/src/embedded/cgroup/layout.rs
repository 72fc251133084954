//! Which cgroup hierarchies are mounted and where this process is in them, read from `/proc/self/mountinfo` and `/proc/self/cgroup`.

use std::path::{Path, PathBuf};

use super::v1::Directories;

/// What is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Version 2 with controllers.
    V2 {
        /// Where it is mounted.
        mount: PathBuf,
        /// This process's own cgroup, an absolute path of the host.
        own: PathBuf,
    },
    /// Version 1: this process's own directory in each controller that limits need.
    V1(Directories),
    /// Neither.
    None,
}

/// The controllers without which the limits cannot be enforced.
pub(super) const NEEDED: [&str; 3] = ["memory", "pids", "cpu"];

struct MountLine<'a> {
    root: &'a str,
    point: &'a str,
    kind: &'a str,
    options: &'a str,
}

impl Layout {
    /// Reads both files. Version 1 wins where it has the controllers: a controller belongs to one hierarchy only.
    pub(super) fn read(mountinfo: &str, own: &str) -> Layout {
        let mounts: Vec<MountLine<'_>> = mountinfo.lines().filter_map(mount_line).collect();
        let first = |controller: &str| {
            let line = mounts.iter().find(|line| line.kind == "cgroup" && has(line.options, controller))?;
            place(line, own_path(own, controller)?)
        };
        if let [Some(memory), Some(pids), Some(cpu)] = NEEDED.map(first) {
            return Layout::V1(Directories { memory, pids, cpu, accounting: first("cpuacct") });
        }
        let unified = mounts.iter().find(|line| line.kind == "cgroup2");
        match unified.and_then(|line| Some((line, place(line, own_path(own, "")?)?))) {
            Some((line, own)) => Layout::V2 { mount: PathBuf::from(line.point), own },
            None => Layout::None,
        }
    }
}

/// The lines of `/proc/<pid>/cgroup` whose path names a container, cut after that name: what an engine makes below is within the
/// container's limits. `None` if there is no such line.
pub(super) fn up_to(places: &str, container: &str) -> Option<String> {
    let mut cut = String::new();
    for line in places.lines() {
        // An engine leaves out controllers that it does not know.
        let Some(at) = line.find(container) else { continue };
        let (before, after) = line.split_at(at + container.len());
        let rest_of_name = after.split('/').next().unwrap_or_default();
        cut.push_str(&format!("{before}{rest_of_name}\n"));
    }
    (!cut.is_empty()).then_some(cut)
}

/// `36 35 98:0 /root /point rw,noatime master:1 - type source options`
fn mount_line(line: &str) -> Option<MountLine<'_>> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(3);
    let mut after = after.split(' ');
    Some(MountLine {
        root: before.next()?,
        point: before.next()?,
        kind: after.next()?,
        options: after.nth(1)?,
    })
}

/// `4:memory:/some/path`; version 2 is `0::/some/path`.
fn own_path<'a>(own: &'a str, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        (has(controllers, controller)).then_some(path)
    })
}

/// A mount may show only a part of the hierarchy, as in a container; a cgroup outside of that part cannot be reached.
fn place(line: &MountLine<'_>, own: &str) -> Option<PathBuf> {
    let relative = Path::new(own).strip_prefix(line.root).ok()?;
    Some(Path::new(line.point).join(relative))
}

fn has(list: &str, item: &str) -> bool {
    list.split(',').any(|entry| entry == item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(mountinfo: &str, own: &str, expected: Expect) {
        expected.assert_debug_eq(&Layout::read(mountinfo, own));
    }

    #[test]
    fn a_modern_machine_has_version_2() {
        check(
            "29 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate",
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/shell.scope\n",
            expect![[r#"
                V2 {
                    mount: "/sys/fs/cgroup",
                    own: "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/shell.scope",
                }
            "#]],
        );
    }

    #[test]
    fn on_a_hybrid_machine_the_controllers_are_in_version_1() {
        check(
            "40 32 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
             41 32 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
             42 32 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
             43 32 0:33 /box /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
            "9:pids:/box/inner\n4:memory:/\n3:cpu,cpuacct:/a\n0::/\n",
            expect![[r#"
                V1(
                    Directories {
                        memory: "/sys/fs/cgroup/memory/",
                        pids: "/sys/fs/cgroup/pids/inner",
                        cpu: "/sys/fs/cgroup/cpu,cpuacct/a",
                        accounting: Some(
                            "/sys/fs/cgroup/cpu,cpuacct/a",
                        ),
                    },
                )
            "#]],
        );
    }

    #[test]
    fn a_cgroup_outside_of_what_is_mounted_cannot_be_used() {
        check(
            "29 22 0:26 /elsewhere /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
            "0::/here\n",
            expect![[r#"
                None
            "#]],
        );
    }

    #[test]
    fn a_containers_place_ends_with_its_name() {
        let cut = |places: &str| up_to(places, "c0ffee");
        assert_eq!(
            cut("4:memory:/docker/c0ffee\n3:hugetlb:/\n0::/docker/c0ffee/inner\n").as_deref(),
            Some("4:memory:/docker/c0ffee\n0::/docker/c0ffee\n")
        );
        assert_eq!(
            cut("0::/machine.slice/libpod-c0ffee.scope/container\n").as_deref(),
            Some("0::/machine.slice/libpod-c0ffee.scope\n")
        );
        assert_eq!(cut("0::/user.slice\n"), None);
    }
}
