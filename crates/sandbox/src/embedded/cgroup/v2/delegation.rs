//! Where, from this process's own cgroup upwards, cgroups with limits can be made. It looks, and changes nothing.
//!
//! A cgroup that holds processes cannot hand controllers down: it serves only if those processes are ours, who can stand aside. What
//! belongs to systemd is left alone even where its permissions would let us in, since systemd takes controllers away as it sees fit.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::layout::NEEDED;
use super::super::{file_name, owner, processes};
use super::ours::is_ours;

/// Why no cgroup can be made in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Blocked {
    pub(in super::super) directory: PathBuf,
    pub(in super::super) obstacle: Obstacle,
}

/// What stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Obstacle {
    /// It belongs to another user.
    NotDelegated,
    /// It belongs to systemd.
    Managed,
    /// It does not have this controller.
    Lacks(&'static str),
    /// Processes are in it that are not ours to move.
    Occupied,
}

/// The nearest directory that serves, from our own upwards. `delegates` says whether systemd leaves a unit to us.
pub(in super::super) fn nearest(
    mount: &Path,
    own: &Path,
    delegates: &dyn Fn(&Path) -> bool,
) -> Result<PathBuf, Blocked> {
    // Where a process of ours has stood aside already, its place is the directory above.
    let own = if owner::is_aside(&file_name(own)) { own.parent().unwrap_or(own) } else { own };
    let mut first = None;
    for directory in own.ancestors().take_while(|directory| directory.starts_with(mount)) {
        let obstacle = match obstacle(directory, delegates) {
            None => return Ok(directory.to_owned()),
            Some(obstacle) => obstacle,
        };
        first.get_or_insert(Blocked { directory: directory.to_owned(), obstacle });
        if matches!(obstacle, Obstacle::NotDelegated | Obstacle::Managed) {
            break;
        }
    }
    Err(first.unwrap_or(Blocked { directory: own.to_owned(), obstacle: Obstacle::NotDelegated }))
}

impl Blocked {
    /// The cause, for people.
    pub(in super::super) fn cause(&self) -> String {
        let directory = self.directory.display();
        match self.obstacle {
            Obstacle::NotDelegated => format!("the cgroup {directory} is not delegated to this user"),
            Obstacle::Managed => format!("the cgroup {directory} belongs to systemd"),
            Obstacle::Lacks(controller) => {
                format!("the cgroup {directory} lacks the controller {controller}")
            }
            Obstacle::Occupied => {
                format!("the cgroup {directory} holds other processes, and so cannot limit containers")
            }
        }
    }
}

/// The first of the controllers that limits need and this list does not have.
pub(in super::super) fn missing(controllers: &str) -> Option<&'static str> {
    let has = |controller: &&str| controllers.split_whitespace().any(|entry| entry == *controller);
    NEEDED.into_iter().find(|controller| !has(controller))
}

/// Which controllers the cgroups within this one get.
pub(super) fn handed_down(directory: &Path) -> String {
    fs::read_to_string(directory.join("cgroup.subtree_control")).unwrap_or_default()
}

fn obstacle(directory: &Path, delegates: &dyn Fn(&Path) -> bool) -> Option<Obstacle> {
    if !may_manage(directory) {
        return Some(Obstacle::NotDelegated);
    }
    if belongs_to_systemd(directory, delegates) {
        return Some(Obstacle::Managed);
    }
    let available = fs::read_to_string(directory.join("cgroup.controllers")).unwrap_or_default();
    if let Some(controller) = missing(&available) {
        return Some(Obstacle::Lacks(controller));
    }
    let serves = missing(&handed_down(directory)).is_none()
        || is_root(directory)
        || processes(directory).all(|process| process.is_some_and(is_ours));
    if serves { None } else { Some(Obstacle::Occupied) }
}

/// Cgroups can be made here, and processes moved between them.
fn may_manage(directory: &Path) -> bool {
    let writable = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    writable(directory) && writable(&directory.join("cgroup.procs"))
}

/// A slice, a systemd's own, or a unit that is not delegated; scopes that we asked for are.
fn belongs_to_systemd(directory: &Path, delegates: &dyn Fn(&Path) -> bool) -> bool {
    let name = file_name(directory);
    let is_unit = name.ends_with(".scope") || name.ends_with(".service");
    name.ends_with(".slice")
        || directory.join("init.scope").exists()
        || is_unit && !owner::is_scope(&name) && !delegates(directory)
}

/// The root of the whole hierarchy, where the rule about processes does not hold.
fn is_root(directory: &Path) -> bool {
    !directory.join("cgroup.type").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use guild_testkit::Fixture;

    /// Looks from `own` upwards in a hierarchy of files; `SELF` in them is this process.
    #[track_caller]
    fn check(hierarchy: &str, own: &str, expected: Expect) {
        let hierarchy = hierarchy.replace("SELF", &std::process::id().to_string());
        let fixture = Fixture::write(&hierarchy);
        let delegates = |unit: &Path| file_name(unit).starts_with("delegated");
        let shown = match nearest(fixture.path(), &fixture.join(own), &delegates) {
            Ok(directory) => directory.display().to_string(),
            Err(blocked) => blocked.cause(),
        };
        expected.assert_eq(&shown.replace(&*fixture.path().to_string_lossy(), ""));
    }

    /// A directory with all controllers and these processes.
    fn cgroup(directory: &str, processes: &str) -> String {
        format!(
            "//- {directory}/cgroup.type\ndomain\n//- {directory}/cgroup.procs\n{processes}\n\
             //- {directory}/cgroup.controllers\ncpu io memory pids\n//- {directory}/cgroup.subtree_control\n\n"
        )
    }

    #[test]
    fn our_own_cgroup_serves_if_all_in_it_are_ours() {
        check(&cgroup("/a", "SELF"), "a", expect!["/a"]);
        check(&cgroup("/a", ""), "a", expect!["/a"]);
        check(
            &cgroup("/a", "SELF\n1"),
            "a",
            expect!["the cgroup /a holds other processes, and so cannot limit containers"],
        );
        // A process that our namespace does not show.
        check(
            &cgroup("/a", "SELF\n0"),
            "a",
            expect!["the cgroup /a holds other processes, and so cannot limit containers"],
        );
    }

    #[test]
    fn beside_others_we_look_further_up() {
        check(&(cgroup("/a", "") + &cgroup("/a/b", "SELF\n1")), "a/b", expect!["/a"]);
        check(&(cgroup("/a", "1") + &cgroup("/a/b", "SELF")), "a/b", expect!["/a/b"]);
    }

    #[test]
    fn where_controllers_are_handed_down_already_nobody_has_to_move() {
        let handed = "//- /a/cgroup.procs\n1\n//- /a/cgroup.controllers\ncpu memory pids\n\
            //- /a/cgroup.subtree_control\npids memory cpu\n//- /a/cgroup.type\ndomain\n";
        check(handed, "a", expect!["/a"]);
    }

    #[test]
    fn whoever_stands_aside_belongs_to_the_directory_above() {
        let hierarchy = cgroup("/a", "") + &cgroup("/a/guild-7-8-self", "SELF\n1");
        check(&hierarchy, "a/guild-7-8-self", expect!["/a"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        check("//- /a/x\n", "a", expect!["the cgroup /a is not delegated to this user"]);
        let few = cgroup("/a", "SELF").replace("cpu io memory pids", "cpu pids");
        check(&few, "a", expect!["the cgroup /a lacks the controller memory"]);
        let unclaimed = cgroup("/a", "SELF") + "//- /a/b/cgroup.procs\nSELF\n//- /a/b/cgroup.controllers\n\n";
        check(&unclaimed, "a/b", expect!["/a"]);
    }

    #[test]
    fn what_belongs_to_systemd_is_left_alone() {
        let hierarchy = cgroup("/app.slice", "") + &cgroup("/app.slice/shell.scope", "SELF");
        check(
            &hierarchy,
            "app.slice/shell.scope",
            expect!["the cgroup /app.slice/shell.scope belongs to systemd"],
        );
        let hierarchy = cgroup("/user@1.service", "")
            + "//- /user@1.service/init.scope/x\n"
            + &cgroup("/user@1.service/a", "SELF\n1");
        check(
            &hierarchy,
            "user@1.service/a",
            expect!["the cgroup /user@1.service/a holds other processes, and so cannot limit containers"],
        );
    }

    #[test]
    fn a_unit_that_is_delegated_or_that_we_asked_for_serves() {
        check(&cgroup("/delegated.service", "SELF"), "delegated.service", expect!["/delegated.service"]);
        check(&cgroup("/guild-7-8.scope", "SELF"), "guild-7-8.scope", expect!["/guild-7-8.scope"]);
    }
}
