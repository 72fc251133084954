//! Attacks by what is mounted: hostile directories under mounts, and mounts that would appear where they should not.

use std::os::unix::fs::symlink;
use std::path::Path;

use guild_sandbox::{Access, LaunchError, Mount};
use rustix::mount::{MountFlags, MountPropagationFlags};

use crate::arena::{Arena, bash, check, mount_lines, own_mounts};

attacks! {
    fn a_mount_is_not_made_through_a_link_in_a_hostile_workspace(arena) {
        let workspace = arena.directory("workspace");
        let data = arena.directory("data");
        std::fs::write(data.join("file"), "data").unwrap();
        for (link, to) in [("etc", "/etc"), ("up", ".."), ("within", "real")] {
            symlink(to, workspace.join(link)).unwrap();
            for target in [format!("/workspace/{link}"), format!("/workspace/{link}/place")] {
                for access in [Access::ReadWrite, Access::ReadOnly] {
                    let mut policy = arena.with_mount(&workspace, "/workspace", access);
                    policy.mounts.push(Mount::read_only(&data, &target));
                    let outcome = arena.try_run(&policy, &bash("echo launched"));
                    assert!(matches!(outcome, Err(LaunchError::Step { .. })), "{target}: {outcome:?}");
                }
            }
        }
        let mut policy = arena.with_mount(&workspace, "/workspace", Access::ReadWrite);
        policy.mounts.push(Mount::read_only(&data, "/workspace/real"));
        check(&arena.run(&policy, &bash("cat /workspace/real/file")), "data");
    }

    fn a_mount_cannot_cover_what_the_kernel_shows(arena) {
        let directory = arena.directory("fake");
        for target in ["/proc", "/proc/self", "/dev", "/dev/shm/x", "/sys", "/", "/../etc", "relative", "/tmp/../proc"] {
            let outcome = arena.try_run(&arena.with_mount(&directory, target, Access::ReadOnly), &bash("echo launched"));
            assert!(matches!(outcome, Err(LaunchError::InvalidPolicy { .. })), "{target}: {outcome:?}");
        }
    }

    fn a_mount_within_a_later_mount_is_made_in_that_one(arena) {
        let [early, outer, late] = ["early", "outer", "late"].map(|name| arena.directory(name));
        std::fs::write(late.join("file"), "late").unwrap();
        let mut policy = arena.with_mount(&early, "/data/early", Access::ReadOnly);
        policy.mounts.push(Mount { access: Access::ReadWrite, ..Mount::read_only(&outer, "/data") });
        policy.mounts.push(Mount::read_only(&late, "/data/late"));
        check(&arena.run(&policy, &bash("cat /data/late/file")), "late");
    }

    fn the_hosts_mounts_are_as_before(arena) {
        own_mounts();
        let workspace = arena.directory("workspace");
        let before = mount_lines();
        let mut policy = arena.with_mount(&workspace, "/workspace", Access::ReadWrite);
        policy.mounts.push(Mount::read_only("/usr/share", "/workspace/share"));
        check(&arena.run(&policy, &bash("ls /workspace")), "share");
        assert_eq!(mount_lines(), before);
        assert_eq!(std::fs::read_dir(workspace.join("share")).unwrap().count(), 0);
    }

    fn what_is_mounted_below_a_read_only_mount_is_read_only_too(arena) {
        // `/dev` is a mount of its own below the host's root, and most machines have others within it.
        let policy = arena.with_mount("/dev".as_ref(), "/shown", Access::ReadOnly);
        let outcome = arena.run(&policy, &bash("for each in $(cut -d' ' -f5,6 /proc/self/mountinfo | grep '^/shown' | tr ' ' :); do case $each in *:ro,*) ;; *) echo $each;; esac; done; touch /shown/attack /shown/shm/attack 2>/dev/null || echo refused; echo x > /shown/null || echo no device"));
        check(&outcome, "refused\nno device");
    }

    fn a_mount_at_mnt_does_not_show_where_the_kernels_files_are_hidden(arena) {
        let data = arena.directory("data");
        std::fs::write(data.join("file"), "data").unwrap();
        let policy = arena.with_mount(&data, "/mnt", Access::ReadOnly);
        check(&arena.run(&policy, &bash("ls /mnt; ls /proc/acpi /proc/bus /proc/driver /proc/fs 2>/dev/null | grep file")), "file");
    }

    fn nothing_can_be_written_to_but_memory_and_devices(arena) {
        // An engine's `/proc` and `/dev` are mounts of its own, with its own covers.
        let apart = arena.expecting("^/dev/", "^/(dev|proc|sys)");
        let mounts = "cut -d' ' -f5,6 /proc/self/mountinfo";
        let writable = format!("{mounts} | grep -v ' ro,' | cut -d' ' -f1 | grep -Ev '{apart}' | sort");
        check(&arena.run(&arena.policy(), &bash(&writable)), "/output\n/tmp");
        if arena.is_embedded() {
            check(&arena.run(&arena.policy(), &bash(&format!("{mounts} | grep -v nosuid"))), "");
        }
    }
}

attacks_on_root! {
    fn a_mount_inside_does_not_appear_on_a_host_that_shares_its_mounts(arena) {
        let (workspace, data) = shared_workspace(arena);
        let before = mount_lines();
        for access in [Access::ReadWrite, Access::CopyOnWrite { layer: arena.directory("layer") }] {
            let mut policy = arena.with_mount(&workspace, "/workspace", access);
            policy.mounts.push(Mount::read_only(&data, "/workspace/place"));
            check(&arena.run(&policy, &bash("cat /workspace/place/file; grep -c shared: /proc/self/mountinfo")), "data\n0");
            assert_eq!(mount_lines(), before);
        }
    }

    fn a_mount_over_programs_does_not_appear_on_a_host_that_shares_its_mounts(arena) {
        let (_, data) = shared_workspace(arena);
        let before = mount_lines();
        let mut policy = arena.policy();
        policy.mounts.push(Mount::read_only(&data, "/usr/share"));
        check(&arena.run(&policy, &bash("cat /usr/share/file; grep -c shared: /proc/self/mountinfo")), "data\n0");
        assert_eq!(mount_lines(), before);
    }

    fn what_cannot_be_written_to_as_ones_own_is_refused_as_the_mount_it_is(arena) {
        if !arena.is_embedded() {
            return;
        }
        // The kernel maps no owners of devices.
        let policy = arena.with_mount("/dev".as_ref(), "/shown", Access::ReadWrite);
        let refused = arena.try_run(&policy, &bash("echo launched")).map_err(|error| error.to_string());
        assert!(refused.as_ref().is_err_and(|said| said.contains("cannot provide mounts")), "{refused:?}");
    }

    fn what_the_host_mounts_later_does_not_appear_inside(arena) {
        let (workspace, _) = shared_workspace(arena);
        let container = arena.start(&arena.with_mount(&workspace, "/workspace", Access::ReadOnly));
        rustix::mount::mount("none", workspace.join("place"), "tmpfs", MountFlags::empty(), None).unwrap();
        std::fs::write(workspace.join("place/secret"), "later").unwrap();
        check(&arena.exec(&*container, &bash("ls /workspace/place"), &[]), "");
        arena.wait(container.stop()).unwrap();
    }

    fn mounts_of_one_command_do_not_appear_on_a_host_that_shares_its_mounts(arena) {
        let (workspace, data) = shared_workspace(arena);
        let before = mount_lines();
        let container = arena.start(&arena.with_mount(&workspace, "/workspace", Access::ReadWrite));
        let mounts = [Mount::read_only(&data, "/workspace/place"), Mount::read_only(&data, "/data")];
        if arena.refuses_mounts_of_a_command(&*container, &mounts) {
            return;
        }
        check(&arena.exec(&*container, &bash("cat /workspace/place/file /data/file"), &mounts), "data\ndata");
        assert_eq!(mount_lines(), before);
        check(&arena.exec(&*container, &bash("ls /workspace/place"), &[]), "");
        arena.wait(container.stop()).unwrap();
    }
}

/// Gives this thread mounts of its own, all of them shared, as systemd does at boot: a workspace with a place for a mount, and data.
fn shared_workspace(arena: &Arena) -> (std::path::PathBuf, std::path::PathBuf) {
    own_mounts();
    let shared = MountPropagationFlags::SHARED | MountPropagationFlags::REC;
    rustix::mount::mount_change(Path::new("/"), shared).unwrap();
    let (workspace, data) = (arena.directory("workspace"), arena.directory("data"));
    std::fs::create_dir(workspace.join("place")).unwrap();
    std::fs::write(data.join("file"), "data\n").unwrap();
    (workspace, data)
}
