//! What came of a run: how it ended, what it said, what it used.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::probe::Feature;

/// Exit code of a run that was ended by its time limit.
const TIMED_OUT: i32 = 124;

/// Why something was left behind where the host has something of that name, which is never overwritten.
const IN_THE_WAY: &str = "there is something of that name already";

/// What came of one command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How the process ended.
    pub status: ExitStatus,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Whether the kernel killed any process of the container for want of memory, the first one or another.
    pub oom: bool,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// What it used.
    pub usage: Usage,
    /// Files that were kept of scratch directories, sorted by path.
    pub kept: Vec<KeptFile>,
    /// What of a kept scratch directory was left behind, with the reason.
    pub left_behind: Vec<(PathBuf, String)>,
    /// Name of the backend.
    pub backend: Cow<'static, str>,
    /// Limits that were asked for and not enforced; empty unless the policy allows best effort.
    pub unenforced: Vec<Feature>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitStatus {
    /// It exited with this code.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
}

/// What was kept of one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// The first bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// How many bytes there were in all.
    pub total: u64,
}

/// What a run used of the machine. `None` is what the backend cannot measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// From launch to end.
    pub wall: Duration,
    /// Processor time of all its processes.
    pub cpu: Option<Duration>,
    /// The most memory that it held at once, in bytes.
    pub peak_memory: Option<u64>,
    /// Bytes that its processes handed to write calls, to files and pipes alike.
    pub bytes_written: Option<u64>,
}

/// A file copied out of a scratch directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// Where it was, relative to the scratch directory.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
}

impl Outcome {
    /// The exit code as shells count it: 124 for a time-out, 128 and the signal's number for a signal.
    pub fn exit_code(&self) -> i32 {
        match self.status {
            _ if self.timed_out => TIMED_OUT,
            ExitStatus::Code(code) => code,
            ExitStatus::Signal(signal) => 128 + signal,
        }
    }

    /// What was left behind because the directory it was to be copied to has something of that name.
    pub fn obstructed(&self) -> impl Iterator<Item = &Path> {
        let obstructed = self.left_behind.iter().filter(|(_, reason)| reason == IN_THE_WAY);
        obstructed.map(|(path, _)| path.as_path())
    }

    /// Whether the command ran to its end and exited with 0, none of its processes having been killed for memory.
    pub fn success(&self) -> bool {
        self.status == ExitStatus::Code(0) && !self.timed_out && !self.oom
    }
}

impl Captured {
    /// Whether more was written than was kept.
    pub fn truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// What was kept, as text; bytes that are no UTF-8 become replacement characters.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// How much can still be told of what was copied out or was not: a stranger's names are as long as the kernel allows.
#[derive(Debug)]
pub(crate) struct Told(Option<usize>);

impl Told {
    /// Bytes of names: a full scratch directory of ordinary ones has less.
    const MOST: usize = 16 << 20;

    /// Nothing yet.
    pub(crate) fn nothing() -> Told {
        Told(Some(Told::MOST))
    }

    /// Whether there is room for this name. Where there was none once, there is none any more.
    pub(crate) fn has_room_for(&mut self, place: &Path) -> bool {
        self.0 = self.0.and_then(|left| left.checked_sub(place.as_os_str().len()));
        self.0.is_some()
    }

    /// What stands for all that there was no room for, if there is any.
    pub(crate) fn rest(&self) -> Option<(PathBuf, String)> {
        self.0.is_none().then(|| (PathBuf::from("."), "there are more names than can be told".to_owned()))
    }
}

/// Why something was not copied out, in words.
pub(crate) fn why_left_behind(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => IN_THE_WAY.to_owned(),
        _ => error.to_string(),
    }
}
