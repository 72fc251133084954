//! A terminal for one program: what is typed is written to it at once, and what it shows is read until the program has ended.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{self, Child, Stdio};
use std::thread;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, OutputModes, tcgetattr, tcsetattr};

use crate::Output;

/// What a terminal takes for the end of what is typed.
const END: u8 = 4;

/// A terminal, seen from the person's side.
pub struct Terminal {
    person: File,
    program: Option<OwnedFd>,
}

impl Terminal {
    /// A terminal that shows lines as they are written and does not echo.
    #[track_caller]
    pub fn new() -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("make a terminal");
        grantpt(&person).expect("grant the terminal");
        unlockpt(&person).expect("unlock the terminal");
        let name = ptsname(&person, Vec::new()).expect("name the terminal");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let program = rustix::fs::open(name.as_c_str(), flags, Mode::empty()).expect("open the terminal");
        let mut modes = tcgetattr(&program).expect("read the terminal's modes");
        modes.local_modes.remove(LocalModes::ECHO);
        modes.output_modes.remove(OutputModes::OPOST);
        tcsetattr(&program, OptionalActions::Now, &modes).expect("set the terminal's modes");
        Self { person: person.into(), program: Some(program) }
    }

    /// The program's end, for one of its streams.
    #[track_caller]
    pub fn end(&self) -> Stdio {
        self.program.as_ref().and_then(|end| end.try_clone().ok()).expect("share the terminal").into()
    }

    /// Types `text` and its end, and reads what is shown until the program has ended.
    #[track_caller]
    pub fn run(&mut self, mut child: Child, text: &str, root: &Path) -> Output {
        self.program = None;
        let mut typist = self.person.try_clone().expect("share the terminal");
        // What is typed waits in the terminal until it is read.
        typist.write_all(&[text.as_bytes(), &[END]].concat()).expect("type");
        let mut stdout = child.stdout.take().expect("standard output is open");
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            stdout.read_to_end(&mut bytes).map(|_| bytes)
        });
        let mut shown = Vec::new();
        let mut piece = [0; 4096];
        // A terminal that nobody holds any more is an error to read, and that is its end.
        while let Ok(count @ 1..) = self.person.read(&mut piece) {
            shown.extend(piece.iter().take(count));
        }
        let status = child.wait().expect("wait for the program");
        let stdout = reader.join().expect("join the reader").expect("read standard output");
        Output::new(process::Output { status, stdout, stderr: shown }, root)
    }
}
