//! Roles and the images behind them, by a configuration and a store of the test's own.

use expect_test::{Expect, expect};
use guild_engine::catalog::{Freshness, Machine};
use guild_engine::containers::image::Listener;
use guild_engine::containers::{Root, Surroundings};
use guild_engine::manifest::config::Layer;
use guild_engine::{
    ConfigFile, Envelope, Hall, Images, ImportRequest, ImportSource, Places, configure, container_backends,
    image_import, image_list, image_remove, reply,
};
use guild_testkit::Fixture;
use guild_testkit::image::tar;
use std::time::UNIX_EPOCH;

/// A person's machine with roles of every kind; `~/roots/mine` is there, and no image yet.
const CONFIG: &str = r#"
[sandbox.roles.python]
image = "python"
[sandbox.roles.mine]
directory = "~/roots/mine"
[sandbox.roles.lost]
directory = "${NOWHERE}/x"
[sandbox.roles.slip]
rooot = "host"
"#;

struct Person {
    fixture: Fixture,
}

impl Person {
    fn new() -> Person {
        Person { fixture: Fixture::write("//- /home/roots/mine/bin/tool\nsome tool\n") }
    }

    fn remove(&self, name: &str, force: bool) -> Envelope<reply::ImageRemove> {
        let backends = container_backends(&Surroundings::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(image_remove(&self.images(), &backends, name, force))
    }

    fn images(&self) -> Images {
        let machine = self.machine();
        Images::open(&Places::of(&machine), &machine, &configure(&[self.config()]).config.sandbox)
    }

    fn machine(&self) -> Machine {
        let (home, directory) = (Some(self.fixture.join("home")), self.fixture.join("project"));
        Machine { home, directory, os: "linux".to_owned(), ..Machine::default() }
    }

    fn config(&self) -> ConfigFile {
        let path = self.fixture.join("home/.config/guild/config.toml").display().to_string();
        ConfigFile { layer: Layer::User, path, content: Ok(CONFIG.as_bytes().to_vec()) }
    }

    fn import(&self, name: &str, archive: &str) -> String {
        let request = ImportRequest {
            source: ImportSource::Stream(&mut &tar(archive)[..]),
            name: Some(name),
            image: None,
            platform: None,
            now: UNIX_EPOCH,
            listener: Listener::default(),
        };
        let envelope = image_import(&self.images(), request);
        envelope.data.image.map(|image| image.digest).unwrap_or(envelope.message)
    }

    #[track_caller]
    fn check(&self, role: Option<&str>, expect: &Expect) {
        let shown = match self.images().resolve(role) {
            Ok(resolved) => format!("{:?}", resolved.root),
            Err(refusal) => format!("{}: {}", refusal.code.as_str(), refusal.message),
        };
        expect.assert_eq(&shown.replace(&self.fixture.path().display().to_string(), "[ROOT]"));
    }
}

#[test]
fn the_default_role_is_the_hosts_own_root() {
    let person = Person::new();
    person.check(None, &expect!["Host"]);
    person.check(Some("default"), &expect!["Host"]);
    let digest = || person.images().resolve(None).unwrap().digest;
    assert_eq!(digest(), digest());
}

#[test]
fn a_role_that_nobody_declared_is_told_with_those_that_there_are() {
    let person = Person::new();
    person.check(Some("pyhton"), &expect!["unknown_image_role: there is no image role `pyhton`; there are: default, lost, mine, python, slip; did you mean `python`?"]);
    person.check(Some("nothing-like-it"), &expect!["unknown_image_role: there is no image role `nothing-like-it`; there are: default, lost, mine, python, slip"]);
}

#[test]
fn a_role_that_cannot_be_read_never_becomes_another_root() {
    let person = Person::new();
    person.check(Some("slip"), &expect!["unknown_image_role: the role `slip` cannot be used: what the configuration says of it cannot be used; `guild check` says why"]);
    person.check(
        Some("lost"),
        &expect!["unknown_image_role: the role `lost` cannot be used: the variable `NOWHERE` is not set"],
    );
}

#[test]
fn a_directory_of_the_persons_own_is_a_root() {
    let person = Person::new();
    person.check(Some("mine"), &expect![[r#"Directory { path: "[ROOT]/home/roots/mine", digest: "sha256:5f4bfc8180ba327239171362cbdd012039083873ed7ae4b419bb2486b1712cbd" }"#]]);
    std::fs::remove_dir_all(person.fixture.join("home/roots")).unwrap();
    person.check(Some("mine"), &expect!["read_failed: the role `mine` cannot be used: cannot read [ROOT]/home/roots/mine: No such file or directory (os error 2)"]);
}

#[test]
fn a_role_of_an_image_needs_that_image() {
    let person = Person::new();
    person.check(Some("python"), &expect!["image_not_found: the role `python` cannot be used: there is no image `python`; bring it in with `guild image pull` or `guild image import`"]);
    let digest = person.import("python", "bin/python3 x = python");
    let resolved = person.images().resolve(Some("python")).unwrap();
    assert_eq!(resolved.digest.to_string(), digest);
    assert!(matches!(&resolved.root, Root::Directory { digest: named, .. } if *named == digest));
}

#[test]
fn the_programs_of_a_script_are_looked_for_in_its_image() {
    let person = Person::new();
    person.fixture.add(
        "
        //- /project/.guild/skills/s/SKILL.md
        ---
        name: s
        description: Runs in an image.
        script: run.sh
        sandbox_image_role: python
        metadata: {openclaw: {requires: {bins: [python3, perl]}}}
        ---
        Do it.
        ",
    );
    let unmet = || {
        let hall = Hall::open(person.machine(), &[person.config()], Freshness::Reread);
        let entry = hall.snapshot.skills.iter().find(|entry| entry.skill.name == "s");
        entry.map(|entry| entry.unmet.join("; ")).unwrap()
    };
    assert_eq!(unmet(), "", "nobody can tell while the image is not there");
    person.import("python", "bin/python3 x = python");
    assert_eq!(unmet(), "the program `perl` is not found in the image role `python`");
}

#[test]
fn an_image_that_a_role_names_is_removed_by_force_alone() {
    let person = Person::new();
    let digest = person.import("python", "bin/python3 x = python");
    let refused = person.remove("python", false);
    expect!["image_in_use: the image `python` is that of the role `python`; remove it with `--force`, or change the role first"].assert_eq(&format!("{}: {}", refused.code.as_str(), refused.message));
    // Under whichever name: it is the image that the role needs.
    let refused = person.remove(&digest[..20], false);
    assert_eq!(refused.data.roles, ["python"]);
    assert_eq!(image_list(&person.images()).data.count, 1);
    let removed = person.remove("python", true);
    assert_eq!((removed.data.digest, removed.data.names), (Some(digest), vec!["python".to_owned()]));
    assert_eq!(image_list(&person.images()).data.count, 0);
}

#[test]
fn every_role_is_listed_with_what_stands_behind_it() {
    let person = Person::new();
    person.import("python", "bin/python3 x = python");
    let roles = image_list(&person.images()).data.roles;
    let shown: String = roles
        .iter()
        .map(|role| {
            let value = role.value.clone().unwrap_or_default();
            let digest = if role.digest.is_some() { " (there)" } else { "" };
            format!(
                "{} {} {value}{digest}{}\n",
                role.name,
                role.root,
                if role.is_default { " *" } else { "" }
            )
        })
        .collect();
    expect![[r#"
        default host  *
        lost unusable the variable `NOWHERE` is not set
        mine directory [ROOT]/home/roots/mine
        python image python (there)
        slip unusable what the configuration says of it cannot be used; `guild check` says why
    "#]]
    .assert_eq(&shown.replace(person.fixture.path().to_str().unwrap(), "[ROOT]"));
}

#[test]
fn without_a_place_for_images_the_hosts_own_root_is_still_there() {
    let images = Images::open(&Places::default(), &Machine::default(), &configure(&[]).config.sandbox);
    assert_eq!(images.resolve(None).unwrap().root, Root::Host);
    let refused = image_list(&images);
    expect![
        "no_home: there is no directory to keep images in; set HOME or XDG_DATA_HOME to an absolute path"
    ]
    .assert_eq(&format!("{}: {}", refused.code.as_str(), refused.message));
}
