//! Every form that an image comes in gives the same tree, under the digest that belongs to the form.

use expect_test::{Expect, expect};
use guild_sandbox::image::{Choice, Digest, ImportRequest, Kind, Listener, Platform, Source};
use serde_json::json;

use crate::{NOW, World, told, xz};
use guild_testkit::image::{blob, bytes_of, docker, gzip, oci, oci_of, pack, tar, zstd};

const ROOT: &str = "bin/\nbin/sh x = sh\netc/\netc/hostname = box\nlib -> usr/lib\n";

#[track_caller]
fn check(world: &World, path: &std::path::Path, expect: &Expect) {
    let shown = match world.import(path) {
        Ok(image) => {
            let names: Vec<&str> = image.names.iter().map(|named| named.name.as_str()).collect();
            format!("{:?} {} {}\n", image.kind, image.digest, names.join(","))
        }
        Err(error) => told(&error),
    };
    expect.assert_eq(&shown.replace(world.directory.path().to_str().unwrap(), "[DIR]"));
}

#[test]
fn one_tree_has_one_content_digest_in_every_form() {
    let world = World::new();
    let plain = tar(ROOT);
    let layout = oci(&[ROOT]);
    for (path, bytes) in &layout.files {
        world.write(&format!("layout/{path}"), bytes);
    }
    let forms = [
        world.write("plain.tar", &plain),
        world.write("gzip.tar.gz", &gzip(&plain)),
        world.write("zstd.tar.zst", &zstd(&plain)),
        world.write("xz.tar.xz", &xz(&plain)),
        world.write("oci.tar", &pack(&layout.files)),
        world.write("oci.tar.gz", &gzip(&pack(&layout.files))),
        world.path("layout"),
        world.write("docker.tar", &pack(&docker(&[ROOT]))),
        world.write("docker.tar.xz", &xz(&pack(&docker(&[ROOT])))),
    ];
    let images: Vec<_> = forms.iter().map(|form| world.import(form).unwrap()).collect();
    assert!(images.iter().all(|image| image.content == images[0].content));
    let kinds: Vec<Kind> = images.iter().map(|image| image.kind).collect();
    use Kind::{Config, Content, Manifest};
    assert_eq!(kinds, [Content, Content, Content, Content, Manifest, Manifest, Manifest, Config, Config]);
    // Three digests, three trees.
    assert_eq!(world.store.list().unwrap().len(), 3);
    assert_eq!(images[4].digest.to_string(), layout.manifest);
    assert_eq!(images[7].digest.to_string(), layout.config, "both forms have one configuration here");
    assert_eq!(images[0].digest, images[0].content);
}

/// A `docker save` archive whose parts are named otherwise, the layers compressed as those writers do it.
fn docker_of(config_name: &str, layer_name: &str) -> Vec<(String, Vec<u8>)> {
    let saved = docker(&[ROOT]);
    // A layer, its configuration and the list of both.
    let (layer, config) = (&saved[0].1, &saved[1].1);
    let hex = |bytes: &[u8]| Digest::of(bytes).hex();
    let layer = if layer_name.ends_with(".gz") { gzip(layer) } else { layer.clone() };
    let named = |name: &str, bytes: &[u8]| name.replace("HEX", &hex(bytes));
    let (config_name, layer_name) = (named(config_name, config), named(layer_name, &layer));
    let list = json!([{"Config": config_name, "RepoTags": null, "Layers": [layer_name]}]);
    let list = ("manifest.json".to_owned(), bytes_of(&list));
    vec![(config_name, config.clone()), (layer_name, layer), list]
}

#[test]
fn archives_in_the_manner_of_docker_are_known_whatever_their_parts_are_called() {
    let world = World::new();
    let docker = world.import(&world.write("docker.tar", &pack(&docker(&[ROOT])))).unwrap();
    for (config, layer) in [
        ("sha256:HEX", "HEX.tar.gz"),
        ("config.json", "HEX.tar.gz"),
        ("config.json", "0/layer.tar"),
        ("a/b.json", "layers/one"),
    ] {
        let bytes = pack(&docker_of(config, layer));
        for (name, bytes) in [("other.tar", bytes.clone()), ("other.tar.gz", gzip(&bytes))] {
            let image = world.import(&world.write(name, &bytes)).unwrap();
            assert_eq!((image.kind, image.digest), (Kind::Config, docker.digest), "{config} {layer} {name}");
        }
    }
}

#[test]
fn a_root_file_system_may_hold_a_list_of_its_own() {
    let world = World::new();
    for list in ["{}", "[]", "[{\"Config\": 1}]", "no JSON"] {
        let files =
            [("readme", "read"), ("manifest.json", list)].map(|(name, text)| (name.to_owned(), text.into()));
        let image = world.import(&world.write("root.tar", &pack(&files))).unwrap();
        assert_eq!((image.kind, image.entries), (Kind::Content, 2), "{list}");
    }
}

#[test]
fn an_archive_in_the_manner_of_docker_is_held_to_its_digests() {
    let world = World::new();
    let mut files = docker_of("sha256:HEX", "0/layer.tar");
    files[0].1.push(b' ');
    check(
        &world,
        &world.write("config.tar", &pack(&files)),
        &expect![[r#"
        Mismatch: the configuration has the digest sha256:430b0d91234de73b6dd2d0fa83976c5bda3103db4a7ee4509a0a01c71a9c11ca and not sha256:d11f020b7a2361489b755f230406161f6cb37e7deb7421b26cb6f45321fc9c2b
    "#]],
    );
    let mut files = docker_of("config.json", "0/layer.tar");
    files[1].1 = tar("bin/sh x = other\n");
    check(
        &world,
        &world.write("layer.tar", &pack(&files)),
        &expect![[r#"
        Mismatch: layer sha256:e3d24eb96a5d07bca6a08b6cdcce5ba03d54146a6265bfa7de76cdbf53656e77, unpacked, has the digest sha256:7227152b5a83b6522fa81aee52c18ee1a25c1ff942b7c1c99e219a2115abeb6f and not sha256:e3d24eb96a5d07bca6a08b6cdcce5ba03d54146a6265bfa7de76cdbf53656e77
    "#]],
    );
    let mut files = docker_of("config.json", "0/layer.tar");
    files.remove(1);
    check(
        &world,
        &world.write("gone.tar", &pack(&files)),
        &expect![[r#"
        Invalid: [DIR]/gone.tar cannot be used: `0/layer.tar` is missing
    "#]],
    );
}

#[test]
fn the_content_digest_does_not_hang_on_order_times_or_hidden_bits() {
    let world = World::new();
    let digest =
        |name: &str, text: &str| world.import(&world.write(name, &tar(text))).unwrap().digest.to_string();
    let one = digest("one.tar", "a = 1\nb/\nb/c x = 2\nd -> a\n");
    assert_eq!(one, digest("two.tar", "d -> a\nb/c x setid = 2\n./b/\n/a = 1\n"));
    for other in ["a = 2\nb/c x = 2\nd -> a", "a = 1\nb/c = 2\nd -> a", "a = 1\nb/c x = 2\nd -> b", "a = 1"] {
        assert_ne!(one, digest("other.tar", other), "{other}");
    }
    // It is written down in locks and approvals, so it may never change.
    expect!["sha256:fdabf5a1a705d0cb9107109f8c57729e0b4cd0d959152104ead0974579a76993"].assert_eq(&one);
}

#[test]
fn what_an_image_says_of_itself_is_kept() {
    let world = World::new();
    let image =
        world.import(&world.write("a.tar", &pack(&oci(&[ROOT, "more = 1", "last = 1"]).files))).unwrap();
    let shown = serde_json::to_string_pretty(&image).unwrap();
    expect![[r#"
        {
          "digest": "sha256:e950aa4b82771a2268d96ba14ec50cba1f1e568a7195bc5cf70a9343d1786f8e",
          "kind": "manifest",
          "content": "sha256:4bc1d418e8896474b3930032f7581158a58642fca6448645774d2ba3a3c5389c",
          "platform": {
            "os": "linux",
            "architecture": "amd64"
          },
          "config": {
            "env": [
              "PATH=/bin"
            ],
            "entrypoint": [
              "/bin/sh"
            ],
            "cmd": [],
            "working_dir": "/work",
            "user": "",
            "labels": {}
          },
          "created": "2024-05-06T07:08:09Z",
          "imported": "2025-01-02T03:04:05.678Z",
          "bytes": 11,
          "entries": 7,
          "skipped": 0,
          "layers": [
            {
              "digest": "sha256:e3d24eb96a5d07bca6a08b6cdcce5ba03d54146a6265bfa7de76cdbf53656e77",
              "diff_id": "sha256:e3d24eb96a5d07bca6a08b6cdcce5ba03d54146a6265bfa7de76cdbf53656e77",
              "bytes": 4608,
              "media_type": "application/vnd.oci.image.layer.v1.tar"
            },
            {
              "digest": "sha256:0c22e37fe9db89361727fbade42fed51c419164e85bba995e9c8c060a880ef4c",
              "diff_id": "sha256:660cd0a550f2c6c84d4fcbfbd7c2919b7cca8df9f0a1f5da03ef3c11fd7ffa2b",
              "bytes": 102,
              "media_type": "application/vnd.oci.image.layer.v1.tar+gzip"
            },
            {
              "digest": "sha256:4c005820ca08b084a387422e8a23fa164613fd9ac0229fe6ddc08c5da46a9d73",
              "diff_id": "sha256:32917c6ea5b608a74d3308645f3ee42af494546ac1139616a33333cc202716c9",
              "bytes": 157,
              "media_type": "application/vnd.oci.image.layer.v1.tar+zstd"
            }
          ]
        }"#]]
    .assert_eq(&shown);
}

#[test]
fn names_come_from_the_source_or_from_the_file() {
    let world = World::new();
    check(
        &world,
        &world.write("my root.tar.gz", &gzip(&tar(ROOT))),
        &expect![[r#"
        Content sha256:8161f113218485c8168200af4ca3e702dbba7623c17f5b46672bfdf6809abc6b my-root
    "#]],
    );
    check(
        &world,
        &world.write("a.tar", &pack(&oci(&[ROOT]).files)),
        &expect![[r#"
        Manifest sha256:3c99199c6e955cb76f5beb3c9d91d1ff12a0cfd43af36a9cb557801a06c8ded7 made/here:1
    "#]],
    );
    check(
        &world,
        &world.write("b.tar", &pack(&docker(&[ROOT]))),
        &expect![[r#"
        Config sha256:d11f020b7a2361489b755f230406161f6cb37e7deb7421b26cb6f45321fc9c2b made/here:1
    "#]],
    );
    let tagged = oci_of(&[tar(ROOT)], &json!({"name": "latest"}));
    check(
        &world,
        &world.write("busybox.tar", &pack(&tagged.files)),
        &expect![[r#"
        Manifest sha256:3c99199c6e955cb76f5beb3c9d91d1ff12a0cfd43af36a9cb557801a06c8ded7 busybox:latest
    "#]],
    );
    let hostile = oci_of(&[tar(ROOT)], &json!({"name": "../../\u{1b}[2J"}));
    check(
        &world,
        &world.write("hostile.tar", &pack(&hostile.files)),
        &expect![[r#"
        Manifest sha256:3c99199c6e955cb76f5beb3c9d91d1ff12a0cfd43af36a9cb557801a06c8ded7 busybox:latest,hostile
    "#]],
    );
}

#[test]
fn a_name_is_chosen_by_whoever_imports() {
    let world = World::new();
    let path = world.write("a.tar", &tar(ROOT));
    let image = world.import_as(&path, Some("tools/base:3"), None).unwrap();
    assert_eq!(image.names[0].name, "tools/base:3");
    let refused = world.import_as(&path, Some("../x"), None).unwrap_err();
    expect![[r#"
        Name: `../x` cannot name an image: it begins with neither a letter nor a digit
    "#]]
    .assert_eq(&told(&refused));
}

/// A layout with two named images, the first of them for two platforms.
fn crowded() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("oci-layout".to_owned(), b"{}".to_vec())];
    let mut manifests = Vec::new();
    for (platform, layer) in [("arm64", "a = arm"), ("amd64", "a = amd")] {
        let parts = oci_of(&[tar(layer)], &json!({"config": {"architecture": platform}}));
        let index: serde_json::Value = serde_json::from_slice(&parts.files.last().unwrap().1).unwrap();
        let mut descriptor = index["manifests"][0].clone();
        descriptor["platform"] = json!({"os": "linux", "architecture": platform});
        manifests.push(descriptor);
        files.extend(parts.files.into_iter().filter(|(path, _)| path.starts_with("blobs/")));
    }
    let list = json!({"schemaVersion": 2, "manifests": manifests});
    let mut one = blob(&mut files, "application/vnd.oci.image.index.v1+json", bytes_of(&list));
    one["annotations"] = json!({"org.opencontainers.image.ref.name": "x/one:1"});
    let mut two = manifests[1].clone();
    two["annotations"] = json!({"org.opencontainers.image.ref.name": "x/two:1"});
    files.push(("index.json".to_owned(), bytes_of(&json!({"manifests": [one, two]}))));
    files
}

#[test]
fn of_several_images_one_is_chosen_by_name_and_platform() {
    let world = World::new();
    let path = world.write("crowd.tar", &pack(&crowded()));
    check(
        &world,
        &path,
        &expect![[r#"
        Ambiguous: there are several images: x/one:1, x/two:1
    "#]],
    );
    let shown = |which: &str, platform: &str| {
        let platform: Platform = platform.parse().unwrap();
        let choice = Choice { name: Some(which), platform: &platform };
        let request = ImportRequest { name: None, choice, now: NOW, listener: &Listener::default() };
        let shown = world.store.import(Source::Path(&path), &request);
        shown
            .map_or_else(|error| told(&error), |image| crate::tree::tree(&world.store.root_of(&image.digest)))
    };
    assert_eq!(shown("x/one:1", "linux/amd64"), "a 644 = amd\n");
    assert_eq!(shown("x/one:1", "linux/arm64"), "a 644 = arm\n");
    expect![[r#"
        Unsupported: there is no image for linux/riscv64 in it
    "#]]
    .assert_eq(&shown("x/one:1", "linux/riscv64"));
    expect![[r#"
        Unsupported: there is no image for linux/arm64 in it
    "#]]
    .assert_eq(&shown("x/two:1", "linux/arm64"));
    expect![[r#"
        Invalid: the archive cannot be used: no image in it is named `x/three:1`; there are: x/one:1, x/two:1
    "#]]
    .assert_eq(&shown("x/three:1", "linux/amd64"));
}

#[test]
fn what_is_no_container_image_is_said_to_be_none() {
    let world = World::new();
    let chart = json!({"manifest": {"config": {"mediaType": "application/vnd.cncf.helm.config.v1+json", "digest": Digest::of(b"").to_string(), "size": 0}}});
    check(
        &world,
        &world.write("chart.tar", &pack(&oci_of(&[tar(ROOT)], &chart).files)),
        &expect![[r#"
        Unsupported: it is no container image: its configuration is `application/vnd.cncf.helm.config.v1+json`
    "#]],
    );
    let encrypted = json!({"manifest": {"layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip+encrypted", "digest": Digest::of(b"").to_string(), "size": 0}]}});
    check(
        &world,
        &world.write("secret.tar", &pack(&oci_of(&[tar(ROOT)], &encrypted).files)),
        &expect![[r#"
        Unsupported: a layer is `application/vnd.oci.image.layer.v1.tar+gzip+encrypted`, which cannot be unpacked here
    "#]],
    );
    let windows = json!({"config": {"os": "windows"}});
    check(
        &world,
        &world.write("windows.tar", &pack(&oci_of(&[tar(ROOT)], &windows).files)),
        &expect![[r#"
        Unsupported: the image is made for windows/amd64, not for linux/amd64
    "#]],
    );
}

#[test]
fn old_docker_archives_name_a_layer_twice_by_a_link() {
    let world = World::new();
    let files = docker(&["a = 1", "b = 2"]);
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files.iter().filter(|(path, _)| !path.ends_with("layer.tar")) {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, path, &bytes[..]).unwrap();
    }
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with("layer.tar")) {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        let real = format!("{}/real.tar", path.split('/').next().unwrap());
        builder.append_data(&mut header, &real, &bytes[..]).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        builder.append_link(&mut header, path, format!("../{real}")).unwrap();
    }
    let path = world.write("old.tar", &builder.into_inner().unwrap());
    assert_eq!(world.shown(world.import(&path)), "a 644 = 1\nb 644 = 2\n");
}

#[test]
fn a_stream_is_as_good_as_a_file() {
    let world = World::new();
    let bytes = gzip(&pack(&oci(&[ROOT]).files));
    let platform = Platform::here();
    let choice = Choice { name: None, platform: &platform };
    let request = ImportRequest { name: Some("piped"), choice, now: NOW, listener: &Listener::default() };
    let image = world.store.import(Source::Stream(&mut &bytes[..]), &request).unwrap();
    assert_eq!(image.names[0].source, "standard input");
    assert_eq!(world.residue(), "");
}

#[test]
fn times_of_files_are_kept() {
    let world = World::new();
    let image = world.import(&world.write("a.tar", &tar(ROOT))).unwrap();
    let modified = world.store.root_of(&image.digest).join("bin/sh").metadata().unwrap().modified().unwrap();
    assert_eq!(modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(), 1_000_000_000);
}
