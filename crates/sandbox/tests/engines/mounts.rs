//! Directories and files of the host.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use expect_test::expect;
use guild_sandbox::{Access, LaunchError, Mount, Policy};

use crate::world::{World, policy, shell, shown, with_both};

with_both! {
    fn a_mount_is_read_only_unless_it_says_otherwise(world) {
        let policy = with_mounts(world, &[("read", "/r", Access::ReadOnly), ("write", "/w", Access::ReadWrite)]);
        let outcome = world.shell(&policy, "cat /r/file; echo new > /r/file; echo new > /w/file; rm /r/file; cat /r/file /w/file");
        expect![[r#"0 "read\nread\nnew\n" "sh: 1: cannot create /r/file: Read-only file system\nrm: cannot remove '/r/file': Read-only file system\n""#]].assert_eq(&shown(&outcome));
        assert_eq!(fs::read_to_string(world.path("read/file")).unwrap(), "read\n");
        assert_eq!(fs::read_to_string(world.path("write/file")).unwrap(), "new\n");
    }

    fn a_file_can_be_mounted_and_a_link_is_what_it_leads_to(world) {
        let mut policy = with_mounts(world, &[("read", "/dir", Access::ReadOnly)]);
        symlink(world.path("read"), world.path("link")).unwrap();
        policy.mounts.push(Mount::read_only(world.path("read/file"), "/etc/one-file"));
        policy.mounts.push(Mount::read_only(world.path("link"), "/linked"));
        let outcome = world.shell(&policy, "cat /etc/one-file /linked/file; [ -L /linked ] || echo a directory");
        expect![[r#"0 "read\nread\na directory\n" """#]].assert_eq(&shown(&outcome));
    }

    fn odd_names_are_names_and_not_options(world) {
        let odd = "a,source=b:ro \"x\" 'y' é";
        let policy = with_mounts(world, &[(odd, "/odd,dst=/etc name:rw", Access::ReadOnly)]);
        let outcome = world.shell(&policy, "cat '/odd,dst=/etc name:rw/file'; echo x > '/odd,dst=/etc name:rw/file'");
        assert_eq!((outcome.exit_code(), outcome.stdout.text().into_owned()), (2, format!("{odd}\n")), "{}", outcome.stderr.text());
        assert!(outcome.stderr.text().contains("Read-only file system"));
    }

    fn programs_in_mounts_can_be_executed_and_set_id_bits_mean_nothing(world) {
        let policy = with_mounts(world, &[("read", "/r", Access::ReadOnly)]);
        let program = world.path("read/id");
        fs::copy("/usr/bin/id", &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o6755)).unwrap();
        expect![[r#"0 "1000\n" """#]].assert_eq(&shown(&world.shell(&policy, "/r/id -u")));
    }

    fn what_is_mounted_below_a_mount_is_not_shown(world) {
        let policy = with_mounts(world, &[("read", "/r", Access::ReadOnly)]);
        let below = world.path("read/below");
        fs::create_dir(&below).unwrap();
        let _mounted = Mounted::tmpfs(&below);
        fs::write(below.join("secret"), "secret").unwrap();
        expect![[r#"0 "" "ls: cannot access '/r/below/secret': No such file or directory\n""#]]
            .assert_eq(&shown(&world.shell(&policy, "ls /r/below/secret; true")));
    }

    fn a_source_that_is_not_there_is_refused_and_not_made(world) {
        let mut policy = policy();
        policy.mounts.push(Mount::read_only(world.path("absent"), "/r"));
        let error = world.try_run(&policy, &shell("true")).unwrap_err();
        assert!(matches!(error, LaunchError::Source { .. }), "{error}");
        assert!(!world.path("absent").exists());
    }

    fn places_that_are_the_kernels_or_none_are_refused(world) {
        let refused = |target: &str| {
            let mut policy = policy();
            policy.mounts.push(Mount::read_only("/usr", target));
            world.try_run(&policy, &shell("true")).unwrap_err().to_string()
        };
        let shown: Vec<String> = ["/", "/proc/x", "/sys", "/dev/shm", "relative", "/a/../etc", "/new\nline"]
            .map(refused)
            .to_vec();
        expect![[r#"
            the policy cannot be applied: `/` is the root itself
            the policy cannot be applied: `/proc/x` belongs to the kernel
            the policy cannot be applied: `/sys` belongs to the kernel
            the policy cannot be applied: `/dev/shm` belongs to the kernel
            the policy cannot be applied: `relative` is not an absolute path
            the policy cannot be applied: `/a/../etc` climbs out of a directory
            the policy cannot be applied: `/new\nline` is no path that engines take"#]].assert_eq(&shown.join("\n"));
    }
}

/// Directories with one file each that says its directory's name, owned by the container's user.
fn with_mounts(world: &World, mounts: &[(&str, &str, Access)]) -> Policy {
    let mut policy = policy();
    for (name, target, access) in mounts {
        let source = world.path(name);
        fs::create_dir(&source).unwrap();
        fs::write(source.join("file"), format!("{name}\n")).unwrap();
        for path in [&source, &source.join("file")] {
            std::os::unix::fs::chown(path, Some(policy.user), Some(policy.user)).unwrap();
        }
        policy.mounts.push(Mount { source, target: target.into(), access: access.clone() });
    }
    policy
}

/// Something mounted by hand, until this is dropped.
struct Mounted(std::ffi::CString);

impl Mounted {
    fn tmpfs(at: &Path) -> Mounted {
        rustix::mount::mount("tmpfs", at, "tmpfs", rustix::mount::MountFlags::empty(), None).unwrap();
        Mounted(std::ffi::CString::new(at.to_str().unwrap()).unwrap())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        rustix::mount::unmount(&self.0, rustix::mount::UnmountFlags::DETACH).unwrap();
    }
}
