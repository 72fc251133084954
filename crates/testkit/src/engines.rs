//! Docker and Podman for tests: real ones from the machine's packages, started by hand in directories of their own.
//!
//! Every test is a process of its own, so the first one that asks starts an engine and the others use it. It has no network and no
//! service manager, and touches neither an engine that the machine has nor that one's data. See `daemon` for who stops it.
//!
//! Root is needed, and the packages `docker.io`, `podman`, `runc` and what they want; `./test` installs them. Without either a test
//! fails: it does not pass by not running.

mod daemon;

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use daemon::Recipe;

/// Docker's daemon, for as long as this value lives.
#[derive(Debug)]
pub struct Docker {
    socket: PathBuf,
    _in_use: File,
}

/// Podman's service, for as long as this value lives.
#[derive(Debug)]
pub struct Podman {
    socket: PathBuf,
    _in_use: File,
}

impl Docker {
    /// The daemon, started unless it runs.
    #[track_caller]
    pub fn start() -> Docker {
        let recipe = Recipe::new("docker", |data, run, socket| {
            let mut arguments: Vec<OsString> = vec!["dockerd".into(), "--host".into(), unix(socket)];
            arguments.extend([
                "--data-root".into(),
                data.into(),
                "--exec-root".into(),
                run.join("exec").into(),
            ]);
            arguments.extend(["--pidfile".into(), run.join("dockerd.pid").into()]);
            // No privilege to raise its score, and no business with this machine's network.
            arguments
                .extend(["--oom-score-adjust=0", "--iptables=false", "--ip6tables=false"].map(Into::into));
            arguments.extend(["--ip-forward=false", "--bridge=none"].map(Into::into));
            arguments
        });
        Docker { _in_use: daemon::ensure(&recipe), socket: recipe.socket }
    }

    /// Its address, as `DOCKER_HOST` has it.
    pub fn host(&self) -> String {
        format!("unix://{}", self.socket.display())
    }

    /// Lets a user in whom nobody else is, as members of an administrator's group are let in elsewhere.
    #[track_caller]
    pub fn lend(&self, user: u32) {
        lend(&self.socket, user);
    }
}

impl Podman {
    /// The service, started unless it runs, with root's privileges.
    #[track_caller]
    pub fn start() -> Podman {
        let recipe = Recipe::new("podman", podman);
        Podman { _in_use: daemon::ensure(&recipe), socket: recipe.socket }
    }

    /// A service of a user without privileges: one that can be asked what it is, and has no users to run containers as.
    #[track_caller]
    pub fn rootless() -> Podman {
        let mut recipe = Recipe::new("rootless", |_, run, socket| {
            let set = |name: &str, value: &Path| {
                let mut variable = OsString::from(format!("{name}="));
                variable.push(value);
                variable
            };
            let who = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env"];
            let mut arguments: Vec<OsString> = who.map(Into::into).to_vec();
            arguments.extend([set("HOME", run), set("XDG_RUNTIME_DIR", run)]);
            // Below `target` it may not even look.
            arguments.extend(podman(&run.join("data"), run, socket));
            arguments
        });
        recipe.owner = Some(65534);
        Podman { _in_use: daemon::ensure(&recipe), socket: recipe.socket }
    }

    /// Its address, as `CONTAINER_HOST` has it.
    pub fn host(&self) -> String {
        format!("unix://{}", self.socket.display())
    }

    /// Lets a user in whom nobody else is, as members of an administrator's group are let in elsewhere.
    #[track_caller]
    pub fn lend(&self, user: u32) {
        lend(&self.socket, user);
    }
}

fn podman(data: &Path, run: &Path, socket: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["podman".into(), "--root".into(), data.into()];
    arguments.extend([
        "--runroot".into(),
        run.join("runroot").into(),
        "--tmpdir".into(),
        run.join("tmp").into(),
    ]);
    // Neither systemd nor a journal is asked for; crun refuses machines with both versions of cgroups.
    arguments
        .extend(["--cgroup-manager=cgroupfs", "--events-backend=none", "--runtime=runc"].map(Into::into));
    arguments.extend(["system".into(), "service".into(), "--time=0".into(), unix(socket)]);
    arguments
}

/// The socket is the user's alone, and its directory can be passed through.
#[track_caller]
fn lend(socket: &Path, user: u32) {
    let passable = fs::Permissions::from_mode(0o711);
    let run = socket.parent().expect("sockets lie in a directory");
    let lent = fs::set_permissions(run, passable).and_then(|()| chown(socket, Some(user), None));
    lent.unwrap_or_else(|error| panic!("lend {}: {error}", socket.display()));
}

fn unix(socket: &Path) -> OsString {
    let mut address = OsString::from("unix://");
    address.push(socket);
    address
}
