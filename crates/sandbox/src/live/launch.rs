//! Starting a supervisor: a process of its own that no terminal and no parent takes with it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::ceiling::{Ceilings, OverCeiling};
use super::record::{ContainerId, Record};
use super::registry::{Registry, RegistryError, at};
use super::supervise::Said;
use crate::backend::LaunchError;

/// How to start a supervisor: a program that calls [`super::supervise()`] with the directory that it gets as its last argument.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, before the directory.
    pub arguments: Vec<OsString>,
}

/// Why a container that lives on was not launched.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its owner has too much already.
    #[error(transparent)]
    OverCeiling(#[from] OverCeiling),
    /// The registry cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The supervisor could not be started.
    #[error("cannot start a supervisor")]
    Supervisor(#[source] io::Error),
    /// The supervisor could not make the container.
    #[error(transparent)]
    Refused(#[from] LaunchError),
}

impl Registry {
    /// Launches a container and waits until it is ready.
    pub fn launch(
        &self,
        supervisor: &Supervisor,
        record: &Record,
        ceilings: &Ceilings,
    ) -> Result<Record, StartError> {
        // Held until the new container has its own lock, so that two launches at once cannot both fit under the ceiling.
        let _held = self.hold_all()?;
        ceilings.allow(&record.owner, &self.living()?, &record.policy.limits)?;
        self.make_place(&record.id)?;
        let started =
            self.write(record).map_err(StartError::from).and_then(|()| self.start(supervisor, &record.id));
        match started {
            Ok(()) => Ok(self.get(&record.id)?),
            Err(error) => {
                self.forget(&record.id);
                Err(error)
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
    fn start(&self, supervisor: &Supervisor, id: &ContainerId) -> Result<(), StartError> {
        let place = self.place(id);
        let log = place.join("log");
        let log = fs::File::create(&log).map_err(|source| at(&log, source))?;
        let mut command = Command::new(&supervisor.program);
        command.args(&supervisor.arguments).arg(&place);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        // SAFETY: `setsid` may be called between fork and exec.
        unsafe { command.pre_exec(|| rustix::process::setsid().map(drop).map_err(Into::into)) };
        let mut process = command.spawn().map_err(StartError::Supervisor)?;
        let mut said = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut said).map_err(StartError::Supervisor)?;
        }
        match serde_json::from_str(&said) {
            Ok(Said::Ready) => Ok(()),
            Ok(Said::Refused { kind, message }) => Err(LaunchError::Elsewhere { kind, message }.into()),
            Err(_) => Err(StartError::Supervisor(io::Error::other("it ended before it was ready"))),
        }
    }
}
