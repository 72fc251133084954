//! A cgroup from systemd: a transient scope that is delegated to us, with this process in it.
//!
//! A user's systemd is asked at the bus of the user's session, or at its own socket where there is no bus; root asks the machine's.
//! The few messages are written by hand (`message`, `bus`): of the crates for D-Bus `dbus` needs a C library, `rustbus` brings 15
//! others and `zbus` 85. Scopes are never stopped here: systemd removes them when the last process has left.

mod bus;
mod message;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::probe::Finding;
use crate::surroundings::Surroundings;
use bus::{Bus, BusError};
use message::{Argument, Method, Property};

/// How long a scope may take. systemd gives one in milliseconds; a machine that is starting up may take longer.
const PATIENCE: Duration = Duration::from_secs(10);

const BUS: &str = "org.freedesktop.DBus";
const SYSTEMD: &str = "org.freedesktop.systemd1";
const MANAGER: &str = "org.freedesktop.systemd1.Manager";

const JOBS: &str = "type='signal',sender='org.freedesktop.systemd1',interface='org.freedesktop.systemd1.Manager',member='JobRemoved'";

/// A systemd that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manager {
    socket: Socket,
    user: u32,
}

/// Where a systemd is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Socket {
    path: PathBuf,
    line: Line,
}

/// What is at the other end of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// A bus that others are on too.
    Bus,
    /// systemd itself.
    Direct,
}

/// Why systemd gave no scope.
#[derive(Debug, thiserror::Error)]
enum ScopeError {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error("its job ended as `{result}`")]
    Job { result: String },
}

impl Manager {
    /// The systemd that gives this user scopes, or why there is none.
    pub(super) fn find(surroundings: &Surroundings) -> Result<Manager, Finding> {
        let user = rustix::process::geteuid().as_raw();
        let booted = Path::new("/run/systemd/system").exists();
        let mut sockets = sockets(user, surroundings.runtime_dir.as_deref());
        // Other systems have buses too, and nobody on them who gives scopes.
        sockets.retain(|socket| booted || socket.line == Line::Direct);
        let found = search(sockets);
        found.map(|socket| Manager { socket, user }).map_err(|missed| missed.finding(user, booted))
    }

    /// Makes a scope with this process in it, and waits until it is there.
    pub(super) fn scope(&self, unit: &str) -> Result<(), Finding> {
        self.start_scope(unit).map_err(|error| {
            Finding::new(
                format!("the {} at {} gave no scope: {error}", title(self.user), self.socket.path.display()),
                "`systemctl status` may tell why; or use docker or podman",
            )
        })
    }

    /// Whether a unit is delegated to what runs in it. What cannot be found out is not.
    pub(super) fn delegates(&self, unit: &str) -> bool {
        let kind = match Path::new(unit).extension().and_then(|kind| kind.to_str()) {
            Some("scope") => "org.freedesktop.systemd1.Scope",
            Some("service") => "org.freedesktop.systemd1.Service",
            _ => return false,
        };
        let ask = || -> Result<bool, BusError> {
            let mut bus = self.open()?;
            let [path] = bus.call(manager("GetUnit"), &[Argument::Text(unit)])?.texts()?;
            let interface = "org.freedesktop.DBus.Properties";
            let get = Method { destination: SYSTEMD, path: &path, interface, member: "Get" };
            let answer = bus.call(get, &[Argument::Text(kind), Argument::Text("Delegate")])?;
            Ok(answer.wrapped_flag()?)
        };
        ask().unwrap_or(false)
    }

    /// The cgroup from which it gives, below the cgroup file system.
    pub(super) fn cgroup(&self) -> PathBuf {
        match self.user {
            0 => PathBuf::new(),
            user => format!("user.slice/user-{user}.slice/user@{user}.service").into(),
        }
    }

    /// Why its scopes do not serve: it has no such controller to hand on.
    pub(super) fn lacks(&self, controller: &str) -> Finding {
        Finding::new(
            format!("the {} lacks the controller {controller}", title(self.user)),
            "have an administrator write `[Service]` and `Delegate=cpu memory pids` to \
             /etc/systemd/system/user@.service.d/delegate.conf, and log in again; or use docker or podman",
        )
    }

    /// Why a scope that it made does not serve: this process is not in it.
    pub(super) fn misunderstood(&self, unit: &str) -> Finding {
        Finding::new(
            format!("the {} made {unit} for another process than this one", title(self.user)),
            "leave the container or the sandbox that you are in, or use docker or podman",
        )
    }

    fn start_scope(&self, unit: &str) -> Result<(), ScopeError> {
        let mut bus = self.open()?;
        if self.socket.line == Line::Bus {
            bus.call(bus_itself("AddMatch"), &[Argument::Text(JOBS)])?;
        }
        let properties = [
            ("Description", Property::Text("Containers of Guildhall")),
            ("Delegate", Property::Flag(true)),
            // Zero is whoever asks, as the kernel tells systemd: our own number may mean somebody else outside of a namespace.
            ("PIDs", Property::Numbers(&[0])),
            ("CollectMode", Property::Text("inactive-or-failed")),
        ];
        let arguments = [
            Argument::Text(unit),
            Argument::Text("fail"),
            Argument::Properties(&properties),
            Argument::NoUnits,
        ];
        let [job] = bus.call(manager("StartTransientUnit"), &arguments)?.texts().map_err(BusError::from)?;
        loop {
            let signal = bus.signal()?;
            if signal.member != "JobRemoved" {
                continue;
            }
            let [ended, _unit, result] = signal.texts_after_number().map_err(BusError::from)?;
            match result.as_str() {
                _ if ended != job => {}
                "done" => return Ok(()),
                _ => return Err(ScopeError::Job { result }),
            }
        }
    }

    fn open(&self) -> Result<Bus, BusError> {
        let mut bus = Bus::open(&self.socket.path, Instant::now() + PATIENCE)?;
        if self.socket.line == Line::Bus {
            bus.call(bus_itself("Hello"), &[])?;
        }
        Ok(bus)
    }
}

/// Sockets that were tried, and what came of the one that says most.
#[derive(Debug)]
struct Missed {
    first: PathBuf,
    /// A socket that is there, and does not answer.
    silent: Option<(PathBuf, io::Error)>,
}

impl Missed {
    fn finding(self, user: u32, booted: bool) -> Finding {
        let title = title(user);
        match self.silent {
            Some((path, error)) => Finding::new(
                format!("the {title} at {} does not answer: {error}", path.display()),
                "`systemctl status` may tell why; or use docker or podman",
            ),
            None if booted => Finding::new(
                format!("there is no {title} at {}", self.first.display()),
                "log in with a session of your own, or run `loginctl enable-linger`; or use docker or podman",
            ),
            None => Finding::new(
                "there is no systemd to ask for one",
                "have an administrator delegate a cgroup to you, or use docker or podman",
            ),
        }
    }
}

/// Where a user's systemd may be spoken to, the likeliest first.
fn sockets(user: u32, runtime_dir: Option<&Path>) -> Vec<Socket> {
    if user == 0 {
        return vec![
            Socket { path: "/run/dbus/system_bus_socket".into(), line: Line::Bus },
            Socket { path: "/run/systemd/private".into(), line: Line::Direct },
        ];
    }
    let usual = PathBuf::from(format!("/run/user/{user}"));
    // Whoever became another user may still have the first one's directory in the environment.
    let mut directories: Vec<&Path> = runtime_dir.into_iter().chain([usual.as_path()]).collect();
    directories.dedup();
    let both = |directory: &Path| {
        let bus = Socket { path: directory.join("bus"), line: Line::Bus };
        [bus, Socket { path: directory.join("systemd/private"), line: Line::Direct }]
    };
    directories.into_iter().flat_map(both).collect()
}

fn search(sockets: Vec<Socket>) -> Result<Socket, Missed> {
    let first = sockets.first().map(|socket| socket.path.clone()).unwrap_or_default();
    let mut missed = Missed { first, silent: None };
    for socket in sockets {
        match bus::reach(&socket.path, PATIENCE) {
            Ok(_) => return Ok(socket),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => missed.silent = missed.silent.or(Some((socket.path, error))),
        }
    }
    Err(missed)
}

fn title(user: u32) -> &'static str {
    if user == 0 { "system manager" } else { "user manager" }
}

fn manager(member: &'static str) -> Method<'static> {
    Method { destination: SYSTEMD, path: "/org/freedesktop/systemd1", interface: MANAGER, member }
}

fn bus_itself(member: &'static str) -> Method<'static> {
    Method { destination: BUS, path: "/org/freedesktop/DBus", interface: BUS, member }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::os::unix::net::UnixListener;

    #[track_caller]
    fn check_sockets(user: u32, runtime_dir: Option<&str>, expected: Expect) {
        let sockets = sockets(user, runtime_dir.map(Path::new));
        let shown: Vec<String> =
            sockets.iter().map(|socket| format!("{} {:?}", socket.path.display(), socket.line)).collect();
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn a_users_systemd_is_looked_for_on_the_bus_first() {
        check_sockets(
            1000,
            None,
            expect![[r#"
                /run/user/1000/bus Bus
                /run/user/1000/systemd/private Direct"#]],
        );
        check_sockets(
            1000,
            Some("/tmp/run"),
            expect![[r#"
                /tmp/run/bus Bus
                /tmp/run/systemd/private Direct
                /run/user/1000/bus Bus
                /run/user/1000/systemd/private Direct"#]],
        );
    }

    #[test]
    fn root_asks_the_machines_systemd() {
        check_sockets(
            0,
            Some("/run/user/0"),
            expect![[r#"
                /run/dbus/system_bus_socket Bus
                /run/systemd/private Direct"#]],
        );
    }

    /// What is found in a directory where `listening` are sockets, `dead` are sockets that nobody listens at.
    #[track_caller]
    fn check_search(listening: &[&str], dead: &[&str], booted: bool, expected: Expect) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("systemd")).unwrap();
        let listen = |name: &&str| UnixListener::bind(directory.path().join(name)).unwrap();
        let _listening: Vec<UnixListener> = listening.iter().map(listen).collect();
        dead.iter().for_each(|name| drop(listen(name)));
        let mut sockets = sockets(1000, Some(directory.path()));
        sockets.retain(|socket| socket.path.starts_with(directory.path()));
        let shown = match search(sockets) {
            Ok(socket) => format!("{} {:?}", socket.path.display(), socket.line),
            Err(missed) => {
                let Finding { cause, fix } = missed.finding(1000, booted);
                format!("{cause}\n{fix}")
            }
        };
        expected.assert_eq(&shown.replace(&*directory.path().to_string_lossy(), "[DIR]"));
    }

    #[test]
    fn systemds_own_socket_serves_where_there_is_no_bus() {
        check_search(&["bus", "systemd/private"], &[], true, expect!["[DIR]/bus Bus"]);
        check_search(&["systemd/private"], &[], true, expect!["[DIR]/systemd/private Direct"]);
        check_search(&["systemd/private"], &["bus"], true, expect!["[DIR]/systemd/private Direct"]);
    }

    #[test]
    fn where_none_answers_the_cause_is_told() {
        check_search(
            &[],
            &[],
            true,
            expect![[r#"
            there is no user manager at [DIR]/bus
            log in with a session of your own, or run `loginctl enable-linger`; or use docker or podman"#]],
        );
        check_search(
            &[],
            &["bus"],
            true,
            expect![[r#"
            the user manager at [DIR]/bus does not answer: Connection refused (os error 111)
            `systemctl status` may tell why; or use docker or podman"#]],
        );
        check_search(
            &[],
            &[],
            false,
            expect![[r#"
            there is no systemd to ask for one
            have an administrator delegate a cgroup to you, or use docker or podman"#]],
        );
    }
}
