//! A command in the form in which `execve` takes it.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{c_string, path};
use crate::backend::LaunchError;
use crate::command::Command;
use crate::embedded::sys::{Pointers, ignored_signals};
use crate::search::{self, Found};

/// A command, ready to be executed.
pub(in crate::embedded) struct Exec {
    /// Where the program may be, in the order in which to try.
    pub(in crate::embedded) candidates: Vec<CString>,
    /// Its arguments.
    pub(in crate::embedded) argv: Pointers,
    /// Its environment.
    pub(in crate::embedded) env: Pointers,
    /// Signals that it must not ignore because its launcher does.
    pub(in crate::embedded) ignored: u64,
    /// Where it starts.
    pub(in crate::embedded) cwd: CString,
    /// The program as it was asked for.
    pub(in crate::embedded) program: String,
    // What the pointers above point to.
    _strings: [Vec<CString>; 2],
}

impl Exec {
    /// Prepares a command, its environment laid over the policy's.
    pub(in crate::embedded) fn new(
        policy: &BTreeMap<String, String>,
        command: &Command,
    ) -> Result<Exec, LaunchError> {
        let Found { candidates, env, program } = search::find(policy, command)?;
        let argv: Vec<CString> =
            command.argv.iter().map(|arg| c_string(arg.as_bytes())).collect::<Result<_, _>>()?;
        let env: Vec<CString> =
            env.iter().map(|variable| c_string(variable.as_bytes())).collect::<Result<_, _>>()?;
        let candidates = candidates.iter().map(|candidate| c_string(candidate.as_bytes()));
        Ok(Exec {
            candidates: candidates.collect::<Result<_, _>>()?,
            argv: Pointers::to(&argv),
            env: Pointers::to(&env),
            ignored: ignored_signals(),
            cwd: path(&command.cwd)?,
            program,
            _strings: [argv, env],
        })
    }

    /// Where it starts, as it was asked for.
    pub(in crate::embedded) fn directory(&self) -> PathBuf {
        OsStr::from_bytes(self.cwd.as_bytes()).into()
    }
}
