//! What to run in a container, shaped like `std::process::Command`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A program with its arguments, found and run inside the container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The program, looked for in the container's `PATH` unless it has a slash, and its arguments.
    pub argv: Vec<OsString>,
    /// The directory to start in.
    pub cwd: PathBuf,
    /// Environment of this command alone, over the policy's.
    pub env: BTreeMap<String, String>,
    /// What it reads.
    pub stdin: Stdin,
}

/// What a command reads as its standard input. Never a file or terminal of the host: a container could reopen it for writing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// What is written to [`crate::Child::take_stdin`].
    Piped,
    /// The same for a program that is talked to for as long as it lives: what it says is passed on, and nothing of it is kept. It may say
    /// any amount, but no more at once than the policy keeps or a pipe holds.
    Conversation,
}

impl Command {
    /// A command that starts in `/` and reads nothing.
    pub fn new(program: impl Into<OsString>) -> Command {
        Command {
            argv: vec![program.into()],
            cwd: PathBuf::from("/"),
            env: BTreeMap::new(),
            stdin: Stdin::Empty,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Command {
        self.argv.push(arg.into());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Command {
        self.argv.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts in this directory of the container.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Command {
        self.cwd = directory.into();
        self
    }

    /// Reads these bytes.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Command {
        self.stdin = stdin;
        self
    }
}
