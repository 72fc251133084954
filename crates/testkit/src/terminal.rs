//! A terminal for one program: what is typed is written to it, and what it shows is read, until the program has ended.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{self, Child, Stdio};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, Termios, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
};

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

/// How long something is waited for that should be shown.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that has a whole terminal to itself, with a person at it who reads before they type.
pub struct FullScreen {
    person: File,
    child: Child,
    shown: Vec<u8>,
    /// What was read already when something was looked for.
    seen: usize,
    before: Termios,
}

impl FullScreen {
    /// Starts a program that `start` gives the three streams.
    #[track_caller]
    pub fn new(start: impl FnOnce([Stdio; 3]) -> Child) -> Self {
        let mut terminal = Terminal::new();
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal.person, size).expect("set the terminal's size");
        let before = tcgetattr(&terminal.person).expect("read the terminal's modes");
        let child = start([terminal.end(), terminal.end(), terminal.end()]);
        terminal.program = None;
        Self { person: terminal.person, child, shown: Vec::new(), seen: 0, before }
    }

    /// Waits until `text` was shown, after what was waited for before. A program that moves about writes words, not sentences.
    #[track_caller]
    pub fn see(&mut self, text: &str) {
        let is_there = |shown: &[u8]| shown.windows(text.len()).position(|piece| piece == text.as_bytes());
        loop {
            let unseen = self.shown.get(self.seen..).unwrap_or_default();
            if let Some(at) = is_there(unseen) {
                self.seen += at + text.len();
                return;
            }
            assert!(self.read(), "`{text}` was never shown: {}", String::from_utf8_lossy(&self.shown));
        }
    }

    /// Presses keys.
    #[track_caller]
    pub fn press(&mut self, keys: &str) {
        self.person.write_all(keys.as_bytes()).expect("type");
    }

    /// Waits until the program has ended: its exit code, and whether the terminal is as it was.
    #[track_caller]
    pub fn finish(mut self) -> (Option<i32>, bool) {
        while self.read() {}
        let status = self.child.wait().expect("wait for the program");
        let after = tcgetattr(&self.person).expect("read the terminal's modes");
        let modes =
            |modes: &Termios| (modes.input_modes, modes.output_modes, modes.control_modes, modes.local_modes);
        let has_left = self.shown.windows(8).any(|piece| piece == b"\x1b[?1049l");
        (status.code(), has_left && modes(&self.before) == modes(&after))
    }

    /// Reads something more; false where nothing comes.
    fn read(&mut self) -> bool {
        let mut waiting = [PollFd::new(&self.person, PollFlags::IN)];
        let patience = PATIENCE.try_into().expect("a minute fits");
        if poll(&mut waiting, Some(&patience)).unwrap_or(0) == 0 {
            return false;
        }
        let mut piece = [0; 4096];
        match self.person.read(&mut piece) {
            Ok(count @ 1..) => {
                self.shown.extend(piece.iter().take(count));
                true
            }
            _ => false,
        }
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        // A test that has failed leaves nobody behind.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
