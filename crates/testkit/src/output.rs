//! What a run of the command left: exit code and both streams, rendered as one text for a snapshot.
//!
//! Rendering replaces the temporary root by `[ROOT]`, the kernel's walls, which differ from machine to machine, by `[WALLS]`, and changes
//! nothing else, so that a stray carriage return or escape sequence shows up in the snapshot.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process;

/// The result of one run; its `Display` is the snapshot.
#[derive(Debug, Clone)]
#[must_use = "compare the output with a snapshot or look at its exit code"]
pub struct Output {
    output: process::Output,
    root: PathBuf,
}

impl Output {
    pub(crate) fn new(output: process::Output, root: &Path) -> Self {
        Self { output, root: root.to_owned() }
    }

    /// The exit code, or none if a signal ended the run.
    pub fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// Standard output with `[ROOT]` in place of the temporary root.
    pub fn stdout(&self) -> String {
        self.redact(&self.output.stdout)
    }

    /// Standard error with `[ROOT]` in place of the temporary root.
    pub fn stderr(&self) -> String {
        self.redact(&self.output.stderr)
    }

    /// The bytes of standard output as the program wrote them.
    pub fn raw_stdout(&self) -> &[u8] {
        &self.output.stdout
    }

    /// The exit code in words: `0`, or `signal 9`.
    pub(crate) fn exit(&self) -> String {
        match (self.code(), self.output.status.signal()) {
            (Some(code), _) => code.to_string(),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "unknown".to_owned(),
        }
    }

    fn redact(&self, bytes: &[u8]) -> String {
        mask_walls(&String::from_utf8_lossy(bytes).replace(&*self.root.to_string_lossy(), "[ROOT]"))
    }
}

/// Hides which cgroups and which Landlock this machine has.
fn mask_walls(text: &str) -> String {
    let Some((before, after)) = text.split_once("(cgroup v") else { return text.to_owned() };
    let rest = after.split_once(')').map_or("", |(_, rest)| rest);
    format!("{before}([WALLS]){rest}")
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit: {}\n--- stdout\n{}", self.exit(), closed(&self.stdout()))?;
        write!(f, "--- stderr\n{}", closed(&self.stderr()))
    }
}

/// Ends the text of a stream with a newline, and says so where the program did not.
pub(crate) fn closed(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n[no final newline]\n")
    }
}
