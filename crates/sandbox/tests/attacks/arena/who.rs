//! Who attacks: root, or an ordinary user, for whom root starts this test again with cgroups of that user's own.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::{A_MINUTE, Arena, engine};

/// What a test does in an arena.
pub(crate) type Attack = fn(&Arena);

/// A user that nobody is.
const ORDINARY: u32 = 54321;

/// A group that somebody may be in besides.
pub(crate) const SHARED: u32 = 54322;

/// Attacks every backend as root.
pub(crate) fn as_root(attack: Attack) {
    assert!(is_root(), "this test needs root: without, select what can run by name, with -E 'test(as_user)'");
    attack_all(attack);
}

/// Attacks every backend as an ordinary user; root starts this test, of this name, again as one.
pub(crate) fn as_user(attack: Attack, test: &str) {
    if is_root() {
        let delegated = Delegated::new();
        start_again(test, delegated.doors.clone(), &[]);
    } else {
        attack_all(attack);
    }
}

/// The same for a user who is in one more group, [`SHARED`].
pub(crate) fn as_user_who_shares(attack: Attack, test: &str) {
    if is_root() {
        let delegated = Delegated::new();
        start_again(test, delegated.doors.clone(), &[SHARED]);
    } else {
        attack_all(attack);
    }
}

/// The same for a user to whom no cgroups are delegated, which takes root.
pub(crate) fn as_user_without_cgroups(attack: Attack, test: &str) {
    if is_root() {
        start_again(test, Vec::new(), &[]);
    } else {
        attack_all(attack);
    }
}

/// Whether this process is root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// This test program, to be started again for one test in a role that the environment names.
pub(crate) fn started_as(role: &str, test: &str) -> Command {
    let mut command = Command::new("/proc/self/exe");
    let test = test.strip_prefix("attacks::").unwrap_or(test);
    command.args(["--exact", test, "--nocapture"]).env("GUILD_ATTACK_ROLE", role);
    command
}

/// What is attacked, divided by commas.
fn backends() -> String {
    std::env::var("GUILD_ATTACK_BACKENDS").unwrap_or_else(|_| "embedded".to_owned())
}

fn attack_all(attack: Attack) {
    for backend in backends().split(',') {
        // Said here so that a failure tells which it was.
        eprintln!("attacked: {backend}");
        attack(&Arena::of(backend));
    }
}

fn start_again(test: &str, doors: Vec<PathBuf>, groups: &'static [u32]) {
    let mut command = started_as("user", test);
    command.current_dir("/").envs(engine::lend(&backends(), ORDINARY));
    let become_ordinary = move || {
        for door in &doors {
            fs::write(door, "0")?;
        }
        let (uid, gid) = (ORDINARY, ORDINARY);
        // SAFETY: the list has as many groups as is said, and is there for ever.
        let done = unsafe {
            libc::setgroups(groups.len(), groups.as_ptr()) == 0
                && libc::setresgid(gid, gid, gid) == 0
                && libc::setresuid(uid, uid, uid) == 0
        };
        if done { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: this process's other threads wait for the test, and hold no lock that writing a file needs.
    unsafe { command.pre_exec(become_ordinary) };
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "as an ordinary user: {said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Cgroups that belong to the ordinary user for the time of one test.
struct Delegated {
    directories: Vec<PathBuf>,
    /// Files by which a process enters them.
    doors: Vec<PathBuf>,
}

impl Delegated {
    fn new() -> Delegated {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap();
        let name = format!("attack-{}", std::process::id());
        let mut delegated = Delegated { directories: Vec::new(), doors: Vec::new() };
        for (point, options) in hierarchies("cgroup") {
            let needed = |controller: &str| ["memory", "pids", "cpu", "cpuacct"].contains(&controller);
            if let Some(controller) = options.split(',').find(|option| needed(option)) {
                let directory = place(&point, &own, controller).join(&name);
                delegated.give(&directory, &["tasks", "cgroup.procs"]);
                delegated.doors.push(directory.join("tasks"));
            }
        }
        if delegated.doors.is_empty() {
            delegated.give_version_2(&own, &name);
        }
        delegated
    }

    /// One directory with all controllers, and one in it to be in, since processes and controllers do not go together.
    fn give_version_2(&mut self, own: &str, name: &str) {
        let (point, _) = hierarchies("cgroup2").into_iter().next().expect("no cgroups are mounted");
        let above = place(&point, own, "");
        for controller in ["+memory", "+pids", "+cpu"] {
            fs::write(above.join("cgroup.subtree_control"), controller).unwrap();
        }
        let directory = above.join(name);
        self.give(&directory, &["cgroup.procs", "cgroup.subtree_control"]);
        self.give(&directory.join("launcher"), &["cgroup.procs"]);
        self.doors.push(directory.join("launcher/cgroup.procs"));
    }

    fn give(&mut self, directory: &Path, files: &[&str]) {
        fs::create_dir(directory).unwrap();
        self.directories.push(directory.to_owned());
        for path in files.iter().map(|file| directory.join(file)).chain([directory.to_owned()]) {
            std::os::unix::fs::chown(path, Some(ORDINARY), Some(ORDINARY)).unwrap();
        }
    }
}

impl Drop for Delegated {
    fn drop(&mut self) {
        for directory in self.directories.iter().rev() {
            let begun = Instant::now();
            // A test that drops a child and ends leaves the kernel a moment's work, and the cgroup to the next start.
            while let Err(error) = remove(directory) {
                if begun.elapsed() > A_MINUTE {
                    assert!(std::thread::panicking(), "{} is still in use: {error}", directory.display());
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

fn remove(directory: &Path) -> std::io::Result<()> {
    for within in fs::read_dir(directory).into_iter().flatten().flatten() {
        if within.file_type()?.is_dir() {
            remove(&within.path())?;
        }
    }
    fs::remove_dir(directory)
}

/// Mount points and options of the file systems of this kind.
fn hierarchies(kind: &str) -> Vec<(PathBuf, String)> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let parse = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        (after.next() == Some(kind))
            .then(|| (before.split(' ').nth(4).unwrap().into(), after.nth(1).unwrap_or("").to_owned()))
    };
    mounts.lines().filter_map(parse).collect()
}

/// This process's own directory in the hierarchy with this controller.
fn place(point: &Path, own: &str, controller: &str) -> PathBuf {
    let line = own.lines().find(|line| {
        line.split(':').nth(1).is_some_and(|names| names.split(',').any(|name| name == controller))
    });
    point.join(line.unwrap().splitn(3, ':').nth(2).unwrap().trim_start_matches('/'))
}
