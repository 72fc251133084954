//! What has changed between two security hashes of one skill.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::{config_files, hall, machine};
use expect_test::{Expect, expect};
use guild_engine::reply::{Comparison, SkillDiff};
use guild_engine::{Before, Difference, Envelope, Images, Places, configure, hash, skill_diff};
use guild_testkit::Fixture;
use std::fmt::Write as _;
use std::fs;

const SKILL: &str = "
//- /home/config.toml
builtins = false
[sandbox.roles.large]
directory = \"~/roots/large\"
//- /home/roots/large/bin/tool
tool
//- /project/.guild/skills/measure/SKILL.md
---
name: measure
description: Measures
script: run.sh
timeout_seconds: 30
capabilities: {env: [LANG], declared_tools: ['builtin:add', 'builtin:subtract']}
---
Measure.
//- /project/.guild/skills/measure/run.sh mode:755
echo one
echo two
//- /project/.guild/skills/measure/data.bin bytes:0001
//- /project/.guild/skills/measure/uv.lock
left-pad 1.0
//- /project/.guild/skills/other/SKILL.md
---
name: other
description: Another
---
Other.
";

struct World {
    fixture: Fixture,
    from: String,
}

impl World {
    /// The skill, hashed as it is.
    fn new() -> Self {
        let mut world = Self { fixture: Fixture::write(SKILL), from: String::new() };
        world.from = world.hash("measure");
        world
    }

    fn places(&self) -> Places {
        Places { data: Some(self.fixture.join("data")), ..Places::default() }
    }

    fn images(&self) -> Images {
        let settings = configure(&config_files(&self.fixture)).config.sandbox;
        Images::open(&self.places(), &machine(&self.fixture), &settings)
    }

    fn hash(&self, name: &str) -> String {
        hash(&hall(&self.fixture), &self.images(), &self.places(), name).data.security_hash.unwrap()
    }

    fn diff(&self, from: &str) -> Envelope<SkillDiff> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (hall, images, places) = (hall(&self.fixture), self.images(), self.places());
        runtime.block_on(skill_diff(&hall, &images, &places, "measure", Before::Hash(from)))
    }

    /// What has changed since the beginning.
    #[track_caller]
    fn check(&self, expect: &Expect) {
        let Envelope { data, message, .. } = self.diff(&self.from);
        assert!(data.changed, "{message}");
        assert_ne!(data.from, data.to);
        // What stands behind the default role depends on the machine.
        expect.assert_eq(
            &shown(&data.comparison)
                .replace(&self.images().resolve(None).unwrap().digest.to_string(), "[HOST]"),
        );
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.fixture.join("project/.guild/skills/measure").join(path);
        fs::write(path, text).unwrap();
    }
}

fn shown(comparison: &Comparison) -> String {
    let mut text = String::new();
    for change in &comparison.capabilities {
        let word = if change.wider { "more" } else { "less" };
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let (before, after) = (value(&change.before), value(&change.after));
        writeln!(text, "{word} {}: {before} → {after}", change.capability).unwrap();
    }
    for file in &comparison.files {
        let mode = |mode: Option<bool>| mode.map_or('-', |mode| if mode { 'x' } else { 'r' });
        let lock = if file.lock { " lock" } else { "" };
        let modes = format!("{}{}", mode(file.was_executable), mode(file.is_executable));
        writeln!(text, "{} {} {modes}{lock}", file.change, file.path).unwrap();
        match &file.difference {
            Difference::Lines { hunks } => {
                let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
                lines.for_each(|line| writeln!(text, "  {}{}", line.sign, line.text).unwrap());
            }
            other => writeln!(text, "  {other:?}").unwrap(),
        }
    }
    text
}

#[test]
fn nothing_has_changed_in_what_nobody_touched() {
    let world = World::new();
    let Envelope { data, message, .. } = world.diff(&world.from);
    assert_eq!((data.changed, message.as_str()), (false, "nothing has changed"));
    assert_eq!((&data.from, data.comparison), (&data.to, Comparison::default()));
}

#[test]
fn files_that_came_changed_and_went_are_shown_line_by_line() {
    let world = World::new();
    world.write("run.sh", "echo one\necho three\n");
    world.write("new.txt", "new\n");
    world.write("uv.lock", "left-pad 2.0\n");
    world.write("data.bin", "\0\u{2}");
    world.check(&expect![[r#"
        changed data.bin rr
          Binary
        added new.txt -r
          +new
        changed run.sh xx
           echo one
          -echo two
          +echo three
        changed uv.lock rr lock
          -left-pad 1.0
          +left-pad 2.0
    "#]]);
    fs::remove_file(world.fixture.join("project/.guild/skills/measure/uv.lock")).unwrap();
    let skill = world.diff(&world.from).data;
    let removed = skill.comparison.files.iter().find(|file| file.path == "uv.lock").unwrap();
    assert_eq!((removed.change, removed.is_executable), ("removed", None));
}

#[test]
fn a_mode_alone_is_a_change_without_lines() {
    let world = World::new();
    world.fixture.add("//- /project/.guild/skills/measure/run.sh mode:644\necho one\necho two\n");
    world.check(&expect![[r#"
        changed run.sh xr
          None
    "#]]);
}

#[test]
fn a_file_that_is_too_long_is_named_alone() {
    let world = World::new();
    world.write("new.txt", &"long\n".repeat(200_000));
    for number in 10..30 {
        world.write(&format!("x{number}.txt"), &number.to_string().repeat(225_000));
    }
    let files = world.diff(&world.from).data.comparison.files;
    let too_long: Vec<&str> = files
        .iter()
        .filter(|file| file.difference == Difference::TooLong)
        .map(|file| file.path.as_str())
        .collect();
    // One for its own length; the others since so much had been shown before them.
    assert_eq!(too_long, ["new.txt", "x28.txt", "x29.txt"]);
}

#[test]
fn every_capability_that_grew_or_shrank_is_told() {
    let world = World::new();
    let text = "---
name: measure
description: Measures
script: other.sh
sandbox_image_role: large
timeout_seconds: 20
capabilities:
  network: host
  workspace: write
  env: [HOME]
  declared_tools: ['builtin:add', 'builtin:multiply']
  limits: {memory_mb: 1024, processes: 64, cpus: 2, output_bytes: 1048576}
metadata: {openclaw: {requires: {config: [browser.enabled]}}}
---
Measure.
";
    world.write("SKILL.md", text);
    world.write("other.sh", "");
    let capabilities = Comparison { files: Vec::new(), ..world.diff(&world.from).data.comparison };
    let host = world.images().resolve(None).unwrap().digest.to_string();
    expect![[r#"
        more network: none → host
        more workspace: read → write
        more script: run.sh → other.sh
        more image: default [HOST] → large sha256:d3a4cb24a6b8c5512cbfa203bf4a84f1552b6226b3d27e938d08bdf240bd7c6b
        less limits.timeout_seconds: 30 → 20
        more limits.memory_mb: - → 1024
        less limits.processes: - → 64
        more limits.cpu_millis: - → 2000
        more env: - → HOME
        less env: LANG → -
        more tools: - → builtin:multiply
        less tools: builtin:subtract → -
        more configuration: - → browser.enabled
    "#]].assert_eq(&shown(&capabilities).replace(&host, "[HOST]"));
}

#[test]
fn what_the_person_changed_around_a_skill_is_told_too() {
    let world = World::new();
    let config = fs::read_to_string(world.fixture.join("home/config.toml")).unwrap();
    let downgrade = "\n[vet]\ndowngrade = [\"deny.shell.fork_bomb\"]\n";
    fs::write(world.fixture.join("home/config.toml"), config + downgrade).unwrap();
    world.check(&expect![[r#"
        more policy: vet-1 → vet-1-deny.shell.fork_bomb
    "#]]);
}

#[test]
fn a_hash_that_is_none_or_another_skills_is_refused() {
    let world = World::new();
    let check = |from: &str, expect: &Expect| {
        let Envelope { code, message, .. } = world.diff(from);
        expect.assert_eq(&format!("{}: {}", code.as_str(), message.replace(from, "[FROM]")));
    };
    check(
        "latest",
        &expect![
            "invalid_name: `[FROM]` is no security hash: a digest is `sha256:` and 64 lower-case hexadecimal digits; `guild hash` prints them"
        ],
    );
    check(&world.hash("other"), &expect!["hash_unknown: [FROM] is the hash of another skill, `other`"]);
    check(&format!("sha256:{}", "0".repeat(64)), &expect!["hash_unknown: the store has no content [FROM]"]);
}
