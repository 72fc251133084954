//! A named pipe that tells from outside what goes on inside: lines that were written to it, and whether anybody holds it open.
//!
//! The kernel closes it with the last process that does, however that process ended.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

/// The pipe's end outside.
#[derive(Debug)]
pub struct Witness {
    pipe: File,
    said: Vec<u8>,
}

impl Witness {
    /// Makes a pipe at `path` that everybody may write to.
    #[track_caller]
    pub fn at(path: &Path) -> Self {
        mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("make a pipe");
        fs::set_permissions(path, fs::Permissions::from_mode(0o666)).expect("open the pipe to everybody");
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).expect("flags of a system call");
        let pipe = OpenOptions::new().read(true).custom_flags(flags).open(path).expect("open the pipe");
        Self { pipe, said: Vec::new() }
    }

    /// Whether nobody holds the pipe any more.
    #[track_caller]
    pub fn sees_nobody(&mut self) -> bool {
        match self.pipe.read_to_end(&mut self.said) {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) => panic!("read the pipe: {error}"),
        }
    }

    /// Every line that was written to it so far.
    #[track_caller]
    pub fn lines(&mut self) -> Vec<String> {
        self.sees_nobody();
        String::from_utf8_lossy(&self.said).lines().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Env, wait_until};

    #[test]
    fn it_hears_lines_and_sees_when_the_last_holder_is_gone() {
        let env = Env::new("/bin/sh");
        let mut witness = Witness::at(&env.join("pipe"));
        assert!(witness.sees_nobody());
        let mut holder =
            env.invocation(&["-c", "exec 9>../pipe; echo one >&9; echo; while :; do :; done"]).spawn();
        holder.line();
        assert!(!witness.sees_nobody());
        assert_eq!(witness.lines(), ["one"]);
        drop(holder);
        wait_until("the holder is gone", || witness.sees_nobody());
        assert_eq!(witness.lines(), ["one"]);
    }
}
