//! Images as people meet them: brought in, listed, looked at, removed and refused.

use crate::{env, envelope};
use expect_test::{Expect, ExpectFile, expect, expect_file};
use guild_testkit::image::{Parts, bytes_of, docker, gzip, oci, oci_of, pack, tar};
use guild_testkit::{Env, Registry, session};
use serde_json::{Value as Json, json};
use std::fs;

const CONFIG: &str = "
//- /home/.config/guild/config.toml
[sandbox.roles.python]
image = \"python\"
description = \"Has Python\"
[sandbox.roles.mine]
directory = \"~/roots/mine\"
[sandbox.images]
max_files = 100
";

const ROOT: &str = "bin/\nbin/sh x = sh\netc/\netc/hostname = box\ndev/null char\nlib -> usr/lib\n";

/// A world with roles, and archives of every kind in the project.
fn world() -> Env {
    let env = env(CONFIG);
    let write = |name: &str, bytes: &[u8]| fs::write(env.project().join(name), bytes).unwrap();
    write("root.tar.gz", &gzip(&tar(ROOT)));
    write("python.tar", &pack(&oci(&[ROOT, "bin/python3 x = python"]).files));
    write("saved.tar", &pack(&docker(&[ROOT])));
    env
}

/// Text in which times do not differ from run to run.
pub fn undated(text: &str) -> String {
    let is_time = |text: &str| {
        let shape = "dddd-dd-ddTdd:dd:dd.dddZ";
        text.chars()
            .zip(shape.chars())
            .filter(|(c, s)| if *s == 'd' { c.is_ascii_digit() } else { c == s })
            .count()
            == shape.len()
    };
    let mut shown = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if is_time(rest) {
            shown.push_str("[TIME]");
            rest = &rest[24..];
        } else {
            shown.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    shown
}

#[track_caller]
fn check(env: &Env, script: &str, expect: &Expect) {
    expect.assert_eq(&undated(&session(env, script)));
}

#[track_caller]
fn check_long(env: &Env, script: &str, expect: &ExpectFile) {
    expect.assert_eq(&undated(&session(env, script)));
}

#[test]
fn an_image_comes_is_looked_at_and_goes() {
    check_long(
        &world(),
        "
        guild image list
        guild image import root.tar.gz
        guild image import python.tar --name python
        guild image import saved.tar
        guild image list
        guild image inspect root
        guild image inspect python --verify
        guild image remove root
        guild image remove python
        guild image remove python --force
        guild image remove made/here:1 -q
        guild image list -q
        ",
        &expect_file!["images/life.txt"],
    );
}

#[test]
fn a_name_is_one_of_several() {
    check(
        &world(),
        "
        guild image import root.tar.gz
        guild image import root.tar.gz --name again
        guild image list -q
        guild image remove root
        guild image remove again
        ",
        &expect![[r#"
            $ guild image import root.tar.gz
            sha256:8161f113218485c8168200af4ca3e702dbba7623c17f5b46672bfdf6809abc6b
            [stderr]
            root is there: 5 files, 7 B
            $ guild image import root.tar.gz --name again
            sha256:8161f113218485c8168200af4ca3e702dbba7623c17f5b46672bfdf6809abc6b
            [stderr]
            again is there: 5 files, 7 B
            $ guild image list -q
            NAME   DIGEST        SIZE  FILES  ROLES
            again  8161f1132184  7 B   5      -
            root   8161f1132184  7 B   5      -

            ROLE       ROOT       WHAT
            default *  host       the host's own programs
            mine       directory  [ROOT]/home/roots/mine
            python     image      python (not there: bring it in with `guild image pull` or `import`)
            $ guild image remove root
            [stderr]
            the image stays as again
            $ guild image remove again
            sha256:8161f113218485c8168200af4ca3e702dbba7623c17f5b46672bfdf6809abc6b
            [stderr]
            removed it, 7 B of files
        "#]],
    );
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let env = world();
    let write = |name: &str, bytes: &[u8]| fs::write(env.project().join(name), bytes).unwrap();
    write("text.tar", b"This is no archive of anything, and short.\n");
    write("out.tar", &tar("bin/sh x = sh\n../../../.bashrc = echo owned\n"));
    write("through.tar", &tar("out -> /etc\nout/cron.d/owned = * * * * * root sh\n"));
    let many: String = (0..101).map(|index| format!("f{index}\n")).collect();
    write("many.tar", &tar(&many));
    let mut spoilt = oci(&["a = 1"]);
    spoilt.files[1].1[600] ^= 1;
    write("spoilt.tar", &pack(&spoilt.files));
    write("arm.tar", &pack(&oci_of(&[tar(ROOT)], &json!({"config": {"architecture": "arm64"}})).files));
    write("crowd.tar", &pack(&crowd()));
    check_long(
        &env,
        "
        guild image import nowhere.tar
        guild image import text.tar
        guild image import out.tar
        guild image import through.tar
        guild image import many.tar
        guild image import spoilt.tar
        guild image import arm.tar --platform linux/amd64
        guild image import crowd.tar --platform linux/amd64
        guild image import crowd.tar --platform linux/amd64 --image x/two:1
        guild image import root.tar.gz --name ../escape
        guild image import root.tar.gz --platform amd64
        guild image inspect tow
        guild image remove x/one:1
        ",
        &expect_file!["images/refused.txt"],
    );
    let left: Vec<_> = fs::read_dir(env.home().join(".local/share/guild/images/tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Two images in one layout.
fn crowd() -> Vec<(String, Vec<u8>)> {
    let (one, two) = (oci(&["a = 1"]), oci(&["a = 2"]));
    let descriptor = |parts: &Parts, name: &str| {
        let index: Json = serde_json::from_slice(&parts.files.last().unwrap().1).unwrap();
        let mut descriptor = index["manifests"][0].clone();
        descriptor["annotations"] = json!({"org.opencontainers.image.ref.name": name});
        descriptor
    };
    let list = json!({"manifests": [descriptor(&one, "x/one:1"), descriptor(&two, "x/two:1")]});
    let blobs = |parts: Parts| parts.files.into_iter().filter(|(path, _)| path.starts_with("blobs/"));
    let mut files: Vec<(String, Vec<u8>)> = blobs(one).chain(blobs(two)).collect();
    files.sort();
    files.dedup();
    files.push(("oci-layout".to_owned(), b"{}".to_vec()));
    files.push(("index.json".to_owned(), bytes_of(&list)));
    files
}

#[test]
fn an_image_is_piped_in() {
    let env = world();
    let bytes = fs::read(env.project().join("python.tar")).unwrap();
    let output = env.invocation(&["image", "import", "-", "--name", "piped"]).stdin(bytes).output();
    expect![[r#"
        exit: 0
        --- stdout
        sha256:b84caaf940b8d0d8a46a848fc1682c8c0a16f6f270a9ab718ef9ed530d5e1b96
        --- stderr
        piped is there: 6 files, 14 B
    "#]]
    .assert_eq(&output.to_string());
}

#[test]
fn an_image_is_pulled_from_a_registry() {
    let (env, registry) = (world(), Registry::start());
    let parts = oci(&[ROOT, "bin/python3 x = python"]);
    registry.push_image("tools/python", "3", &parts);
    let host = registry.host();
    let script = format!(
        "
        guild image pull {host}/tools/python:3
        guild image pull {host}/tools/python:3 --name python
        guild image pull {host}/tools/python@{}
        guild image list -q
        guild image inspect {host}/tools/python:3
        guild image pull {host}/tools/python:4
        guild image pull {host}/tools/perl
        guild image pull 'Not A Reference'
        ",
        parts.manifest
    );
    let shown = undated(&session(&env, &script)).replace(host, "[REGISTRY]");
    expect_file!["images/pulled.txt"].assert_eq(&shown);
}

#[test]
fn a_password_comes_from_dockers_configuration() {
    let (env, registry) = (world(), Registry::start_locked());
    registry.push_image("private", "latest", &oci(&[ROOT]));
    let reference = format!("{}/private", registry.host());
    let refused = env.guild(&["image", "pull", &reference]);
    assert_eq!(refused.code(), Some(1));
    expect![[r#"
        error[registry_denied]: the registry `[REGISTRY]` denies access to `private`; look at its name, or log in with `docker login`; passwords that a helper program keeps are not asked for
    "#]].assert_eq(&refused.stderr().replace(registry.host(), "[REGISTRY]"));
    let login = json!({"auths": {registry.host(): {"auth": "YWRhOmxvdmVsYWNl"}}});
    fs::create_dir_all(env.home().join(".docker")).unwrap();
    fs::write(env.home().join(".docker/config.json"), login.to_string()).unwrap();
    assert_eq!(env.guild(&["image", "pull", &reference]).code(), Some(0));
    // Another place may be named, where nothing is.
    let elsewhere =
        env.invocation(&["image", "pull", &reference]).env("DOCKER_CONFIG", env.project().as_os_str());
    assert_eq!(elsewhere.output().code(), Some(1));
    fs::write(env.home().join(".docker/config.json"), "{").unwrap();
    let broken = env.guild(&["image", "pull", &reference]);
    expect![[r#"
        error[read_failed]: [ROOT]/home/.docker/config.json is no Docker configuration; mend it, or move it away to go on as nobody
    "#]].assert_eq(&broken.stderr());
}

/// The envelope of a command, with what differs from run to run replaced.
#[track_caller]
fn golden(env: &Env, name: &str, arguments: &[&str], replaced: &[(&str, &str)]) {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let output = env.guild(&arguments);
    assert_eq!(output.stderr(), "", "`--json` says everything on standard output");
    let text = serde_json::to_string_pretty(&envelope(&output.stdout())).unwrap() + "\n";
    let text = replaced.iter().fold(undated(&text), |text, (from, to)| text.replace(from, to));
    expect_file![format!("json/{name}.json")].assert_eq(&text);
}

#[test]
fn every_reply_has_its_shape() {
    let (env, registry) = (world(), Registry::start());
    registry.push_image("tools/python", "3", &oci(&[ROOT, "bin/python3 x = python"]));
    let reference = format!("{}/tools/python:3", registry.host());
    let replaced = [(registry.host(), "[REGISTRY]")];
    golden(&env, "image-import", &["image", "import", "root.tar.gz"], &replaced);
    golden(&env, "image-import-refused", &["image", "import", "nowhere"], &replaced);
    golden(&env, "image-pull", &["image", "pull", &reference, "--name", "python"], &replaced);
    golden(&env, "image-list", &["image", "list"], &replaced);
    golden(&env, "image-inspect", &["image", "inspect", "python", "--verify"], &replaced);
    golden(&env, "image-inspect-missing", &["image", "inspect", "pyhton"], &replaced);
    golden(&env, "image-remove-refused", &["image", "remove", "python"], &replaced);
    golden(&env, "image-remove", &["image", "remove", "root"], &replaced);
}

#[test]
fn an_import_that_was_killed_leaves_nothing_once_another_begins() {
    let env = env("//- /project/\n");
    let many: String = (0..20_000).map(|index| format!("d{}/f{index}\n", index % 100)).collect();
    fs::write(env.project().join("many.tar"), tar(&many)).unwrap();
    fs::write(env.project().join("few.tar"), tar("a = 1")).unwrap();
    let images = env.home().join(".local/share/guild/images");
    let entries = |path: &str| fs::read_dir(images.join(path)).map_or(0, Iterator::count);
    let run = env.invocation(&["image", "import", "many.tar"]).spawn();
    // A lock, and beside it what is being made.
    while entries("tmp") < 2 {
        std::thread::yield_now();
    }
    drop(run);
    assert_eq!(entries("trees"), 0, "it was too fast to be killed");
    assert!(entries("tmp") > 0);
    assert_eq!(env.guild(&["image", "import", "few.tar"]).code(), Some(0));
    assert_eq!((entries("tmp"), entries("trees")), (0, 1));
}

#[test]
fn a_broken_configuration_is_told() {
    let env = world();
    assert_eq!(env.guild(&["image", "import", "python.tar", "--name", "python"]).code(), Some(0));
    env.write("//- /home/.config/guild/config.toml\n[sandbox\n");
    let output = env.guild(&["image", "list"]);
    expect![[r#"
        exit: 0
        --- stdout
        NAME    DIGEST        SIZE  FILES  ROLES
        python  b84caaf940b8  14 B  6      -

        ROLE       ROOT  WHAT
        default *  host  the host's own programs
        --- stderr
        warning: [ROOT]/home/.config/guild/config.toml:1: invalid TOML: unclosed table, expected `]`; its settings are not in effect, and its image roles are not known
        1 image
    "#]].assert_eq(&undated(&output.to_string()));
}

#[test]
fn what_an_image_says_of_itself_is_shown_as_text() {
    let env = world();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}x\n";
    let config = json!({"config": {"Env": [hostile], "Entrypoint": [hostile], "Cmd": [hostile], "User": hostile,
        "WorkingDir": hostile, "Labels": {hostile: hostile}}, "created": hostile});
    let layer = json!([{"mediaType": hostile, "digest": format!("sha256:{}", "0".repeat(64)), "size": 1}]);
    let good = oci_of(&[tar("a = 1")], &json!({"name": hostile, "config": config}));
    let bad = oci_of(&[tar("a = 1")], &json!({"manifest": {"layers": layer}}));
    let named = format!("evil{}.tar", hostile.trim());
    fs::write(env.project().join(&named), pack(&good.files)).unwrap();
    fs::write(env.project().join("bad.tar"), pack(&bad.files)).unwrap();
    fs::write(env.project().join("path.tar"), tar("../\u{1b}[2J\u{202e} = x")).unwrap();
    for arguments in [
        &["image", "import", &named, "--platform", "linux/amd64"][..],
        &["image", "import", "bad.tar"],
        &["image", "import", "path.tar"],
        &["image", "list"],
        &["image", "inspect", &good.manifest],
        &["image", "inspect", hostile],
        &["image", "pull", hostile],
        &["image", "remove", &good.manifest],
    ] {
        let output = env.guild(arguments);
        for text in [output.stdout(), output.stderr()] {
            let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
            assert_eq!(bad, None, "{arguments:?}: {text:?}");
        }
    }
}
