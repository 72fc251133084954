//! Changing what is installed: all at once, whoever is in the way and whoever was killed before.

use expect_test::{Expect, expect};
use guild_manifest::TreeManifest;
use guild_source::lock::{Entry, Kind, Lock, Origin, SourceType};
use guild_source::site::{Change, Ours, Site, SiteError, Trust};
use guild_source::store::{Content, MemoryFile, Store, scan};
use guild_testkit::Fixture;
use std::fs;

struct World {
    fixture: Fixture,
    store: Store,
    site: Site,
}

impl World {
    fn new() -> Self {
        let fixture = Fixture::write("//- /p/\n");
        let store = Store::open(fixture.join("store")).unwrap();
        let site = Site::new(
            fixture.join("p/.guild"),
            fixture.join("p/guild.lock"),
            fixture.join("journal"),
            Trust::Stranger,
        );
        Self { fixture, store, site }
    }

    fn tree(&self, text: &str) -> TreeManifest {
        let file = MemoryFile { path: "SKILL.md", bytes: text.as_bytes(), executable: false };
        self.store.stage(&Content::Memory(&[file])).unwrap().tree
    }

    /// The lock of skills with these names and texts.
    fn lock(&self, skills: &[(&str, &str)]) -> Lock {
        let mut lock = Lock::default();
        for (name, text) in skills {
            let tree = self.tree(text);
            lock.put(Entry {
                name: (*name).to_owned(),
                kind: Kind::Skill,
                origin: Origin {
                    source: "./x".to_owned(),
                    source_type: SourceType::Local,
                    path: None,
                    reference: None,
                    resolved: None,
                    offer: None,
                },
                pinned: false,
                linked: false,
                digest: tree.digest(),
                tree,
                previous: None,
            });
        }
        lock
    }

    /// Makes the skills of these names have these texts, or go.
    fn apply(&self, changes: &[(&str, Option<&str>)], lock: &Lock) -> Result<(), SiteError> {
        let trees: Vec<_> = changes.iter().map(|(_, text)| text.map(|text| self.tree(text))).collect();
        let mut steps = Vec::new();
        for ((name, _), tree) in changes.iter().zip(&trees) {
            steps.push(match tree {
                Some(tree) => Change::Place { kind: Kind::Skill, name, tree, from: None },
                None => Change::Remove { kind: Kind::Skill, name },
            });
        }
        self.site.hold()?.apply(&self.store, &steps, lock)
    }

    /// Every skill with its text, and what the lock names.
    #[track_caller]
    fn check(&self, expected: &Expect) {
        let mut lines = Vec::new();
        let root = self.fixture.join("p");
        let files = scan(&root).map(|tree| tree.files().to_vec()).unwrap_or_default();
        for file in files.iter().filter(|file| file.path != "guild.lock") {
            lines.push(format!("{} = {}", file.path, fs::read_to_string(root.join(&file.path)).unwrap()));
        }
        let lock = self.site.read_lock().unwrap();
        lines.extend(lock.entries().iter().map(|entry| format!("lock {}", entry.name)));
        expected.assert_eq(&lines.join("\n"));
        let journals = fs::read_dir(self.fixture.join("journal")).into_iter().flatten().count();
        assert_eq!(journals, 0, "a journal is left");
    }
}

#[test]
fn what_is_installed_replaced_and_removed_changes_with_its_lock() {
    let world = World::new();
    world.apply(&[("a", Some("1")), ("b", Some("1"))], &world.lock(&[("a", "1"), ("b", "1")])).unwrap();
    world.check(&expect![[r#"
        .guild/skills/a/SKILL.md = 1
        .guild/skills/b/SKILL.md = 1
        lock a
        lock b"#]]);
    world
        .apply(&[("a", Some("2")), ("b", None), ("c", Some("1"))], &world.lock(&[("a", "2"), ("c", "1")]))
        .unwrap();
    world.check(&expect![[r#"
        .guild/skills/a/SKILL.md = 2
        .guild/skills/c/SKILL.md = 1
        lock a
        lock c"#]]);
    world.apply(&[("a", None), ("c", None)], &Lock::default()).unwrap();
    world.check(&expect![[""]]);
    assert!(!world.fixture.join("p/.guild").exists() && !world.fixture.join("p/guild.lock").exists());
}

#[test]
fn what_is_staged_and_dropped_never_happens_and_holds_the_site_until_then() {
    let world = World::new();
    let tree = world.tree("1");
    let change = Change::Place { kind: Kind::Skill, name: "a", tree: &tree, from: None };
    let held = world.site.hold().unwrap();
    let staged = held.stage(&world.store, &[change], &world.lock(&[("a", "1")])).unwrap();
    drop(held);
    let directory = fs::File::open(world.fixture.join("p/.guild")).unwrap();
    assert!(directory.try_lock().is_err(), "somebody else could have changed it");
    drop(staged);
    directory.try_lock().unwrap();
    drop(directory);
    drop(world.site.hold().unwrap());
    world.check(&expect![[""]]);
}

/// A skill may have the name that another one is put aside by while two change places.
#[test]
fn skills_of_one_directory_of_ours_are_taken_with_it_whatever_they_are_called() {
    let world = World::new();
    let top = world.fixture.join("top");
    let places = ["a", "a.aside", "b"].map(|name| (name, top.join("skills").join(name)));
    for (name, place) in &places {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join("SKILL.md"), format!("new {name}")).unwrap();
    }
    fs::write(top.join("README.md"), "what is not installed").unwrap();
    world.apply(&[("a", Some("old"))], &world.lock(&[("a", "old")])).unwrap();
    let trees = places.each_ref().map(|(name, _)| world.tree(&format!("new {name}")));
    let changes: Vec<Change<'_>> = places
        .iter()
        .zip(&trees)
        .map(|((name, path), tree)| Change::Place {
            kind: Kind::Skill,
            name,
            tree,
            from: Some(Ours { path, top: &top }),
        })
        .collect();
    let lock = world.lock(&[("a", "new a"), ("a.aside", "new a.aside"), ("b", "new b")]);
    world.site.hold().unwrap().apply(&world.store, &changes, &lock).unwrap();
    assert!(!top.exists());
    world.check(&expect![[r#"
        .guild/skills/a.aside/SKILL.md = new a.aside
        .guild/skills/a/SKILL.md = new a
        .guild/skills/b/SKILL.md = new b
        lock a
        lock a.aside
        lock b"#]]);
}

#[test]
fn what_is_not_in_the_store_leaves_everything_as_it_was() {
    let world = World::new();
    world.apply(&[("a", Some("1"))], &world.lock(&[("a", "1")])).unwrap();
    let tree = world.tree("2");
    let digest = tree.files()[0].digest.to_hex();
    fs::remove_file(world.fixture.join("store/blobs/sha256").join(&digest[..2]).join(&digest)).unwrap();
    let changes = [
        Change::Remove { kind: Kind::Skill, name: "a" },
        Change::Place { kind: Kind::Skill, name: "b", tree: &tree, from: None },
    ];
    let error = world.site.hold().unwrap().apply(&world.store, &changes, &Lock::default()).unwrap_err();
    assert!(matches!(error, SiteError::Store(_)), "{error}");
    world.check(&expect![[r#"
        .guild/skills/a/SKILL.md = 1
        lock a"#]]);
}

#[test]
fn a_journal_that_somebody_left_is_carried_through_once() {
    let world = World::new();
    world.apply(&[("a", Some("1")), ("b", Some("1"))], &world.lock(&[("a", "1"), ("b", "1")])).unwrap();
    // As somebody leaves it who is killed between the first step and the second.
    let place = |path: &str| world.fixture.join("p/.guild").join(path);
    let staged = |path: &str| place(".install-x").join(path);
    for (at, text) in [("0", "2"), ("1", "2")] {
        fs::create_dir_all(staged(at)).unwrap();
        fs::write(staged(at).join("SKILL.md"), text).unwrap();
    }
    let inode = |path: &std::path::Path| {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = fs::symlink_metadata(path).unwrap();
        serde_json::json!({"device": metadata.dev(), "inode": metadata.ino()})
    };
    let step = |name: &str, at: &str| {
        let (place, staged) = (place("skills").join(name), staged(at));
        serde_json::json!({"old": inode(&place), "new": inode(&staged), "place": place, "staged": staged})
    };
    let journal = serde_json::json!({
        "version": 1, "staging": place(".install-x"), "steps": [step("a", "0"), step("b", "1")],
    });
    fs::rename(place("skills/a"), staged("aside")).unwrap();
    fs::rename(staged("0"), place("skills/a")).unwrap();
    fs::rename(staged("aside"), staged("0")).unwrap();
    assert!(!world.site.is_unsettled().unwrap());
    let directory = world.fixture.join("p/.guild");
    let name = guild_manifest::Digest::of(directory.as_os_str().as_encoded_bytes()).to_hex();
    fs::create_dir_all(world.fixture.join("journal")).unwrap();
    fs::write(world.fixture.join("journal").join(format!("{name}.json")), journal.to_string()).unwrap();
    assert!(world.site.is_unsettled().unwrap());
    drop(world.site.hold().unwrap());
    world.check(&expect![[r#"
        .guild/skills/a/SKILL.md = 2
        .guild/skills/b/SKILL.md = 2
        lock a
        lock b"#]]);
    assert!(!world.site.is_unsettled().unwrap());
    assert!(!place(".install-x").exists());
}

#[test]
fn what_follows_the_lock_is_not_forgotten_until_it_has_followed() {
    let world = World::new();
    world.site.hold().unwrap().announce().unwrap();
    assert!(world.site.is_unsettled().unwrap());
    let held = world.site.hold().unwrap();
    assert!(world.site.is_unsettled().unwrap());
    held.followed().unwrap();
    held.followed().unwrap();
    assert!(!world.site.is_unsettled().unwrap());
}

#[test]
fn links_in_a_project_are_not_installed_through() {
    let world = World::new();
    world.fixture.add("//- /elsewhere/\n//- /p/.guild link:../elsewhere\n");
    let error = world.apply(&[("a", Some("1"))], &world.lock(&[("a", "1")])).unwrap_err();
    assert!(matches!(error, SiteError::Link { .. }), "{error}");
    assert!(fs::read_dir(world.fixture.join("elsewhere")).unwrap().next().is_none());
}
