//! A PostgreSQL of one's own: a fresh cluster in a temporary directory, reached by a socket in it, gone with the value.
//!
//! It uses the programs that Debian's packages bring and installs nothing; `./test` does that. The server does not sync its
//! files: it is never killed before its test is over.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;

const PROGRAMS: &str = "/usr/lib/postgresql";
const USER: &str = "guild";

/// Whom the server runs as when the tests run as root, which it refuses to: `nobody`.
const UNPRIVILEGED: u32 = 65534;

/// A server that runs until this value is dropped.
#[derive(Debug)]
pub struct Postgres {
    directory: TempDir,
    programs: PathBuf,
    server: Child,
}

impl Postgres {
    /// Makes a cluster and starts a server on it.
    #[track_caller]
    pub fn start() -> Self {
        let programs = programs();
        let directory = tempfile::tempdir().expect("make a directory for PostgreSQL");
        if geteuid().is_root() {
            let owner = Some(UNPRIVILEGED);
            chown(directory.path(), owner, owner).expect("give the directory to another user");
        }
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700))
            .expect("close the directory");
        make_cluster(&programs, directory.path());
        let server = serve(&programs, directory.path());
        Self { directory, programs, server }
    }

    /// Makes an empty database and gives its URL.
    #[track_caller]
    pub fn database(&self, name: &str) -> String {
        let mut command = command(&self.programs, "createdb");
        command.arg("-h").arg(self.directory.path()).args(["-U", USER, name]);
        expect_success(command);
        format!("postgres://{USER}@localhost/{name}?host={}", self.directory.path().display())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It ends at once and takes its children with it; one that has ended already cannot be told to.
        let pid = i32::try_from(self.server.id()).ok().and_then(Pid::from_raw);
        let _ = pid.map(|pid| kill_process(pid, Signal::QUIT));
        let _ = self.server.wait();
    }
}

/// The directory with the newest release's programs.
#[track_caller]
fn programs() -> PathBuf {
    let releases = fs::read_dir(PROGRAMS).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = releases.filter(|path| path.join("bin/initdb").exists()).max_by_key(number);
    newest
        .unwrap_or_else(|| {
            panic!("no PostgreSQL below {PROGRAMS}: run ./test or install the package postgresql")
        })
        .join("bin")
}

#[track_caller]
fn make_cluster(programs: &Path, directory: &Path) {
    let mut command = command(programs, "initdb");
    command.arg("-D").arg(directory.join("data"));
    command.args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]);
    expect_success(command);
}

/// Starts the server and waits until it says that it is ready.
#[track_caller]
fn serve(programs: &Path, directory: &Path) -> Child {
    let mut command = command(programs, "postgres");
    command.arg("-D").arg(directory.join("data")).arg("-k").arg(directory);
    command.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "log_min_messages=log"]);
    let mut server = command.stderr(Stdio::piped()).spawn().expect("start PostgreSQL");
    let mut log = BufReader::new(server.stderr.take().expect("read PostgreSQL's log"));
    let mut said = String::new();
    while !said.contains("ready to accept connections") {
        let from = said.len();
        let read = log.read_line(&mut said).expect("read PostgreSQL's log");
        assert!(read > 0, "PostgreSQL ended: {}", &said[from.saturating_sub(2000)..]);
    }
    // Somebody has to read on, lest the server wait on a full pipe.
    thread::spawn(move || log.lines().map_while(Result::ok).for_each(drop));
    server
}

/// One of PostgreSQL's programs, as a user that it accepts, and ended with this thread.
fn command(programs: &Path, name: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a test on a real database has to start it")]
    let mut command = Command::new("setpriv");
    if geteuid().is_root() {
        command.args([format!("--reuid={UNPRIVILEGED}"), format!("--regid={UNPRIVILEGED}")]);
        command.arg("--clear-groups");
    }
    command.args(["--pdeathsig=QUIT", "--"]).arg(programs.join(name));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

#[track_caller]
fn expect_success(mut command: Command) {
    let output =
        command.stderr(Stdio::piped()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_databases_and_is_gone_with_the_value() {
        let server = Postgres::start();
        let directory = server.directory.path().to_owned();
        let mut query = command(&server.programs, "psql");
        query.args(["-h", directory.to_str().unwrap(), "-U", USER, "-c", "SELECT 1"]);
        assert!(server.database("one").starts_with("postgres://guild@localhost/one?host=/"));
        expect_success({
            query.arg("one");
            query
        });
        let pid = server.server.id();
        drop(server);
        assert!(!directory.exists() && !Path::new(&format!("/proc/{pid}")).exists());
    }
}
