//! A command in the form in which `execve` takes it.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;

use super::{c_string, invalid, path};
use crate::backend::LaunchError;
use crate::command::Command;
use crate::embedded::sys::{Pointers, ignored_signals};

/// Where programs are looked for when the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
        let program = command.argv.first().ok_or_else(|| invalid("there is no command to run".to_owned()))?;
        let argv: Vec<CString> =
            command.argv.iter().map(|arg| c_string(arg.as_bytes())).collect::<Result<_, _>>()?;
        let mut variables = policy.clone();
        variables.extend(command.env.clone());
        let search = variables.get("PATH").map_or(DEFAULT_PATH, String::as_str).to_owned();
        let env: Vec<CString> = variables.iter().map(variable).collect::<Result<_, _>>()?;
        Ok(Exec {
            candidates: candidates(program.as_bytes(), &search)?,
            argv: Pointers::to(&argv),
            env: Pointers::to(&env),
            ignored: ignored_signals(),
            cwd: path(&command.cwd)?,
            program: program.to_string_lossy().into_owned(),
            _strings: [argv, env],
        })
    }
}

fn variable((name, value): (&String, &String)) -> Result<CString, LaunchError> {
    if name.is_empty() || name.contains('=') {
        return Err(invalid(format!("`{name}` is no name of an environment variable")));
    }
    c_string(format!("{name}={value}").as_bytes())
}

/// A program with a slash is a path; any other is looked for in each directory of `search`.
fn candidates(program: &[u8], search: &str) -> Result<Vec<CString>, LaunchError> {
    if program.contains(&b'/') {
        return Ok(vec![c_string(program)?]);
    }
    let directories = search.split(':').filter(|directory| directory.starts_with('/'));
    directories.map(|directory| c_string(&[directory.as_bytes(), b"/", program].concat())).collect()
}
