//! Artifacts of a container registry: skills in layers, as each of several tools pushes them, from a real registry.

use super::{done, trimmed, world};
use expect_test::{Expect, expect};
use guild_engine::source::archive::Packer;
use guild_testkit::image::{bytes_of, digest, pack};
use guild_testkit::{Env, Registry, session};
use serde_json::{Value, json};
use std::fs;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// What a tool pushes: its layers with their kinds and names.
type Layer<'a> = (&'a str, Option<&'a str>, Vec<u8>);

fn skill(text: &str) -> String {
    format!("---\nname: sawing\ndescription: Saws\n---\n\n{text} along the line that was drawn before.\n")
}

/// A skill as a packed directory.
fn packed(path: &str, text: &str) -> Vec<u8> {
    let mut packer = Packer::new(Vec::new());
    packer.add(&format!("{path}SKILL.md"), skill(text).as_bytes()).unwrap();
    packer.add(&format!("{path}notes.md"), b"Mind the saw.\n").unwrap();
    packer.finish().unwrap()
}

/// Pushes an artifact under a tag, and gives its manifest's digest.
fn push(registry: &Registry, repository: &str, tag: &str, layers: &[Layer<'_>]) -> String {
    let empty = b"{}";
    registry.push_blob(repository, &digest(empty), empty);
    let mut descriptors = Vec::new();
    for (media_type, title, bytes) in layers {
        registry.push_blob(repository, &digest(bytes), bytes);
        let mut descriptor = json!({"mediaType": media_type, "digest": digest(bytes), "size": bytes.len()});
        if let Some(title) = title {
            descriptor["annotations"] = json!({"org.opencontainers.image.title": title});
        }
        descriptors.push(descriptor);
    }
    let config =
        json!({"mediaType": "application/vnd.oci.empty.v1+json", "digest": digest(empty), "size": 2});
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": "application/vnd.agent.skill.v1+json",
        "config": config, "layers": descriptors,
    });
    let bytes = bytes_of(&manifest);
    registry.push_manifest(repository, tag, MANIFEST, &bytes);
    digest(&bytes)
}

const CONTENT: &str = "application/vnd.agent.skill.content.v1.tar+gzip";

#[track_caller]
fn check(env: &Env, registry: &Registry, script: &str, expected: &Expect) {
    let shown = session(env, &script.replace("[HOST]", registry.host())).replace(registry.host(), "[HOST]");
    expected.assert_eq(&trimmed(&shown));
    super::assert_nothing_is_left(env);
}

#[test]
fn an_artifact_is_installed_by_its_tag_and_updated_when_that_moves() {
    let (env, registry) = (world(), Registry::start());
    push(&registry, "acme/sawing", "1", &[(CONTENT, None, packed("", "Saw"))]);
    check(
        &env,
        &registry,
        "
        guild add oci:[HOST]/acme/sawing:1
        guild verify
        guild outdated
        ",
        &expect![[r#"
            $ guild add oci:[HOST]/acme/sawing:1
            installed skill sawing ([HOST]/acme/sawing at 05e3be0567fb)
            [stderr]
            1 installed
            $ guild verify
            [stderr]
            1 verified
            $ guild outdated
            [stderr]
            everything is up to date
        "#]],
    );
    push(&registry, "acme/sawing", "1", &[(CONTENT, None, packed("sawing/", "Sew"))]);
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local/share/guild/store")).unwrap();
    check(
        &env,
        &registry,
        "
        guild sync
        guild outdated
        guild add oci://[HOST]/acme/sawing --ref 1 --replace
        guild add oci:[HOST]/acme/sawing --ref ../1
        ",
        &expect![[r#"
            $ guild sync
            installed skill sawing ([HOST]/acme/sawing at 05e3be0567fb)
            [stderr]
            1 restored, 0 as locked
            $ guild outdated
            NAME    STATE    REF  INSTALLED     LATEST  SOURCE
            sawing  unknown  1    90e2cbca9323  -       skill `sawing` is no skill any more where it came from, [HOST]/acme/sawing; a skill of that name is at `sawing` now: `guild add oci:[HOST]/acme/sawing --ref 1 --skill sawing --replace` takes it
            [stderr]
            1 could not be asked for
            $ guild add oci://[HOST]/acme/sawing --ref 1 --replace
            updated skill sawing ([HOST]/acme/sawing at 8329aa037b48)
            [stderr]
            1 replaced
            $ guild add oci:[HOST]/acme/sawing --ref ../1
            [stderr]
            error[source_invalid]: what `--ref` names is no tag, nor a digest
            [exit 2]
        "#]],
    );
}

#[test]
fn files_images_and_lists_of_platforms_are_artifacts_too() {
    let (env, registry) = (world(), Registry::start());
    let file = "text/markdown";
    let files: [Layer<'_>; 2] = [
        (file, Some("SKILL.md"), skill("Saw").into_bytes()),
        (file, Some("references/notes.md"), b"Mind the saw.\n".to_vec()),
    ];
    push(&registry, "files", "latest", &files);
    let layer = "application/vnd.oci.image.layer.v1.tar";
    let tarball = pack(&[(
        "skills/planing/SKILL.md".to_owned(),
        skill("Plane").replace("sawing", "planing").into_bytes(),
    )]);
    let inner = push(&registry, "image", "amd64", &[(layer, None, tarball)]);
    let entry = |digest: &str, os: &str| json!({"mediaType": MANIFEST, "digest": digest, "size": 1, "platform": {"os": os, "architecture": "x"}});
    let attested = push(&registry, "image", "other", &[(layer, None, pack(&[]))]);
    let list = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry(&attested, "unknown"), entry(&inner, "plan9")]});
    registry.push_manifest("image", "2", INDEX, &bytes_of(&list));
    check(
        &env,
        &registry,
        "
        guild add oci:[HOST]/files
        guild add oci:[HOST]/image:2
        ",
        &expect![[r#"
            $ guild add oci:[HOST]/files
            installed skill sawing ([HOST]/files at 511684686faa)
            [stderr]
            1 installed
            $ guild add oci:[HOST]/image:2
            installed skill planing ([HOST]/image at 96bc6bf02e96)
            [stderr]
            1 installed
        "#]],
    );
    let lock = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    assert!(lock.contains(&digest(&bytes_of(&list))), "the lock has what the tag stands for:\n{lock}");
}

#[test]
fn a_private_registry_lets_in_whom_docker_knows() {
    let (env, registry) = (world(), Registry::start_locked());
    push(&registry, "acme/sawing", "1", &[(CONTENT, None, packed("", "Saw"))]);
    check(
        &env,
        &registry,
        "guild add oci:[HOST]/acme/sawing:1",
        &expect![[r#"
        $ guild add oci:[HOST]/acme/sawing:1
        [stderr]
        error[source_denied]: the registry `[HOST]` denies access to `acme/sawing`; look at its name, or log in with `docker login`; passwords that a helper program keeps are not asked for
        [exit 1]
    "#]],
    );
    // `ada:lovelace`
    let auths: Value = json!({"auths": {registry.host(): {"auth": "YWRhOmxvdmVsYWNl"}}});
    env.write(&format!("//- /home/.docker/config.json\n{auths}\n"));
    done(&env, &["add", &format!("oci:{}/acme/sawing:1", registry.host())]);
    let lock = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    assert!(!lock.contains("lovelace") && !lock.contains("YWRh"), "{lock}");
}

#[test]
fn an_artifact_that_is_not_there_or_hostile_is_not_installed() {
    let (env, registry) = (world(), Registry::start());
    let odd = |title| [("text/plain", title, b"what is this".to_vec())];
    push(&registry, "out", "1", &odd(Some("../../SKILL.md")));
    push(&registry, "nameless", "1", &odd(None));
    push(&registry, "empty", "1", &[]);
    let twice = [(CONTENT, None, packed("", "Saw")), (CONTENT, None, packed("", "Sew"))];
    push(&registry, "twice", "1", &twice);
    let zeros = format!("sha256:{}", "0".repeat(64));
    check(
        &env,
        &registry,
        &format!(
            "
            guild add oci:[HOST]/out:1
            guild add oci:[HOST]/nameless:1
            guild add oci:[HOST]/empty:1
            guild add oci:[HOST]/twice:1
            guild add oci:[HOST]/twice:2
            guild add oci:[HOST]/twice@{zeros}
            guild add oci:acme/sawing
            guild add oci:127.0.0.1:1/acme/sawing
            "
        ),
        &expect![[r#"
            $ guild add oci:[HOST]/out:1
            [stderr]
            error[unsafe_path]: `../../SKILL.md` leads out of the directory that it is unpacked into; nothing of it was kept
            [exit 3]
            $ guild add oci:[HOST]/nameless:1
            [stderr]
            error[archive_invalid]: something in [HOST]/nameless:1 is neither an archive nor a file with a name
            [exit 1]
            $ guild add oci:[HOST]/empty:1
            [stderr]
            error[no_skills]: there is no skill and no plugin in it
            [exit 1]
            $ guild add oci:[HOST]/twice:1
            [stderr]
            error[name_collision]: `SKILL.md` is there twice, or differs from another name only in capitals and small letters; nothing of it was kept
            [exit 3]
            $ guild add oci:[HOST]/twice:2
            [stderr]
            error[source_ref_unknown]: the registry has no image `[HOST]/twice:2`; look at its name and its tag
            [exit 1]
            $ guild add oci:[HOST]/twice@sha256:0000000000000000000000000000000000000000000000000000000000000000
            [stderr]
            error[source_ref_unknown]: the registry has no image `[HOST]/twice@sha256:0000000000000000000000000000000000000000000000000000000000000000`; look at its name and its tag
            [exit 1]
            $ guild add oci:acme/sawing
            [stderr]
            error[source_invalid]: `oci:acme/sawing` is no source: behind `oci:` stands an artifact with its registry, such as ghcr.io/owner/name:1.2
            [exit 2]
            $ guild add oci:127.0.0.1:1/acme/sawing
            [stderr]
            error[source_unreachable]: the registry `127.0.0.1:1` cannot be used: Connection refused (os error 111); try again
            [exit 1]
        "#]],
    );
    assert!(!env.project().join("guild.lock").exists());
}
