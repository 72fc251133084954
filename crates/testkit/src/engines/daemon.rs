//! One daemon for all tests of a run: whoever needs it first starts it, and it stops itself when nobody has needed it for a while.
//!
//! Images and containers lie in `target/engines/NAME`, so that the next run finds the images; sockets lie in a directory with a short
//! path, because the system cuts theirs. Two files are locked. `NAME.in-use` is held, shared, by every test that uses the daemon; the
//! daemon's keeper, a script, stops it when it could hold the file alone for two minutes, and holds it while it does so.
//! `NAME.starting` is held by the test that looks whether the daemon answers and starts it if it does not. `./test` does not wait
//! that long: it ends the keepers by the process numbers in `NAME.pid`.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use crate::below_target;

/// How long a daemon may take to answer after its start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the daemon in its arguments, and stops it when it is told to or not needed.
const KEEPER: &str = r#"
    in_use=$1 pid=$2 data=$3 run=$4; shift 4
    "$@" </dev/null &
    daemon=$!
    echo $$ > "$pid"
    # Engines leave mounts of their own behind, below which nothing can be removed.
    mounts() { awk -v d="$data/" -v r="$run/" 'index($2, d) == 1 || index($2, r) == 1 { print $2 }' /proc/mounts | sort -r; }
    # An ordinary user's Podman leaves a process behind that keeps its namespaces, and if it was killed its own other half.
    clean() {
        trap '' TERM
        kill 0
        [ ! -f "$run/tmp/pause.pid" ] || kill "$(cat "$run/tmp/pause.pid")"
        mounts | while read -r point; do umount "$point"; done
        rm -rf --one-file-system "$pid" "$run"
    }
    stop() { kill "$daemon"; wait "$daemon"; clean; exit; }
    trap stop TERM INT
    exec 9>> "$in_use"
    unused=0
    while kill -0 "$daemon" 2>/dev/null; do
        sleep 5 9>&- & wait $!
        if flock --nonblock --exclusive 9; then
            unused=$((unused + 1))
            [ "$unused" -lt 24 ] || stop
            flock --unlock 9
        else
            unused=0
        fi
    done
    clean
"#;

/// How a daemon is started.
pub(super) struct Recipe {
    name: &'static str,
    /// What lasts.
    data: PathBuf,
    /// What does not, with a short path.
    run: PathBuf,
    /// Where it listens.
    pub(super) socket: PathBuf,
    arguments: Vec<OsString>,
    /// Whom its directory for sockets belongs to, if not this user.
    pub(super) owner: Option<u32>,
}

impl Recipe {
    /// A daemon of this name, started with the arguments that are made of its directories and its socket.
    #[track_caller]
    pub(super) fn new(
        name: &'static str,
        arguments: impl Fn(&Path, &Path, &Path) -> Vec<OsString>,
    ) -> Recipe {
        let data = below_target("engines").join(name);
        let digest = Sha256::digest(data.as_os_str().as_bytes());
        let number: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let run = PathBuf::from(format!("/tmp/guild-{name}-{number}"));
        let socket = run.join("socket");
        Recipe { name, arguments: arguments(&data, &run, &socket), data, run, socket, owner: None }
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.data.with_extension(extension)
    }
}

/// Makes sure that the daemon answers. It does as long as the file is open.
#[track_caller]
pub(super) fn ensure(recipe: &Recipe) -> File {
    fs::create_dir_all(&recipe.data)
        .unwrap_or_else(|error| panic!("make {}: {error}", recipe.data.display()));
    let in_use = locked(&recipe.file("in-use"), FlockOperation::LockShared);
    let _starting = locked(&recipe.file("starting"), FlockOperation::LockExclusive);
    if !answers(&recipe.socket) {
        start(recipe);
    }
    in_use
}

#[track_caller]
fn locked(path: &Path, operation: FlockOperation) -> File {
    let file = File::options().create(true).append(true).open(path);
    let file = file.unwrap_or_else(|error| panic!("open {}: {error}", path.display()));
    flock(&file, operation).unwrap_or_else(|error| panic!("lock {}: {error}", path.display()));
    file
}

#[track_caller]
fn start(recipe: &Recipe) {
    make_directories(recipe).unwrap_or_else(|error| panic!("make {}: {error}", recipe.run.display()));
    let log = File::create(recipe.file("log")).expect("make the daemon's log");
    #[expect(clippy::disallowed_methods, reason = "tests start what they are run against")]
    let mut shell = Command::new("sh");
    #[expect(
        clippy::zombie_processes,
        reason = "the keeper outlives this test, and whoever adopts it waits for it"
    )]
    let mut keeper = shell
        .args(["-c", KEEPER, recipe.name])
        .args([&recipe.file("in-use"), &recipe.file("pid"), &recipe.data, &recipe.run])
        .args(&recipe.arguments)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("share the daemon's log"))
        .stderr(log)
        .spawn()
        .expect("start a shell");
    let begun = Instant::now();
    while !answers(&recipe.socket) {
        let ended = keeper.try_wait().expect("ask after the daemon").is_some();
        if ended || begun.elapsed() > PATIENCE {
            let log = fs::read_to_string(recipe.file("log")).unwrap_or_default();
            panic!(
                "{} does not start; it needs root and its packages, which ./test installs\n{log}",
                recipe.name
            );
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// A directory for sockets that nobody else can have made.
fn make_directories(recipe: &Recipe) -> io::Result<()> {
    let _ = fs::remove_dir_all(&recipe.run);
    DirBuilder::new().mode(0o711).create(&recipe.run)?;
    if recipe.owner.is_some() {
        chown(&recipe.run, recipe.owner, recipe.owner)?;
    }
    Ok(())
}

/// Whether somebody answers a request there.
fn answers(socket: &Path) -> bool {
    let ask = || -> io::Result<bool> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(b"GET /_ping HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        Ok(answer.ends_with(b"200"))
    };
    ask().unwrap_or(false)
}
