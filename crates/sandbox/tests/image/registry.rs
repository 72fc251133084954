//! Pulling: from Debian's registry as it is, and from servers that misbehave.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::{Expect, expect};
use guild_sandbox::image::{
    Credentials, Digest, Event, Image, Limits, Listener, Patience, Platform, PullError, PullRequest,
};
use guild_testkit::Registry;
use serde_json::{Value as Json, json};

use crate::server::{Answer, Server};
use crate::tree::tree;
use crate::{NOW, World};
use guild_testkit::image::{Parts, bytes_of, oci, oci_of, tar};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// How a test pulls, where it does not want the usual.
struct Pull<'a> {
    reference: String,
    platform: &'a str,
    credentials: Credentials,
    patience: Patience,
    listener: Listener,
}

impl Pull<'_> {
    fn new(reference: impl Into<String>) -> Pull<'static> {
        let patience = Patience {
            connect: Duration::from_secs(20),
            read: Duration::from_secs(20),
            whole: Duration::from_secs(60),
            attempts: 3,
            backoff: Duration::from_millis(1),
        };
        Pull {
            reference: reference.into(),
            platform: "linux/amd64",
            credentials: Credentials::default(),
            patience,
            listener: Listener::default(),
        }
    }

    fn run(&self, world: &World) -> Result<Image, PullError> {
        let platform: Platform = self.platform.parse().unwrap();
        let request = PullRequest {
            reference: &self.reference,
            name: None,
            platform: &platform,
            credentials: &self.credentials,
            insecure: &[],
            patience: self.patience,
            now: NOW,
            listener: &self.listener,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(world.store.pull(&request))
    }
}

/// The blobs of an image as a server offers them, and its manifest under `latest`.
fn offered(parts: Parts) -> impl Fn(&str) -> Answer {
    move |request: &str| {
        let path = request.split(' ').nth(1).unwrap();
        let wanted = match path.rsplit('/').next().unwrap() {
            "latest" => parts.manifest.replace("sha256:", ""),
            digest => digest.replace("sha256:", ""),
        };
        match parts.files.iter().find(|(name, _)| name.ends_with(&wanted) && !wanted.is_empty()) {
            Some((_, bytes)) => Answer::ok(bytes.clone()),
            None => Answer::status(404),
        }
    }
}

#[track_caller]
fn check(world: &World, pull: &Pull<'_>, host: &str, expect: &Expect) {
    let shown = match pull.run(world) {
        Ok(image) => tree(&world.store.root_of(&image.digest)),
        Err(error) => {
            let debug = format!("{error:?}");
            let kind = debug.split([' ', '{']).next().unwrap().to_owned();
            format!("{kind}: {error}\n").replace(host, "[REGISTRY]")
        }
    };
    expect.assert_eq(&shown);
}

#[test]
fn an_image_is_pulled_from_a_registry() {
    let (registry, world) = (Registry::start(), World::new());
    let parts = oci(&["bin/sh x = sh", "etc/hostname = box", "more = 1"]);
    registry.push_image("tools/base", "1", &parts);
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let listener = Listener::new(move |event| seen.lock().unwrap().push(event.clone()));
    let pull = Pull { listener, ..Pull::new(format!("{}/tools/base:1", registry.host())) };
    let image = pull.run(&world).unwrap();
    assert_eq!(image.digest.to_string(), parts.manifest);
    assert_eq!(image.names[0].name, format!("{}/tools/base:1", registry.host()));
    assert_eq!(image.config.working_dir, "/work");
    expect![[r#"
        bin/ 755
        bin/sh 755 = sh
        etc/ 755
        etc/hostname 644 = box
        more 644 = 1
    "#]]
    .assert_eq(&tree(&world.store.root_of(&image.digest)));
    assert_eq!(world.residue(), "");
    let events = events.lock().unwrap();
    let received: u64 =
        events.iter().map(|event| if let Event::Received { bytes } = event { *bytes } else { 0 }).sum();
    let resolved = events.iter().find_map(|event| match event {
        Event::Resolved { blobs, bytes, .. } => Some((*blobs, *bytes)),
        _ => None,
    });
    assert_eq!(resolved, Some((4, received)));
    assert!(events.contains(&Event::Unpacking { layer: 3, of: 3 }) && events.contains(&Event::Settling));
}

#[test]
fn a_tag_is_resolved_to_what_it_stands_for_now() {
    let (registry, world) = (Registry::start(), World::new());
    let reference = format!("{}/a/b", registry.host());
    registry.push_image("a/b", "latest", &oci(&["version = 1"]));
    let one = Pull::new(&reference).run(&world).unwrap();
    // Nothing has changed, so nothing is fetched.
    let again = Pull::new(&reference).run(&world).unwrap();
    assert_eq!(one, again);
    registry.push_image("a/b", "latest", &oci(&["version = 2"]));
    let two = Pull::new(&reference).run(&world).unwrap();
    assert_ne!(one.digest, two.digest);
    assert_eq!(world.store.find(&format!("{reference}:latest")).unwrap().digest, two.digest);
    // A digest stays what it was.
    let pinned = Pull::new(format!("{reference}@{}", one.digest)).run(&world).unwrap();
    assert_eq!(pinned.digest, one.digest);
}

#[test]
fn the_platform_chooses_from_an_index() {
    let (registry, world) = (Registry::start(), World::new());
    let mut manifests = Vec::new();
    for architecture in ["arm64", "amd64"] {
        let layer = tar(&format!("architecture = {architecture}"));
        let parts = oci_of(&[layer], &json!({"config": {"architecture": architecture}}));
        let digest = parts.manifest.to_string();
        let manifest = registry.push_image("multi", &digest, &parts);
        manifests.push(json!({"mediaType": MANIFEST, "digest": digest, "size": manifest.len(),
            "platform": {"os": "linux", "architecture": architecture}}));
    }
    let index = bytes_of(&json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}));
    registry.push_manifest("multi", "latest", INDEX, &index);
    let pull = |platform| Pull { platform, ..Pull::new(format!("{}/multi", registry.host())) };
    check(
        &world,
        &pull("linux/amd64"),
        registry.host(),
        &expect![[r#"
        architecture 644 = amd64
    "#]],
    );
    check(
        &world,
        &pull("linux/arm64"),
        registry.host(),
        &expect![[r#"
        architecture 644 = arm64
    "#]],
    );
    check(
        &world,
        &pull("linux/s390x"),
        registry.host(),
        &expect![[r#"
        Image(Unsupported: there is no image for linux/s390x; there are: linux/arm64, linux/amd64
    "#]],
    );
    // The digest of the index is as good as a tag.
    let pinned = Pull::new(format!("{}/multi@{}", registry.host(), Digest::of(&index)));
    check(
        &world,
        &pinned,
        registry.host(),
        &expect![[r#"
        architecture 644 = amd64
    "#]],
    );
}

#[test]
fn an_image_for_another_machine_is_refused_before_its_layers_are_fetched() {
    let (registry, world) = (Registry::start(), World::new());
    registry.push_image(
        "a",
        "latest",
        &oci_of(&[tar("a = 1")], &json!({"config": {"architecture": "arm64"}})),
    );
    check(
        &world,
        &Pull::new(format!("{}/a", registry.host())),
        registry.host(),
        &expect![[r#"
        Image(Unsupported: the image is made for linux/arm64, not for linux/amd64
    "#]],
    );
}

#[test]
fn what_is_not_there_and_what_is_no_reference_is_told() {
    let (registry, world) = (Registry::start(), World::new());
    registry.push_image("a/b", "latest", &oci(&["a = 1"]));
    let host = registry.host();
    let check = |reference: String, expect: &Expect| check(&world, &Pull::new(reference), host, expect);
    check(
        format!("{host}/a/b:gone"),
        &expect![[r#"
        NotFound: the registry has no image `[REGISTRY]/a/b:gone`
    "#]],
    );
    check(
        format!("{host}/gone"),
        &expect![[r#"
        NotFound: the registry has no image `[REGISTRY]/gone:latest`
    "#]],
    );
    check(
        format!("{host}/a/b@{}", Digest::of(b"gone")),
        &expect![[r#"
        NotFound: the registry has no image `[REGISTRY]/a/b@sha256:283bb9deef02e6843abfb538efa1eca70801bd8a701c3f98191e123496339247`
    "#]],
    );
    check(
        format!("{host}/a/b@sha512:{}", "0".repeat(128)),
        &expect![[r#"
        Reference: `[REGISTRY]/a/b@sha512:00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000` is no image reference: only sha256 digests are known
    "#]],
    );
    check(
        "Not A Reference".to_owned(),
        &expect![[r#"
        Reference: `Not A Reference` is no image reference: invalid reference format
    "#]],
    );
    check(
        String::new(),
        &expect![[r#"
        Reference: `` is no image reference: repository name must have at least one component
    "#]],
    );
}

#[test]
fn a_locked_registry_opens_to_what_the_docker_configuration_says() {
    let (registry, world) = (Registry::start_locked(), World::new());
    registry.push_image("private", "latest", &oci(&["secret = 1"]));
    let pull = Pull::new(format!("{}/private", registry.host()));
    check(
        &world,
        &pull,
        registry.host(),
        &expect![[r#"
        Denied: the registry `[REGISTRY]` denies access to `private`
    "#]],
    );
    let account = |auth: &str| {
        let text = json!({"auths": {registry.host(): {"auth": auth}}}).to_string();
        Credentials::read(&world.write("config.json", text.as_bytes())).unwrap()
    };
    // `ada:lovelace`, and `ada:wrong`.
    let pull = Pull { credentials: account("YWRhOmxvdmVsYWNl"), ..pull };
    check(
        &world,
        &pull,
        registry.host(),
        &expect![[r#"
        secret 644 = 1
    "#]],
    );
    let (world, pull) = (World::new(), Pull { credentials: account("YWRhOndyb25n"), ..pull });
    check(
        &world,
        &pull,
        registry.host(),
        &expect![[r#"
        Denied: the registry `[REGISTRY]` denies access to `private`
    "#]],
    );
}

#[test]
fn a_registry_that_is_not_there_is_told_after_the_last_attempt() {
    let host = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let retries = Arc::new(Mutex::new(0));
    let count = Arc::clone(&retries);
    let listener = Listener::new(move |event| {
        *count.lock().unwrap() += usize::from(matches!(event, Event::Retrying { .. }));
    });
    let pull = Pull { listener, ..Pull::new(format!("{host}/a")) };
    check(
        &World::new(),
        &pull,
        &host,
        &expect![[r#"
        Failed: the registry `[REGISTRY]` cannot be used: Connection refused (os error 111)
    "#]],
    );
    assert_eq!(*retries.lock().unwrap(), 2);
}

#[test]
fn a_registry_that_fails_twice_is_asked_a_third_time() {
    let serve = offered(oci(&["a = 1"]));
    let mut failures = 0;
    let server = Server::start(move |request| {
        if request.contains("/manifests/") && failures < 2 {
            failures += 1;
            return Answer::status(503);
        }
        serve(request)
    });
    check(
        &World::new(),
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        a 644 = 1
    "#]],
    );
}

#[test]
fn a_layer_that_broke_off_is_resumed_where_it_stopped() {
    let parts = oci(&["zeros 100000"]);
    let layer = parts.files[1].1.clone();
    let digest = Digest::of(&layer).to_string();
    let serve = offered(parts);
    let wanted = digest.clone();
    let server = Server::start(move |request| {
        if !request.contains(&wanted) {
            return serve(request);
        }
        match request.split("bytes=").nth(1) {
            // As a connection that is lost: less comes than was promised.
            None => {
                Answer { body: layer[..60_000].to_vec(), promised: Some(layer.len()), ..Answer::status(200) }
            }
            Some(range) => {
                let start: usize = range.trim_end_matches('-').parse().unwrap();
                let content = format!("bytes {start}-{}/{}", layer.len() - 1, layer.len());
                let headers = vec![("Content-Range", content)];
                Answer { headers, body: layer[start..].to_vec(), ..Answer::status(206) }
            }
        }
    });
    let world = World::new();
    check(
        &world,
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        zeros 644 = 100000 zeros
    "#]],
    );
    let asked: Vec<String> = server.asked().into_iter().filter(|request| request.contains(&digest)).collect();
    let asked: Vec<&str> = asked.iter().map(|request| request.rsplit(' ').next().unwrap()).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1].starts_with("bytes=") && asked[1] != "bytes=0-", "{asked:?}");
    assert_eq!(world.residue(), "");
}

#[test]
fn a_pull_that_was_interrupted_goes_on_the_next_time() {
    let parts = oci(&["a = 1", "zeros 100000"]);
    let second = parts.files[2].1.clone();
    let digest = Digest::of(&second);
    let world = World::new();
    // As a process leaves them that was killed while it fetched.
    world.write(&format!("images/blobs/{}", Digest::of(&parts.files[1].1).hex()), &parts.files[1].1);
    world.write(&format!("images/blobs/{}.part", digest.hex()), &second[..10]);
    let first = Digest::of(&parts.files[1].1).to_string();
    let server = Server::start(offered(parts));
    let image = Pull::new(format!("{}/a", server.host)).run(&world).unwrap();
    assert!(world.store.verify(&image).unwrap());
    assert!(!server.asked().iter().any(|request| request.contains(&first)), "{:?}", server.asked());
    assert!(server.asked().iter().any(|request| request.ends_with("bytes=10-")), "{:?}", server.asked());
    assert_eq!(world.residue(), "");
}

#[test]
fn a_part_that_was_of_something_else_is_fetched_anew() {
    let parts = oci(&["a = 1"]);
    let layer = parts.files[1].1.clone();
    let world = World::new();
    let hex = Digest::of(&layer).hex();
    world.write(&format!("images/blobs/{hex}.part"), b"something else");
    let serve = offered(parts);
    let server = Server::start(move |request| match request.split("bytes=").nth(1) {
        Some(range) => {
            let start: usize = range.trim_end_matches('-').parse().unwrap();
            Answer { body: layer[start..].to_vec(), ..Answer::status(206) }
        }
        None => serve(request),
    });
    check(
        &world,
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        a 644 = 1
    "#]],
    );
}

#[test]
fn a_blob_that_was_damaged_in_the_store_is_fetched_anew() {
    let parts = oci(&["a = 1"]);
    let mut layer = parts.files[1].1.clone();
    let digest = Digest::of(&layer);
    layer[0] ^= 1;
    let world = World::new();
    world.write(&format!("images/blobs/{}", digest.hex()), &layer);
    let server = Server::start(offered(parts));
    let image = Pull::new(format!("{}/a", server.host)).run(&world).unwrap();
    assert!(world.store.verify(&image).unwrap());
    assert_eq!(world.residue(), "");
}

/// A server whose answers for one kind of request are replaced.
fn spoilt(kind: &'static str, parts: Parts, spoil: impl Fn(Answer) -> Answer + Send + 'static) -> Server {
    let serve = offered(parts);
    Server::start(move |request| {
        let answer = serve(request);
        if request.contains(kind) && answer.status == 200 { spoil(answer) } else { answer }
    })
}

#[test]
fn a_registry_that_sends_another_layer_is_caught() {
    let server = spoilt("/blobs/", oci(&["a = 1"]), |mut answer| {
        answer.body[0] ^= 1;
        answer
    });
    let world = World::new();
    check(
        &world,
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        Image(Mismatch: blob sha256:a880c9b11b7a3afab56bf0e8a2e618695ad0dcd2edc97d91b9cd614a16a5ed7b has the digest sha256:157dbc3031ed48bcf4ee703abacb69564d53e109b10c0a6b7478fee4075b9d9d and not sha256:a880c9b11b7a3afab56bf0e8a2e618695ad0dcd2edc97d91b9cd614a16a5ed7b
    "#]],
    );
    assert_eq!(world.residue(), "");
}

#[test]
fn a_registry_that_sends_another_manifest_than_was_pinned_is_caught() {
    let pinned = oci(&["a = 1"]).manifest;
    let other = oci(&["a = 2"]);
    let hex = other.manifest.replace("sha256:", "");
    let bytes = other.files.iter().find(|(name, _)| name.ends_with(&hex)).unwrap().1.clone();
    let server = Server::start(move |_| Answer::ok(bytes.clone()));
    let pull = Pull::new(format!("{}/a@{pinned}", server.host));
    check(
        &World::new(),
        &pull,
        &server.host,
        &expect![[r#"
        Image(Mismatch: what the registry sent has the digest sha256:8f35fab37f6a6d24a6cbd8b63637ac14c317f3f29314f902c6602a0cfd64f892 and not sha256:412efe740dac6bc3519ab47ba5dfdbdb6f0d862dd14538e61c439494381fdca1
    "#]],
    );
}

#[test]
fn a_registry_that_sends_without_end_is_cut_off() {
    let server = spoilt("/blobs/", oci(&["a = 1"]), |mut answer| {
        answer.body.extend(vec![0; 1 << 20]);
        answer
    });
    let world = World::new();
    check(
        &world,
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        Image(Invalid: blob sha256:a880c9b11b7a3afab56bf0e8a2e618695ad0dcd2edc97d91b9cd614a16a5ed7b cannot be used: the registry sends more than the 272 bytes that it has
    "#]],
    );
    assert_eq!(world.residue(), "");
    let server = spoilt("/manifests/", oci(&["a = 1"]), |_| Answer::ok(vec![b' '; 5 << 20]));
    check(
        &World::new(),
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        Image(TooLarge: the image has more than 4194304 bytes in a document
    "#]],
    );
}

#[test]
fn a_registry_that_promises_too_much_is_not_asked_for_it() {
    let huge = |_: Answer| {
        let digest = Digest::of(b"").to_string();
        let layer = json!({"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": digest, "size": u64::MAX / 2});
        let config =
            json!({"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digest, "size": 0});
        Answer::ok(bytes_of(&json!({"schemaVersion": 2, "config": config, "layers": [layer, layer, layer]})))
    };
    let server = spoilt("/manifests/", oci(&["a = 1"]), huge);
    check(
        &World::new(),
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        Image(TooLarge: the image has more than 17179869184 bytes
    "#]],
    );
    assert!(!server.asked().iter().any(|request| request.contains("/blobs/")));
}

#[test]
fn a_registry_that_sends_nonsense_is_told() {
    let answer = |bytes: &'static [u8]| {
        let server = Server::start(move |_| Answer::ok(bytes));
        let error = Pull::new(format!("{}/a", server.host)).run(&World::new()).unwrap_err();
        error.to_string()
    };
    expect!["the manifest cannot be used: expected value at line 1 column 1"].assert_eq(&answer(b"<html>"));
    expect!["the manifest cannot be used: missing field `config` at line 1 column 2"]
        .assert_eq(&answer(b"{}"));
    expect!["there is no image for linux/amd64; there are: "]
        .assert_eq(&answer(br#"{"mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []}"#));
}

#[test]
fn a_registry_that_says_nothing_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = silent.local_addr().unwrap().to_string();
    let patience = Patience { whole: Duration::from_millis(1), ..Pull::new("").patience };
    let pull = Pull { patience, ..Pull::new(format!("{host}/a")) };
    check(
        &World::new(),
        &pull,
        &host,
        &expect![[r#"
        TimedOut: the image did not come within 0 s
    "#]],
    );
    let patience = Patience { read: Duration::from_millis(1), attempts: 1, ..Pull::new("").patience };
    let pull = Pull { patience, ..Pull::new(format!("{host}/a")) };
    check(
        &World::new(),
        &pull,
        &host,
        &expect![[r#"
        Failed: the registry `[REGISTRY]` cannot be used: operation timed out
    "#]],
    );
}

#[test]
fn a_pulled_image_is_held_to_the_same_limits() {
    let world = World::with_limits(Limits { entries: 1, ..Limits::default() });
    let server = Server::start(offered(oci(&["a = 1\nb = 2"])));
    check(
        &world,
        &Pull::new(format!("{}/a", server.host)),
        &server.host,
        &expect![[r#"
        Image(TooLarge: the image has more than 1 entries
    "#]],
    );
    assert_eq!(world.residue(), "");
}

#[test]
fn several_may_pull_one_image_at_once() {
    let (registry, world) = (Registry::start(), World::new());
    registry.push_image("a", "latest", &oci(&["a = 1", "zeros 50000", "c = 3"]));
    let reference = format!("{}/a", registry.host());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let image = Pull::new(&reference).run(&world).unwrap();
                assert!(world.store.verify(&image).unwrap());
            });
        }
    });
    assert_eq!(world.store.list().unwrap().len(), 1);
    assert_eq!(world.residue(), "");
}

#[test]
fn what_skopeo_makes_of_an_image_is_pulled_too() {
    let (registry, world) = (Registry::start(), World::new());
    for (path, bytes) in &oci(&["a = 1", "b = 2"]).files {
        world.write(&format!("layout/{path}"), bytes);
    }
    let source = format!("oci:{}", world.path("layout").display());
    let target = format!("docker://{}/copied:1", registry.host());
    #[expect(clippy::disallowed_methods, reason = "another tool's way to push is the point of this test")]
    let output = std::process::Command::new("skopeo")
        .args([
            "--insecure-policy",
            "copy",
            "--quiet",
            "--dest-tls-verify=false",
            "--format",
            "v2s2",
            &source,
            &target,
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let image = Pull::new(format!("{}/copied:1", registry.host())).run(&world).unwrap();
    assert_eq!(tree(&world.store.root_of(&image.digest)), "a 644 = 1\nb 644 = 2\n");
    let types: Vec<Json> = image.layers.iter().map(|layer| json!(layer.media_type)).collect();
    expect![[r#"["application/vnd.docker.image.rootfs.diff.tar.gzip","application/vnd.docker.image.rootfs.diff.tar.gzip"]"#]].assert_eq(&Json::from(types).to_string());
}
