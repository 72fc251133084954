//! A source made of text, a command that is a shell script, and what becomes of the one through the other.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use expect_test::Expect;
use guild_sandbox::Digest;
use guild_sandbox::changes::{
    ApplyError, Bounds, ChangeSet, ChangeSetId, ChangeStore, Form, Layer, Listing, Node, Sensitive,
};
use guild_testkit::Fixture;
use rustix::fs::{Gid, Uid};

/// A user who owns nothing and may nothing.
const NOBODY: u32 = 65534;

/// How the script gets at the source, and as whom everything is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Through an overlay that root mounted.
    Root,
    /// Through an overlay in a user namespace, everything as a user without privileges.
    User,
    /// Through a copy.
    Copy,
}

/// All of them.
pub const WAYS: &[Way] = &[Way::Root, Way::User, Way::Copy];

/// A source in a temporary directory, with a store beside it.
pub struct World {
    pub fixture: Fixture,
    pub store: ChangeStore,
    pub id: ChangeSetId,
    pub way: Way,
}

/// What a script made of a source is listed as expected, in whatever way it got at it, and applying it makes of the source what
/// the script saw.
#[track_caller]
pub fn check(files: &str, script: &str, expect: &Expect) {
    expect.assert_eq(&listed_alike(files, script, |world, _, _| {
        world.apply().unwrap();
        assert_eq!(world.snapshot("source"), world.snapshot("merged"), "{:?}", world.way);
    }));
}

/// What a script made of a source is listed as expected, in whatever way it got at it, and is refused as a whole.
#[track_caller]
pub fn check_refused(files: &str, script: &str, expect: &Expect) {
    expect.assert_eq(&listed_alike(files, script, |world, listing, before| {
        match world.apply() {
            Err(ApplyError::Refused { entries }) => assert_eq!(entries, listing.refused),
            other => panic!("{:?}: {other:?}", world.way),
        }
        assert_eq!(world.snapshot("source"), before, "{:?}", world.way);
    }));
}

/// What a script made of a source, which must be the same in every way. `then` is given the world, the listing, and what the
/// source was before.
fn listed_alike(files: &str, script: &str, then: impl Fn(&World, &Listing, &str) + Sync) -> String {
    let listed = |way| {
        let world = World::new(files, way);
        let before = world.snapshot("source");
        let listing = world.run(script);
        world.save(listing.clone());
        then(&world, &listing, &before);
        render(&listing)
    };
    let texts: Vec<String> = WAYS.iter().map(|&way| inside(way, || listed(way))).collect();
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:#?}");
    texts[0].clone()
}

/// Does something as the user that a way is about.
pub fn inside<T: Send>(way: Way, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if way == Way::User && rustix::process::geteuid().is_root() {
                become_nobody();
            }
            work()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Takes all privileges from this thread.
fn become_nobody() {
    let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    rustix::thread::set_thread_groups(&[]).unwrap();
    rustix::thread::set_thread_res_gid(gid, gid, gid).unwrap();
    rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
}

impl World {
    /// A source of these files.
    pub fn new(files: &str, way: Way) -> World {
        let fixture = Fixture::write("//- /source/\n//- /merged/\n//- /mount/\n");
        fs::set_permissions(fixture.join("source"), fs::Permissions::from_mode(0o755)).unwrap();
        let moved: Vec<String> = files
            .lines()
            .map(|line| match line.trim_start().strip_prefix("//- /") {
                Some(rest) => line.replace(&format!("//- /{rest}"), &format!("//- /source/{rest}")),
                None => line.to_owned(),
            })
            .collect();
        fixture.add(&moved.join("\n"));
        let store = ChangeStore::open(&fixture.join("state")).unwrap();
        World { fixture, store, id: "chg_1".to_owned().try_into().unwrap(), way }
    }

    /// The source.
    pub fn source(&self) -> PathBuf {
        self.fixture.join("source")
    }

    /// Runs a script in the source and lists what it made of it. What it saw in the end is in `merged`.
    pub fn run(&self, script: &str) -> Listing {
        let layer = self.layer();
        self.run_in(&layer, script);
        self.list(&layer)
    }

    /// Lists what a script made of the source in this layer.
    pub fn list(&self, layer: &Layer) -> Listing {
        let listing = layer.changes(&self.source(), Bounds::default()).unwrap();
        listing.marked(&Sensitive::new([".git", "*.toml"]))
    }

    /// A layer for the source.
    pub fn layer(&self) -> Layer {
        match self.way {
            Way::Root | Way::User => self.store.begin(&self.id).unwrap(),
            Way::Copy => self.store.begin_copy(&self.id, &self.source(), Bounds::default(), None).unwrap().0,
        }
    }

    /// Runs a script in the source with this layer.
    pub fn run_in(&self, layer: &Layer, script: &str) {
        let script = format!("umask 022\n{script}");
        let output = match layer.form() {
            Form::Overlay => self.overlay(layer, &script),
            Form::Copy => self.copy(layer, &script),
        };
        assert!(output.status.success(), "{:?}: {}", self.way, String::from_utf8_lossy(&output.stderr));
    }

    /// Runs a script in a copy, with the same power over permissions as in an overlay.
    fn copy(&self, layer: &Layer, script: &str) -> Output {
        let namespaces = if rustix::process::geteuid().is_root() { "-m" } else { "-Ur" };
        let inner = "cd \"$0\"; eval \"$2\"; cp -a . \"$1\"";
        #[expect(clippy::disallowed_methods, reason = "the tests are about what a command leaves behind")]
        Command::new("unshare")
            .args([namespaces, "sh", "-euc", inner])
            .args([layer.copy(), self.fixture.join("merged")])
            .arg(script)
            .output()
            .unwrap()
    }

    fn overlay(&self, layer: &Layer, script: &str) -> Output {
        let is_root = rustix::process::geteuid().is_root();
        let (namespaces, options) = match is_root {
            true => ("-m", "redirect_dir=off,metacopy=off,index=off"),
            false => ("-Urm", "index=off,userxattr"),
        };
        let inner =
            "mount -t overlay overlay -o \"$0\" \"$1\"; (cd \"$1\"; eval \"$3\"); cp -a \"$1/.\" \"$2\"";
        let (source, upper, work) = (self.source(), layer.upper(), layer.work());
        let options = format!(
            "lowerdir={},upperdir={},workdir={},{options}",
            source.display(),
            upper.display(),
            work.display()
        );
        #[expect(clippy::disallowed_methods, reason = "the tests are about what a command leaves behind")]
        Command::new("unshare")
            .args([namespaces, "sh", "-euc", inner, &options])
            .args([self.fixture.join("mount"), self.fixture.join("merged")])
            .arg(script)
            .output()
            .unwrap()
    }

    /// Keeps a listing as the set of this world.
    pub fn save(&self, listing: Listing) {
        self.save_as(&self.id, listing);
    }

    /// Keeps a listing as the set of that name.
    pub fn save_as(&self, id: &ChangeSetId, listing: Listing) {
        let layer = Layer::open(&self.fixture.join("state").join(id.as_str()).join("layer")).unwrap();
        let set = ChangeSet::new(id.clone(), &self.source(), &layer, listing).unwrap();
        self.store.save(&set).unwrap();
    }

    /// Runs a script in the source and keeps what it made of it.
    pub fn save_run(&self, script: &str) {
        self.save(self.run(script));
    }

    /// Applies the set of this world.
    pub fn apply(&self) -> Result<(), ApplyError> {
        self.store.apply(&self.id, &mut |_| {})
    }

    /// A path of what belongs to the set of this world.
    pub fn store_path(&self, path: &str) -> PathBuf {
        self.fixture.join("state").join(self.id.as_str()).join(path)
    }

    /// Every path below a directory of the fixture, with its type, permissions and content.
    pub fn snapshot(&self, directory: &str) -> String {
        snapshot(&self.fixture.join(directory))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Scripts leave directories that cannot be emptied as they are.
        #[expect(clippy::disallowed_methods, reason = "the standard library has no such call for a tree")]
        let status = Command::new("chmod").args(["-R", "u+rwX"]).arg(self.fixture.path()).status();
        drop(status);
    }
}

/// Every path below a directory, with its type, permissions and content.
pub fn snapshot(directory: &Path) -> String {
    let mut text = String::new();
    let mut ahead = vec![directory.to_owned()];
    let mut paths = Vec::new();
    while let Some(directory) = ahead.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                ahead.push(path.clone());
            }
            paths.push(path);
        }
    }
    paths.sort();
    for path in paths {
        let found = fs::symlink_metadata(&path).unwrap();
        let content = match found.file_type() {
            kind if kind.is_dir() => "directory".to_owned(),
            kind if kind.is_symlink() => format!("link {:?}", fs::read_link(&path).unwrap()),
            kind if kind.is_file() => format!("file {}", Digest::of(&fs::read(&path).unwrap())),
            _ => "special".to_owned(),
        };
        let mode = if found.is_symlink() { 0 } else { found.mode() & 0o7777 };
        writeln!(text, "{:?} {mode:o} {content}", path.strip_prefix(directory).unwrap()).unwrap();
    }
    text
}

/// A listing, one line a path.
pub fn render(listing: &Listing) -> String {
    let mut text = String::new();
    for change in &listing.changes {
        let sign = match (&change.base, &change.new) {
            (None, _) => "+",
            (_, None) => "-",
            _ => "~",
        };
        let nodes: Vec<String> = [&change.base, &change.new].into_iter().flatten().map(node).collect();
        let path = change.path.as_os_str().as_bytes().escape_ascii();
        write!(text, "{sign} {path}: {}", nodes.join(" → ")).unwrap();
        text.push_str(if change.sensitive { " (sensitive)" } else { "" });
        text.push_str(if change.edited_meanwhile { " (edited meanwhile)\n" } else { "\n" });
    }
    for refused in &listing.refused {
        writeln!(text, "! {} {}", refused.path.as_os_str().as_bytes().escape_ascii(), refused.reason)
            .unwrap();
    }
    text
}

fn node(node: &Node) -> String {
    match node {
        Node::File { mode, size, digest } => {
            format!("file {mode:o}, {size} bytes {}", &digest.to_string()[7..11])
        }
        Node::Directory { mode } => format!("directory {mode:o}"),
        Node::Link { target } => format!("link to {target:?}"),
    }
}
