//! A small root file system for containers, made of this machine's own programs: a shell, Python, and what one attacks with.
//!
//! It is copied once, with the libraries that the programs are linked with, and used by every backend as the same directory. Copying
//! takes seconds where a bootstrapped distribution takes a minute and a network.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use crate::below_target;

/// Programs, each where the machine has it.
const PROGRAMS: &[&str] = &[
    "awk", "base64", "bash", "cat", "chmod", "chown", "cp", "cut", "date", "dd", "df", "env", "expr",
    "false", "find", "grep", "head", "hostname", "id", "ln", "ls", "mkdir", "mkfifo", "mknod", "mktemp",
    "mount", "mv", "nice", "nohup", "nproc", "od", "printenv", "ps", "pwd", "python3", "readlink", "rm",
    "rmdir", "sed", "seq", "setsid", "sh", "sleep", "sort", "stat", "su", "sync", "tail", "tar", "tee",
    "test", "timeout", "touch", "tr", "true", "truncate", "umount", "uname", "unshare", "wc", "xargs", "yes",
];

/// Directories of the machine that hold programs.
const WHERE: &[&str] = &["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// What of Python's library is of no use to an attacker.
const NEEDLESS: &[&str] =
    &["__pycache__", "config-", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "test", "tkinter"];

/// Directories that are there and empty.
const EMPTY: &[&str] = &["dev", "etc", "proc", "usr/bin"];

/// A root file system that lies below `target` and belongs to nobody's test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestRoot {
    /// Where it lies.
    pub path: PathBuf,
    /// Names what it was made from: `sha256:` and 64 digits.
    pub digest: String,
}

/// The root file system, made unless it is there.
#[track_caller]
pub fn guest_root() -> GuestRoot {
    let store = below_target("guest-root");
    fs::create_dir_all(&store).expect("make a directory below target");
    let lock = File::create(store.join("lock")).expect("make a lock");
    flock(&lock, FlockOperation::LockExclusive).expect("lock the guest root");
    // Finding libraries takes a second, so it is done only for programs that were not seen before.
    let programs: BTreeSet<Source> = programs().collect();
    let known = store.join(digest(&programs));
    let digest = fs::read_to_string(&known).unwrap_or_else(|_| {
        let sources = sources(programs);
        let digest = digest(&sources);
        let making = store.join("making");
        let _ = fs::remove_dir_all(&making);
        copy_all(&sources, &making).unwrap_or_else(|error| panic!("make {}: {error}", making.display()));
        let _ = fs::remove_dir_all(root_of(&store, &digest));
        fs::rename(&making, root_of(&store, &digest)).expect("move the guest root into place");
        fs::write(&known, &digest).expect("note the guest root");
        digest
    });
    GuestRoot { path: root_of(&store, &digest), digest: format!("sha256:{digest}") }
}

fn root_of(store: &Path, digest: &str) -> PathBuf {
    store.join(format!("root-{}", digest.get(..16).unwrap_or(digest)))
}

/// A file of this machine and where it goes.
type Source = (PathBuf, PathBuf);

/// The programs.
#[track_caller]
fn programs() -> impl Iterator<Item = Source> {
    PROGRAMS.iter().map(|name| {
        let found = WHERE.iter().map(|directory| Path::new(directory).join(name)).find(|path| path.exists());
        let program =
            found.unwrap_or_else(|| panic!("`{name}` is not installed; ./test installs what tests need"));
        (program, Path::new("usr/bin").join(name))
    })
}

/// Everything that is copied, in an order that does not change.
#[track_caller]
fn sources(mut sources: BTreeSet<Source>) -> BTreeSet<Source> {
    let library =
        output("/usr/bin/python3", &["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]);
    let mut linked: Vec<PathBuf> = sources.iter().map(|(from, _)| from.clone()).collect();
    add_tree(Path::new(library.trim()), &mut sources);
    let modules =
        sources.iter().map(|(from, _)| from).filter(|from| from.extension().is_some_and(|it| it == "so"));
    linked.extend(modules.cloned());
    for path in libraries(&linked) {
        let place = within(&path);
        sources.insert((path, place));
    }
    sources
}

/// The files of Python's library, but for what nobody needs.
fn add_tree(directory: &Path, sources: &mut BTreeSet<Source>) {
    let entries =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("read {}: {error}", directory.display()));
    for entry in entries {
        let path = entry.expect("read Python's library").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if NEEDLESS
            .iter()
            .any(|needless| name == *needless || (needless.ends_with('-') && name.starts_with(needless)))
        {
            continue;
        }
        if path.is_dir() {
            add_tree(&path, sources);
        } else if path.is_file() {
            let place = within(&path);
            sources.insert((path, place));
        }
    }
}

/// The shared libraries that these files are linked with.
fn libraries(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let files: Vec<&str> = files.iter().filter_map(|file| file.to_str()).collect();
    let listing = output("ldd", &files);
    listing
        .split_whitespace()
        .filter(|word| word.starts_with('/') && !word.ends_with(':'))
        .map(PathBuf::from)
        .collect()
}

/// Where a file of the machine is in the guest: below `usr`, as on machines whose `/lib` is a link.
fn within(path: &Path) -> PathBuf {
    let directory = path.parent().and_then(|parent| parent.canonicalize().ok()).unwrap_or_default();
    let place = directory.join(path.file_name().unwrap_or_default());
    let place = place.strip_prefix("/").unwrap_or(&place);
    if place.starts_with("usr") { place.to_owned() } else { Path::new("usr").join(place) }
}

/// Changes when any of the files does.
fn digest(sources: &BTreeSet<Source>) -> String {
    let mut hasher = Sha256::new();
    for (from, to) in sources {
        let metadata =
            fs::metadata(from).unwrap_or_else(|error| panic!("look at {}: {error}", from.display()));
        hasher.update(format!(
            "{} {} {} {}\n",
            to.display(),
            metadata.len(),
            metadata.mtime(),
            metadata.mode()
        ));
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn copy_all(sources: &BTreeSet<Source>, root: &Path) -> io::Result<()> {
    let make = |path: &Path| fs::DirBuilder::new().recursive(true).mode(0o755).create(path);
    for directory in EMPTY {
        make(&root.join(directory))?;
    }
    for (from, to) in sources {
        let to = root.join(to);
        make(to.parent().unwrap_or(root))?;
        fs::copy(from, &to)?;
    }
    for (name, to) in [("bin", "usr/bin"), ("sbin", "usr/bin"), ("lib", "usr/lib"), ("lib64", "usr/lib64")] {
        symlink(to, root.join(name))?;
    }
    make(&root.join("tmp"))?;
    fs::set_permissions(root.join("tmp"), fs::Permissions::from_mode(0o1777))?;
    fs::write(
        root.join("etc/passwd"),
        "guild:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    )?;
    fs::write(root.join("etc/group"), "guild:x:1000:\nnogroup:x:65534:\n")
}

#[track_caller]
fn output(program: &str, arguments: &[&str]) -> String {
    #[expect(clippy::disallowed_methods, reason = "asks programs of this machine about themselves")]
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("start {program}: {error}"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
