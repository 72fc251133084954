//! The security hash: what it is made of, and that the staged copy is what counts.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use crate::{config_files, hall, machine};
use expect_test::{Expect, expect};
use guild_engine::catalog::{Entry, Freshness, Lookup};
use guild_engine::manifest::Digest;
use guild_engine::security_hash::{Payload, Staged, stage};
use guild_engine::source::store::Store;
use guild_engine::{Hall, Images, Places, Refusal, configure, hash};
use guild_testkit::Fixture;
use std::fs;

const WORLD: &str = "
//- /home/config.toml
builtins = false
[sandbox.roles.small]
directory = \"~/roots/small\"
//- /home/roots/small/bin/tool
tool
//- /project/.git/
//- /project/.guild/skills/measure/SKILL.md
---
name: measure
description: Measures
script: run.sh
sandbox_image_role: small
params:
  path: {type: string, required: true}
timeout_seconds: 30
capabilities:
  workspace: read
  env: [LANG, HOME]
  declared_tools: [builtin:add]
  limits: {memory_mb: 256, cpus: 0.5}
---
Measure.
//- /project/.guild/skills/measure/run.sh mode:755
echo measured
//- /project/.guild/skills/measure/lib/requirements.txt
left-pad==1.0
//- /project/.guild/skills/plain/SKILL.md
---
name: plain
description: Says how
---
Do it by hand.
//- /project/.guild/skills/notes.md
---
name: notes
description: Writes
---
Write.
//- /project/.claude/plugins/acme/.claude-plugin/plugin.json
{\"name\": \"acme\", \"version\": \"1.2.0\"}
//- /project/.claude/plugins/acme/shared/lib.py
shared
//- /project/.claude/plugins/acme/skills/deploy/SKILL.md
---
name: deploy
description: Deploys
---
Deploy with ../../shared/lib.py, which is part of the plugin.
";

struct World {
    fixture: Fixture,
}

impl World {
    fn new() -> Self {
        Self { fixture: Fixture::write(WORLD) }
    }

    fn places(&self) -> Places {
        Places { data: Some(self.fixture.join("data")), ..Places::default() }
    }

    fn store(&self) -> Store {
        self.places().store().unwrap()
    }

    fn images(&self) -> Images {
        let settings = configure(&config_files(&self.fixture)).config.sandbox;
        Images::open(&self.places(), &machine(&self.fixture), &settings)
    }

    fn hall(&self) -> Hall {
        Hall::open(machine(&self.fixture), &config_files(&self.fixture), Freshness::Indexed)
    }

    fn stage(&self, name: &str) -> Result<Staged, Refusal> {
        let hall = self.hall();
        stage(&hall, entry(&hall, name), &self.images(), &self.store())
    }

    fn hash(&self, name: &str) -> Digest {
        self.stage(name).unwrap().security_hash
    }

    #[track_caller]
    fn refuse(&self, name: &str, expect: &Expect) {
        let Refusal { code, message } = self.stage(name).unwrap_err();
        let shown = format!("{}: {message}", code.as_str());
        expect.assert_eq(&shown.replace(self.fixture.path().to_str().unwrap(), "[ROOT]"));
    }
}

#[track_caller]
fn entry<'a>(hall: &'a Hall, name: &str) -> &'a Entry {
    match hall.snapshot.find(name) {
        Lookup::Found(entry) => entry,
        other => panic!("{name}: {other:?}"),
    }
}

/// The golden vector of the format. Whoever changes it voids every approval on every machine, and has to raise the version.
#[test]
fn the_hash_is_the_sha_256_of_the_canonical_payload() {
    let world = World::new();
    let staged = world.stage("measure").unwrap();
    let text = staged.payload.text().unwrap();
    expect![[r#"{"configuration":{"paths":[],"section":null,"variable":null},"contract":{"command":null,"dispatch":null,"entrypoint":null,"env":["HOME","LANG"],"network":"none","outputs":null,"params":{"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":true,"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},"script":"run.sh","tools":["builtin:add"],"workspace":"read"},"files":[{"digest":"sha256:064ae0216dbd6c9cb4e3502334cb84bc10abc3a6258f5cc5669c5198b04d8183","executable":false,"path":"SKILL.md","size":283},{"digest":"sha256:142d721a1f1778769a328176805a346cd6b9246466c7b0356fe70c2e3733fc69","executable":false,"path":"lib/requirements.txt","size":14},{"digest":"sha256:f9125465e0f8091202db090b18e26c8dcbbfdfe2ad33c5c3479efe34a14176b6","executable":true,"path":"run.sh","size":14}],"image":{"digest":"sha256:d3a4cb24a6b8c5512cbfa203bf4a84f1552b6226b3d27e938d08bdf240bd7c6b","role":"small"},"limits":{"cpu_millis":500,"memory_mb":256,"output_bytes":null,"processes":null,"timeout_seconds":30},"locks":[{"digest":"sha256:142d721a1f1778769a328176805a346cd6b9246466c7b0356fe70c2e3733fc69","path":"lib/requirements.txt"}],"plugin":null,"policy":"vet-1","profile":null,"skill":{"digest":"sha256:064ae0216dbd6c9cb4e3502334cb84bc10abc3a6258f5cc5669c5198b04d8183","file":"SKILL.md","kind":"script","name":"measure"},"version":1}"#]].assert_eq(&text);
    expect!["sha256:4b633e58b173d41903388463a62ba45ee5a5002f79b3305faef122a10926feb5"]
        .assert_eq(&staged.security_hash.to_string());
    assert_eq!(staged.security_hash, Digest::of(text.as_bytes()));
    assert_eq!(Payload::load(&world.store(), &staged.security_hash).unwrap(), staged.payload);
}

#[test]
fn a_skill_without_a_contract_has_the_safest_one_and_no_image() {
    let payload = World::new().stage("plain").unwrap().payload;
    assert_eq!((payload.contract.workspace.as_str(), payload.contract.network.as_str()), ("read", "none"));
    assert_eq!((payload.image, payload.profile, payload.policy.as_str()), (None, None, "vet-1"));
}

#[test]
fn the_same_skill_has_the_same_hash_wherever_it_lies() {
    assert_eq!(World::new().hash("measure"), World::new().hash("measure"));
    assert_eq!(World::new().hash("acme/deploy"), World::new().hash("acme:deploy"));
}

#[test]
fn whatever_decides_behaviour_changes_the_hash() {
    let skill = "/project/.guild/skills/measure";
    let changes = [
        ("a script", format!("//- {skill}/run.sh mode:755\necho changed\n")),
        ("a mode", format!("//- {skill}/run.sh mode:644\necho measured\n")),
        ("a file that nobody declared", format!("//- {skill}/more.txt\nmore\n")),
        ("a lock", format!("//- {skill}/lib/requirements.txt\nleft-pad==2.0\n")),
        ("the image behind the role", "//- /home/roots/small/bin/tool\nanother tool\n".to_owned()),
        (
            "the person's policy",
            "//- /home/config.toml\nbuiltins = false\n[sandbox.roles.small]\ndirectory = \"~/roots/small\"\n\
             [vet]\ndowngrade = [\"deny.shell.fork_bomb\"]\n"
                .to_owned(),
        ),
    ];
    let before = World::new().hash("measure");
    for (what, change) in changes {
        let world = World::new();
        world.fixture.add(&change);
        assert_ne!(world.hash("measure"), before, "{what}");
    }
}

#[test]
fn what_decides_nothing_does_not_change_it() {
    let world = World::new();
    let before = world.hash("measure");
    world.fixture.add(
        "
        //- /project/uv.lock
        The workspace's own, which is none of the skill's business.
        //- /project/.guild/skills/measure/.git/HEAD
        ref: refs/heads/main
        //- /project/.guild/skills/plain/more.txt
        more
        ",
    );
    assert_eq!(world.hash("measure"), before);
}

#[test]
fn for_a_plugins_skill_the_whole_plugin_is_staged() {
    let world = World::new();
    let staged = world.stage("acme/deploy").unwrap();
    let paths: Vec<&str> = staged.tree.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, [".claude-plugin/plugin.json", "shared/lib.py", "skills/deploy/SKILL.md"]);
    assert_eq!(staged.directory, "skills/deploy");
    assert!(staged.root.join(&staged.directory).join("SKILL.md").is_file());
    let plugin = staged.payload.plugin.unwrap();
    assert_eq!((plugin.name.as_str(), plugin.version.as_deref()), ("acme", Some("1.2.0")));
    assert_eq!(staged.payload.skill.name, "acme/deploy");
    world.fixture.add("//- /project/.claude/plugins/acme/shared/lib.py\nchanged\n");
    assert_ne!(world.hash("acme/deploy"), staged.security_hash);
}

#[test]
fn a_flat_skill_is_a_tree_of_one_file() {
    let staged = World::new().stage("notes").unwrap();
    let paths: Vec<&str> = staged.tree.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!((paths, staged.directory.as_str(), staged.body.trim()), (vec!["notes.md"], "", "Write."));
}

#[test]
fn a_built_in_skill_is_staged_from_memory() {
    let world = World::new();
    world.fixture.add("//- /home/config.toml\n");
    let staged = world.stage("review").unwrap();
    assert_eq!(staged.tree.files().len(), 1);
    assert!(fs::read_to_string(staged.root.join("SKILL.md")).unwrap().starts_with("---"));
}

/// What was found decides nothing once the copy is there: the copy is read again.
#[test]
fn the_staged_copy_is_what_counts() {
    let world = World::new();
    let hall = world.hall();
    let text = "---\nname: measure\ndescription: Now with network\nscript: run.sh\ncapabilities: {network: host}\n---\nNew.\n";
    fs::write(world.fixture.join("project/.guild/skills/measure/SKILL.md"), text).unwrap();
    let staged = stage(&hall, entry(&hall, "measure"), &world.images(), &world.store()).unwrap();
    assert_eq!(staged.payload.contract.network, "host");
    assert_eq!(staged.skill.contract.unwrap().network.as_str(), "host");
    assert_eq!(staged.body.trim(), "New.");
    assert_eq!(staged.payload.image.unwrap().role, "default");
}

#[test]
fn a_skill_that_is_another_one_by_now_is_told() {
    let check = |text: Option<&str>, expect: &Expect| {
        let world = World::new();
        let hall = world.hall();
        let file = world.fixture.join("project/.guild/skills/measure/SKILL.md");
        match text {
            Some(text) => fs::write(file, text).unwrap(),
            None => fs::remove_file(file).unwrap(),
        }
        let refusal = stage(&hall, entry(&hall, "measure"), &world.images(), &world.store()).unwrap_err();
        expect.assert_eq(&format!("{}: {}", refusal.code.as_str(), refusal.message));
    };
    check(
        None,
        &expect![
            "skill_changed: skill `measure` has changed since it was found: `SKILL.md` is no longer there"
        ],
    );
    check(
        Some("---\nname: other\ndescription: Another\n---\n"),
        &expect!["skill_changed: skill `measure` has changed since it was found: it is `other` now"],
    );
    check(
        Some("No longer a skill.\n"),
        &expect![
            "skill_changed: skill `measure` has changed since it was found: the file does not begin with a frontmatter block"
        ],
    );
}

#[test]
fn files_that_have_no_place_in_a_skill_are_refused() {
    let world = World::new();
    world.fixture.add("//- /project/.guild/skills/plain/data/feed kind:pipe\n");
    world.refuse("plain", &expect!["skill_files_refused: skill `plain` cannot be staged: `data/feed` is a pipe; remove it, or replace it by a copy"]);
    let world = World::new();
    let deep = vec!["d"; 33].join("/");
    fs::create_dir_all(world.fixture.join("project/.guild/skills/plain").join(deep)).unwrap();
    let refusal = world.stage("plain").unwrap_err();
    assert_eq!(refusal.code.as_str(), "skill_too_large");
    let world = World::new();
    let place = world.fixture.join("project/.claude/plugins/acme");
    std::os::unix::fs::symlink("../../../home", place.join("everything")).unwrap();
    world.refuse("acme/deploy", &expect!["skill_files_refused: skill `acme/deploy` cannot be staged: `everything` is a link that leads out of the directory; remove it, or replace it by a copy"]);
}

#[test]
fn a_role_without_an_image_is_told() {
    let world = World::new();
    fs::remove_dir_all(world.fixture.join("home/roots")).unwrap();
    world.refuse("measure", &expect!["read_failed: the role `small` cannot be used: cannot read [ROOT]/home/roots/small: No such file or directory (os error 2)"]);
    world.stage("plain").unwrap();
}

#[test]
fn damaged_content_is_told_with_the_way_out() {
    let world = World::new();
    let staged = world.stage("plain").unwrap();
    let hex = staged.payload.skill.digest.to_hex();
    let blob = world.fixture.join("data/store/blobs/sha256").join(&hex[..2]).join(&hex);
    let text = fs::read(&blob).unwrap();
    fs::remove_file(&blob).unwrap();
    fs::write(&blob, text.to_ascii_uppercase()).unwrap();
    let refusal = world.stage("plain").unwrap_err();
    assert_eq!(refusal.code.as_str(), "store_damaged");
    fs::remove_file(&blob).unwrap();
    assert_eq!(world.hash("plain"), staged.security_hash);
}

#[test]
fn what_was_never_hashed_here_is_unknown() {
    let world = World::new();
    let staged = world.stage("plain").unwrap();
    let load = |digest: &Digest| {
        let refusal = Payload::load(&world.store(), digest).unwrap_err();
        format!("{}: {}", refusal.code.as_str(), refusal.message.replace(&digest.to_string(), "[DIGEST]"))
    };
    expect!["hash_unknown: the store has no content [DIGEST]"].assert_eq(&load(&Digest::of(b"never")));
    expect!["hash_unknown: [DIGEST] is no security hash, but that of something else"]
        .assert_eq(&load(&staged.payload.skill.digest));
    let newer = staged.payload.text().unwrap().replace("\"version\":1}", "\"version\":2}");
    expect!["hash_unknown: [DIGEST] was computed by a newer Guildhall"]
        .assert_eq(&load(&world.store().put(newer.as_bytes()).unwrap()));
}

#[test]
fn without_a_home_there_is_no_store() {
    let world = World::new();
    let envelope = hash(&hall(&world.fixture), &world.images(), &Places::default(), "plain");
    expect!["no_home: there is no home directory; set HOME or XDG_DATA_HOME to an absolute path"]
        .assert_eq(&format!("{}: {}", envelope.code.as_str(), envelope.message));
}
