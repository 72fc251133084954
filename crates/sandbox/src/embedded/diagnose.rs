//! Why no container can be made here: the exact setting that forbids it, and what to do about it.

use std::fs;
use std::io;

use rustix::io::Errno;

use super::NAME;
use super::sys::{self, CloneFlags, Forked};
use crate::backend::LaunchError;
use crate::probe::Finding;

/// Steps whose failure may be a setting's doing.
const SUSPECT: [&str; 3] = ["make namespaces", "map the container's user", "make a root file system"];

/// Tries to make a user and a mount namespace; what forbids it, if anything.
pub(super) fn namespaces() -> Option<Finding> {
    let flags = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET) as u64;
    // SAFETY: the child makes one system call and exits.
    let errno = match unsafe { sys::fork(CloneFlags { flags, cgroup: None }) } {
        Ok(Forked::Child) => sys::exit(try_mount()),
        Ok(Forked::Parent { pid, .. }) => match sys::wait_for_code(pid) {
            Ok(0) => return None,
            Ok(code) => Errno::from_raw_os_error(code),
            Err(errno) => errno,
        },
        Err(errno) => errno,
    };
    Some(finding(errno, &|name| fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/"))).ok()))
}

/// Adds the cause to a failure that a setting of this machine explains.
pub(super) fn explain(error: LaunchError) -> LaunchError {
    let denied = |source: &io::Error| {
        matches!(
            source.raw_os_error(),
            Some(libc::EPERM | libc::EACCES | libc::ENOSPC | libc::ENOSYS | libc::EINVAL)
        )
    };
    match &error {
        LaunchError::Step { step, source } if SUSPECT.contains(&step.as_str()) && denied(source) => {
            match namespaces() {
                Some(finding) => LaunchError::Unavailable { backend: NAME, finding },
                None => error,
            }
        }
        _ => error,
    }
}

/// What a container needs first of all; the number of the error, or 0.
fn try_mount() -> i32 {
    use rustix::mount::MountPropagationFlags;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change(c"/", private).map_or_else(Errno::raw_os_error, |()| 0)
}

/// The setting that explains an error, from the settings' values.
fn finding(errno: Errno, setting: &dyn Fn(&str) -> Option<String>) -> Finding {
    let is = |name: &str, value: &str| setting(name).is_some_and(|set| set.trim() == value);
    if is("kernel.unprivileged_userns_clone", "0") {
        return disabled_by("kernel.unprivileged_userns_clone", "1");
    }
    if is("user.max_user_namespaces", "0") {
        return disabled_by("user.max_user_namespaces", "15000");
    }
    if is("kernel.apparmor_restrict_unprivileged_userns", "1") {
        return disabled_by("kernel.apparmor_restrict_unprivileged_userns", "0");
    }
    match errno {
        Errno::NOSYS | Errno::INVAL => Finding::new(
            "this kernel has no user namespaces or is older than 5.12",
            "use a newer kernel, or use docker or podman",
        ),
        Errno::NOSPC => Finding::new(
            "too many namespaces are nested or in use",
            "leave the container you are in, or raise user.max_user_namespaces",
        ),
        _ => Finding::new(
            format!("namespaces cannot be made here: {errno}"),
            "if this is itself a container, start it with permission to make user namespaces, or use docker or podman",
        ),
    }
}

fn disabled_by(name: &str, value: &str) -> Finding {
    Finding::new(
        format!("user namespaces are disabled by {name}"),
        format!("run `sudo sysctl -w {name}={value}`, or use docker or podman"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(settings: &[(&str, &str)], errno: Errno, expected: Expect) {
        let find =
            |name: &str| settings.iter().find(|(set, _)| *set == name).map(|(_, value)| format!("{value}\n"));
        let Finding { cause, fix } = finding(errno, &find);
        expected.assert_eq(&format!("{cause}\n{fix}\n"));
    }

    #[test]
    fn ubuntus_restriction_is_named() {
        check(
            &[("user.max_user_namespaces", "94854"), ("kernel.apparmor_restrict_unprivileged_userns", "1")],
            Errno::ACCESS,
            expect![[r#"
                user namespaces are disabled by kernel.apparmor_restrict_unprivileged_userns
                run `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or use docker or podman
            "#]],
        );
    }

    #[test]
    fn debians_and_the_kernels_own_settings_are_named() {
        check(
            &[("kernel.unprivileged_userns_clone", "0")],
            Errno::PERM,
            expect![[r#"
                user namespaces are disabled by kernel.unprivileged_userns_clone
                run `sudo sysctl -w kernel.unprivileged_userns_clone=1`, or use docker or podman
            "#]],
        );
        check(
            &[("user.max_user_namespaces", "0")],
            Errno::NOSPC,
            expect![[r#"
                user namespaces are disabled by user.max_user_namespaces
                run `sudo sysctl -w user.max_user_namespaces=15000`, or use docker or podman
            "#]],
        );
    }

    #[test]
    fn without_a_setting_the_kernels_answer_is_told() {
        check(
            &[],
            Errno::PERM,
            expect![[r#"
                namespaces cannot be made here: Operation not permitted (os error 1)
                if this is itself a container, start it with permission to make user namespaces, or use docker or podman
            "#]],
        );
    }
}
