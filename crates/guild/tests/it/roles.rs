//! Containers whose root is an image: what was brought in is what a command sees, and it stays while the command runs.

use crate::env;
use crate::images::undated;
use expect_test::expect;
use guild_testkit::{Env, session};

const CONFIG: &str = "
//- /home/.config/guild/config.toml
[sandbox]
limits = \"best-effort\"
[sandbox.roles.tools]
image = \"busybox\"
[sandbox.roles.mine]
directory = \"~/root\"
[sandbox.roles.lost]
image = \"gone\"
//- /project/
";

/// A world with Debian's static busybox as an archive and as a directory.
fn world() -> Env {
    let env = env(CONFIG);
    write_busybox(&env);
    env
}

/// Debian's static busybox, as the directory `root` in the home and as an archive in the project.
pub fn write_busybox(env: &Env) {
    let program = std::fs::read("/bin/busybox").unwrap();
    let directory = env.home().join("root/bin");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("busybox"), &program).unwrap();
    let runs = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(directory.join("busybox"), runs).unwrap();
    std::os::unix::fs::symlink("busybox", directory.join("sh")).unwrap();
    let mut builder = tar::Builder::new(Vec::new());
    builder.follow_symlinks(false);
    builder.append_dir_all("", env.home().join("root")).unwrap();
    std::fs::write(env.project().join("busybox.tar"), builder.into_inner().unwrap()).unwrap();
}

#[test]
fn a_command_sees_the_root_of_its_role() {
    let script = "
        guild image import busybox.tar -q
        guild sandbox run --role tools -- /bin/sh -c 'busybox ls /bin; busybox test -e /usr/lib || echo nothing of the host'
        guild sandbox run --role mine -- /bin/sh -c 'busybox ls /bin'
        guild sandbox run --role lost -- /bin/sh
        guild sandbox run --role tolls -- /bin/sh
        ";
    let shown = undated(&session(&world(), script));
    let digest = shown.lines().find(|line| line.starts_with("sha256:")).unwrap().to_owned();
    expect![[r#"
        $ guild image import busybox.tar -q
        [DIGEST]
        $ guild sandbox run --role tools -- /bin/sh -c 'busybox ls /bin; busybox test -e /usr/lib || echo nothing of the host'
        busybox
        sh
        nothing of the host
        $ guild sandbox run --role mine -- /bin/sh -c 'busybox ls /bin'
        busybox
        sh
        $ guild sandbox run --role lost -- /bin/sh
        [stderr]
        error[image_not_found]: the role `lost` cannot be used: there is no image `gone`; bring it in with `guild image pull` or `guild image import`
        [exit 1]
        $ guild sandbox run --role tolls -- /bin/sh
        [stderr]
        error[unknown_image_role]: there is no image role `tolls`; there are: default, lost, mine, tools; did you mean `tools`?
        [exit 2]
    "#]].assert_eq(&shown.replace(&digest, "[DIGEST]"));
}

#[test]
fn an_image_is_not_removed_from_under_a_container() {
    let env = world();
    assert_eq!(env.guild(&["image", "import", "busybox.tar"]).code(), Some(0));
    let launched = env.guild(&["sandbox", "launch", "--role", "tools", "--timeout", "60s"]);
    let id = launched.stdout().trim().to_owned();
    assert_eq!(launched.code(), Some(0), "{launched}");
    let refused = env.guild(&["image", "remove", "busybox", "--force"]);
    let ran = env.guild(&["sandbox", "exec", &id, "--", "/bin/busybox", "echo", "still here"]);
    let stopped = env.guild(&["sandbox", "stop", &id]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr().contains("error[image_in_use]"), "{refused}");
    assert_eq!((ran.stdout().as_str(), stopped.code()), ("still here\n", Some(0)), "{ran}{stopped}");
    assert_eq!(env.guild(&["image", "remove", "busybox", "--force"]).code(), Some(0));
}
