//! Attacks on the host's files by way of the layer over them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use guild_sandbox::changes::{Bounds, Layer, Overfull, Owner, Watch};
use guild_sandbox::{Access, Policy};

use crate::arena::{Arena, SHARED, as_user_who_shares, bash, check, python};

attacks! {
    fn the_hosts_files_stay_as_they_are(arena) {
        let (policy, workspace) = layered(arena);
        fs::create_dir(workspace.join("directory")).unwrap();
        fs::write(workspace.join("directory/deep"), "deep").unwrap();
        let script = "cd /workspace && echo changed > file && chmod 777 file && rm directory/deep && mv file directory/moved && echo new > new && ls -R";
        check(&arena.run(&policy, &bash(script)), ".:\ndirectory\nnew\n\n./directory:\nmoved");
        assert_eq!(fs::read_to_string(workspace.join("file")).unwrap(), "as it was");
        assert_eq!(fs::read_to_string(workspace.join("directory/deep")).unwrap(), "deep");
        assert_eq!(fs::metadata(workspace.join("file")).unwrap().permissions().mode() & 0o777, 0o644);
        assert!(!workspace.join("new").exists());
        assert_eq!(fs::read_to_string(arena.written("new")).unwrap(), "new\n");
    }

    fn a_link_in_the_workspace_leads_to_nothing_of_the_host(arena) {
        let canary = arena.canary();
        let (policy, workspace) = layered(arena);
        symlink(&canary, workspace.join("absolute")).unwrap();
        symlink("../canary", workspace.join("relative")).unwrap();
        symlink("..", workspace.join("up")).unwrap();
        let script = "cd /workspace; for each in absolute relative up/canary; do echo attacked > $each && echo written; cat $each; done 2>/dev/null; true";
        check(&arena.run(&policy, &bash(script)), "");
        arena.check_canary();
    }

    fn the_layers_parts_cannot_be_reached_on_their_own(arena) {
        let (policy, _) = layered(arena);
        let script = "ls -A /mnt; cut -d' ' -f5 /proc/self/mountinfo | grep -e parts -e /mnt; find / -xdev -name upper -o -xdev -name lower 2>/dev/null | grep -v ^/usr; true";
        check(&arena.run(&policy, &bash(script)), "");
    }

    fn cannot_forge_what_the_layer_means_by_deleted(arena) {
        let (policy, _) = layered(arena);
        let script = "
            print(attempt(os.mknod, '/workspace/gone', 0o20666, 0) in ['EPERM', 'EACCES'])
            os.mkdir('/workspace/directory')
            for key in ['trusted.overlay.opaque', 'trusted.overlay.redirect', 'user.overlay.opaque', 'user.overlay.redirect', 'user.overlay.whiteout', 'user.overlay.metacopy']:
                attempt(os.setxattr, '/workspace/directory', key, b'/../../etc')
            print(os.listdir('/workspace/directory'), open('/workspace/file').read())
            ";
        check(&arena.run(&policy, &python(script)), "True\n[] as it was");
    }

    fn a_workspace_with_the_layers_own_marks_shows_nothing_else(arena) {
        let (policy, workspace) = layered(arena);
        arena.canary();
        let hostile = workspace.join("hostile");
        fs::create_dir(&hostile).unwrap();
        for (key, value) in [("user.overlay.redirect", "/../canary"), ("user.overlay.opaque", "y"), ("user.overlay.metacopy", "")] {
            let _ = rustix::fs::setxattr(&hostile, key, value.as_bytes(), rustix::fs::XattrFlags::empty());
            let _ = rustix::fs::setxattr(workspace.join("file"), key, value.as_bytes(), rustix::fs::XattrFlags::empty());
        }
        // The kernel refuses files with such marks, or shows them as they are.
        let outcome = arena.run(&policy, &bash("ls -A /workspace/hostile; cat /workspace/file; echo x > /workspace/file"));
        assert!(["", "as it was"].contains(&&*outcome.stdout.text()), "{}", outcome.stdout.text());
        assert_eq!(fs::read_to_string(workspace.join("file")).unwrap(), "as it was");
        arena.check_canary();
    }

    fn cannot_fill_the_hosts_disk_by_what_the_layer_takes(arena) {
        let workspace = arena.directory("workspace");
        for (bounds, script) in [
            (Bounds { bytes: 8 << 20, ..Bounds::default() }, "while :; do head -c 1M /dev/zero >> /workspace/large; done"),
            (Bounds { entries: 100, ..Bounds::default() }, "while :; do mkdir -p /workspace/$RANDOM/$RANDOM; done"),
        ] {
            let layer = match arena.backend().takes_overlay_of(&workspace) {
                true => Layer::create(&arena.directory_of("layer")).unwrap(),
                false => Layer::copy_from(&arena.directory_of("layer"), &workspace, bounds, Owner::inside(1000)).unwrap().0,
            };
            let access = Access::CopyOnWrite { layer: layer.directory().to_owned() };
            let policy = arena.with_mount(&workspace, "/workspace", access);
            let (outcome, overfull) = arena.wait(async {
                let child = arena.backend().launch(&policy, &bash(script)).await.unwrap();
                let watch = Watch::begin(&layer, bounds, child.killer()).unwrap();
                (child.wait().await.unwrap(), watch.end())
            });
            assert_eq!((outcome.timed_out, outcome.exit_code()), (false, 137), "{script}");
            assert!(matches!(overfull, Some(Overfull::Layer(_))), "{overfull:?}");
            layer.remove().unwrap();
        }
    }

    fn leaves_no_set_id_program_in_the_layer(arena) {
        let (policy, _) = layered(arena);
        let script = "cp /usr/bin/bash /workspace/shell; chmod 4755 /workspace/shell; chmod g+s /workspace/shell; chmod u+s /workspace; echo done";
        check(&arena.run(&policy, &bash(script)), "done");
        for path in ["shell", ""] {
            let mode = fs::metadata(arena.written(path)).unwrap().permissions().mode();
            assert_eq!(mode & 0o6000, 0, "{path}");
        }
    }
}

/// An ordinary user's layers take nothing of another group, so that a directory which several people share is copied.
fn what_several_people_share_can_be_changed_and_stays_as_it_is(arena: &Arena) {
    let workspace = arena.directory("workspace");
    fs::create_dir(workspace.join("directory")).unwrap();
    for (path, text) in [("file", "as it was"), ("directory/old", "old")] {
        fs::write(workspace.join(path), text).unwrap();
    }
    for path in ["", "file", "directory", "directory/old"] {
        std::os::unix::fs::chown(workspace.join(path), None, Some(SHARED)).unwrap();
    }
    assert!(!arena.backend().takes_overlay_of(&workspace));
    let copied = Layer::copy_from(&arena.directory_of("layer"), &workspace, Bounds::default(), None);
    let (layer, _) = copied.unwrap();
    let access = Access::CopyOnWrite { layer: layer.directory().to_owned() };
    let policy = arena.with_mount(&workspace, "/workspace", access);
    let script = "cd /workspace && echo changed > file && rm directory/old && echo new > directory/new && ls directory && cat file";
    check(&arena.run(&policy, &bash(script)), "new\nchanged");
    assert_eq!(fs::read_to_string(workspace.join("file")).unwrap(), "as it was");
    assert_eq!(fs::read_to_string(workspace.join("directory/old")).unwrap(), "old");
    assert!(!workspace.join("directory/new").exists());
    assert_eq!(layer.changes(&workspace, Bounds::default()).unwrap().changes.len(), 3);
}

mod as_root_alone {
    #[test]
    fn what_several_people_share_can_be_changed_and_stays_as_it_is() {
        super::as_user_who_shares(
            super::what_several_people_share_can_be_changed_and_stays_as_it_is,
            concat!(module_path!(), "::what_several_people_share_can_be_changed_and_stays_as_it_is"),
        );
    }
}

/// A workspace with one file, under a layer, at `/workspace`.
fn layered(arena: &Arena) -> (Policy, PathBuf) {
    let (workspace, layer) = (arena.directory("workspace"), arena.directory("layer"));
    fs::write(workspace.join("file"), "as it was").unwrap();
    (arena.with_mount(&workspace, "/workspace", Access::CopyOnWrite { layer }), workspace)
}
