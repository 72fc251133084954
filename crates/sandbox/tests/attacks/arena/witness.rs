//! Sees from outside whether a process inside still lives: it holds a pipe in a mounted directory open, and the kernel closes it with the
//! last process that does.

use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use guild_sandbox::{Access, Policy};

use super::{A_MINUTE, Arena};

/// The pipe, and its end outside.
pub(crate) struct Witness {
    directory: PathBuf,
    pipe: std::fs::File,
}

impl Witness {
    /// What a shell does to be seen: descriptor 9 stays open in everything that it starts from then on.
    pub(crate) const BE_SEEN: &str = "exec 9>/witness/pipe; echo x >&9;";

    /// A witness in a directory of its own.
    pub(crate) fn new(arena: &Arena) -> Witness {
        let directory = arena.directory("witness");
        let path = directory.join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        let pipe = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path).unwrap();
        Witness { directory, pipe }
    }

    /// The policy under which the pipe is in `/witness`.
    pub(crate) fn policy(&self, arena: &Arena) -> Policy {
        arena.with_mount(&self.directory, "/witness", Access::ReadWrite)
    }

    /// Where the pipe's directory lies on the host.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Waits until somebody has opened the pipe and said so.
    pub(crate) fn wait_for_life(&mut self) {
        let begun = Instant::now();
        // There is nothing to wait for: a pipe that was closed once stays readable.
        while !matches!(self.pipe.read(&mut [0; 1]), Ok(1)) {
            assert!(begun.elapsed() < A_MINUTE, "nobody came");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether nobody holds the pipe any more. What was said into it is forgotten.
    pub(crate) fn sees_nobody(&mut self) -> bool {
        self.pipe.read_to_end(&mut Vec::new()).is_ok()
    }

    /// Fails unless somebody held the pipe and nobody does any more.
    #[track_caller]
    pub(crate) fn check_lived_and_died(mut self) {
        let mut said = Vec::new();
        match self.pipe.read_to_end(&mut said) {
            Ok(_) => assert!(!said.is_empty(), "nobody was there at all"),
            Err(error) => panic!("a process of the container still lives: {error}"),
        }
    }
}
