//! Where attacks take place: a backend, the policy to attack, and a directory of the host's to fight over.

mod engine;
mod outside;
mod python;
mod who;
mod witness;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_sandbox::{
    Access, Backend, Command, Container, Embedded, Feature, LaunchError, Mount, Outcome, Policy, Scratch,
    Surroundings,
};

pub(crate) use outside::{cgroups_of, mount_lines, own_mounts, python_outside, resident_peak};
pub(crate) use who::{
    SHARED, as_root, as_user, as_user_who_shares, as_user_without_cgroups, is_root, started_as,
};
pub(crate) use witness::Witness;

/// Declares attacks, each of which becomes one test as root and one as an ordinary user.
macro_rules! attacks {
    ($(fn $name:ident($arena:ident) $attack:block)*) => {
        $(fn $name($arena: &crate::arena::Arena) $attack)*

        mod as_root {
            $(#[test]
            fn $name() {
                crate::arena::as_root(super::$name);
            })*
        }

        mod as_user {
            $(#[test]
            fn $name() {
                crate::arena::as_user(super::$name, concat!(module_path!(), "::", stringify!($name)));
            })*
        }
    };
}

/// Declares attacks that need root outside, for whatever they prepare.
macro_rules! attacks_on_root {
    ($(fn $name:ident($arena:ident) $attack:block)*) => {
        $(fn $name($arena: &crate::arena::Arena) $attack)*

        mod as_root_alone {
            $(#[test]
            fn $name() {
                crate::arena::as_root(super::$name);
            })*
        }
    };
}

/// One backend, and what an attack needs around it.
pub(crate) struct Arena {
    backend: Box<dyn Backend>,
    policy: Policy,
    runtime: tokio::runtime::Runtime,
    directory: tempfile::TempDir,
}

impl Arena {
    /// The arena of the backend with this name. One line for each backend there is.
    fn of(name: &str) -> Arena {
        let directory = tempfile::tempdir().unwrap();
        let backend: Box<dyn Backend> = match name {
            "embedded" => Box::new(Embedded::new(&Surroundings::default())),
            "docker" | "podman" => engine::open(name, directory.path()),
            _ => panic!("GUILD_ATTACK_BACKENDS names `{name}`, which is no backend"),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // As roomy as people's workspaces are.
        std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
        Arena { backend, policy: Policy::default(), runtime, directory }
    }

    /// Whether it is our own runtime. Engines have other walls in some places, which an attack on them then meets.
    pub(crate) fn is_embedded(&self) -> bool {
        self.backend.name() == "embedded"
    }

    /// One of two expectations, where the walls differ and neither is lower.
    pub(crate) fn expecting<T>(&self, embedded: T, engine: T) -> T {
        if self.is_embedded() { embedded } else { engine }
    }

    /// Who the command is, inside, where the policy says `asked`: an engine lets an ordinary user be nobody else.
    pub(crate) fn user(&self, asked: u32) -> u32 {
        if self.is_embedded() || is_root() { asked } else { rustix::process::geteuid().as_raw() }
    }

    /// This many rounds, or fewer where a launch takes an engine's time.
    pub(crate) fn rounds(&self, number: u64) -> u64 {
        if self.is_embedded() { rounds(number) } else { rounds(number).div_ceil(10) }
    }

    /// Where what was written over a directory lies that is mounted with `layer` as its layer.
    pub(crate) fn written(&self, path: &str) -> PathBuf {
        let content =
            if self.backend.takes_overlay_of(&self.directory_of("workspace")) { "upper" } else { "copy" };
        self.directory_of("layer").join(content).join(path)
    }

    /// Whether the backend refuses mounts for one command alone, as engines have to. Whoever does not refuse has to make them.
    #[track_caller]
    pub(crate) fn refuses_mounts_of_a_command(&self, container: &dyn Container, mounts: &[Mount]) -> bool {
        if self.is_embedded() {
            return false;
        }
        let refused = self.wait(container.exec(&bash("echo launched"), mounts, A_MINUTE));
        assert!(
            matches!(refused, Err(LaunchError::Unsupported { feature: Feature::Mounts, .. })),
            "{refused:?}"
        );
        true
    }

    /// The backend that is attacked.
    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// What containers are given, unless an attack changes it.
    pub(crate) fn policy(&self) -> Policy {
        let mut policy = self.policy.clone();
        policy.limits.timeout = Duration::from_secs(60);
        policy
    }

    /// The same with a directory of the host mounted.
    pub(crate) fn with_mount(&self, source: &Path, target: &str, access: Access) -> Policy {
        let mut policy = self.policy();
        policy.mounts.push(Mount { source: source.to_owned(), target: target.into(), access });
        policy
    }

    /// The same with what is left in `/output` kept.
    pub(crate) fn keeping(&self, to: &Path) -> Policy {
        let mut policy = self.policy();
        let keep = Some(to.to_owned());
        for scratch in policy.scratch.iter_mut().filter(|scratch| scratch.target == Path::new("/output")) {
            *scratch = Scratch { keep: keep.clone(), ..scratch.clone() };
        }
        policy
    }

    /// A new directory of the host's.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let path = self.directory_of(name);
        std::fs::create_dir(&path).unwrap();
        self.give_away(&path);
        path
    }

    /// Gives something of the host's to the container's user where that one is the same inside and outside, as with engines.
    pub(crate) fn give_away(&self, path: &Path) {
        if !self.is_embedded() && is_root() {
            std::os::unix::fs::chown(path, Some(self.policy.user), Some(self.policy.user)).unwrap();
        }
    }

    /// Where a directory of this name lies, or would.
    pub(crate) fn directory_of(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A new file of the host's that nobody inside should be able to read or write.
    pub(crate) fn canary(&self) -> PathBuf {
        let path = self.directory.path().join("canary");
        std::fs::write(&path, CANARY).unwrap();
        path
    }

    /// Fails unless the canary is as it was.
    #[track_caller]
    pub(crate) fn check_canary(&self) {
        assert_eq!(std::fs::read_to_string(self.directory.path().join("canary")).unwrap(), CANARY);
    }

    /// Waits for an answer.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Runs a command to its end, or says why it was not run.
    pub(crate) fn try_run(&self, policy: &Policy, command: &Command) -> Result<Outcome, LaunchError> {
        self.wait(async { self.backend.launch(policy, command).await?.wait().await })
    }

    /// Runs a command to its end.
    #[track_caller]
    pub(crate) fn run(&self, policy: &Policy, command: &Command) -> Outcome {
        self.try_run(policy, command).unwrap()
    }

    /// Starts a container that waits for commands.
    #[track_caller]
    pub(crate) fn start(&self, policy: &Policy) -> Box<dyn Container> {
        self.wait(self.backend.start(policy)).unwrap()
    }

    /// Runs a command in a container to its end.
    #[track_caller]
    pub(crate) fn exec(&self, container: &dyn Container, command: &Command, mounts: &[Mount]) -> Outcome {
        self.wait(async { container.exec(command, mounts, A_MINUTE).await?.wait().await }).unwrap()
    }

    /// Runs a script of the shell, and fails unless it says this.
    #[track_caller]
    pub(crate) fn bash(&self, script: &str, expected: &str) {
        check(&self.run(&self.policy(), &bash(script)), expected);
    }

    /// Runs a script of Python's, and fails unless it says this.
    #[track_caller]
    pub(crate) fn python(&self, script: &str, expected: &str) {
        check(&self.run(&self.policy(), &python(script)), expected);
    }
}

impl Drop for Arena {
    /// An overlay's work directory is closed to everybody, and would keep the arena's own from being removed.
    fn drop(&mut self) {
        let _ =
            std::fs::set_permissions(self.directory_of("layer/work/work"), PermissionsExt::from_mode(0o700));
    }
}

/// A time-out long enough for a container to start and too short for what attackers would like.
pub(crate) fn a_moment() -> Duration {
    Duration::from_secs(if is_slow() { 10 } else { 1 })
}

/// This many rounds, or fewer on a machine that is emulated.
pub(crate) fn rounds(number: u64) -> u64 {
    if is_slow() { number / 10 } else { number }
}

/// Machines that `cargo xtask vm-test` makes may be emulated, which is slow.
fn is_slow() -> bool {
    std::env::var_os("GUILD_VM").is_some()
}

/// A time that no attack should take.
pub(crate) const A_MINUTE: Duration = Duration::from_secs(60);

const CANARY: &str = "a secret of the host";

/// A script of the shell.
pub(crate) fn bash(script: &str) -> Command {
    Command::new("bash").args(["-c".into(), OsString::from(script)])
}

/// A script of Python's, which may use what [`python::PRELUDE`] defines.
pub(crate) fn python(script: &str) -> Command {
    Command::new("/usr/bin/python3").args(["-I".into(), "-c".into(), OsString::from(python::script(script))])
}

/// Fails unless a script came to its end and said this.
#[track_caller]
pub(crate) fn check(outcome: &Outcome, expected: &str) {
    let said = outcome.stdout.text();
    assert_eq!(said.trim_end(), expected, "{:?}, which said: {}", outcome.status, outcome.stderr.text());
}
