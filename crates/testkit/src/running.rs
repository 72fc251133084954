//! A run that is still going: its streams read piece by piece, or closed early, and what it is told line by line.
//!
//! It waits for what the program writes and never sleeps. A program that says nothing more makes a test wait, so give
//! it a bound of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{self, Child, ChildStderr, ChildStdin, ChildStdout};
use std::thread;

use crate::Output;

/// A program that was started; it is killed with this value if it is not finished before.
#[derive(Debug)]
#[must_use = "the program is killed when this is dropped"]
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: Option<BufReader<ChildStderr>>,
    root: PathBuf,
}

impl Running {
    pub(crate) fn new(mut child: Child, root: PathBuf) -> Self {
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map(BufReader::new);
        let stderr = child.stderr.take().map(BufReader::new);
        Self { child, stdin, stdout, stderr, root }
    }

    /// Its number among the processes of this machine.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line to its standard input, which has to be open still.
    #[track_caller]
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("write to standard input");
    }

    /// The next line of standard output with `[ROOT]` in place of the temporary root; empty at its end.
    #[track_caller]
    pub fn line(&mut self) -> String {
        let line = next_line(self.stdout.as_mut().expect("standard output is open"));
        self.redact(&line)
    }

    /// The next line of standard error with `[ROOT]` in place of the temporary root; empty at its end.
    #[track_caller]
    pub fn error_line(&mut self) -> String {
        let line = next_line(self.stderr.as_mut().expect("standard error is open"));
        self.redact(&line)
    }

    /// At most `limit` bytes of standard output, as many as are there; none at its end.
    #[track_caller]
    pub fn read(&mut self, limit: usize) -> Vec<u8> {
        let mut bytes = vec![0; limit];
        let stdout = self.stdout.as_mut().expect("standard output is open");
        let count = stdout.read(&mut bytes).expect("read standard output");
        bytes.truncate(count);
        bytes
    }

    /// Closes this end of standard output, as a reader does that has seen enough.
    pub fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// Kills it, which it cannot prevent, and gives what it had written and nobody had read.
    #[track_caller]
    pub fn kill(mut self) -> Output {
        self.child.kill().expect("kill the program");
        self.finish()
    }

    /// Waits for the end and gives what was not read before.
    #[track_caller]
    pub fn finish(mut self) -> Output {
        self.stdin = None;
        // A thread of its own, lest both sides wait on full pipes.
        let errors = self.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                stderr.read_to_end(&mut bytes).map(|_| bytes)
            })
        });
        let mut stdout = Vec::new();
        if let Some(mut reader) = self.stdout.take() {
            reader.read_to_end(&mut stdout).expect("read standard output");
        }
        let stderr =
            errors.map(|thread| thread.join().expect("join the reader").expect("read standard error"));
        let status = self.child.wait().expect("wait for the program");
        Output::new(process::Output { status, stdout, stderr: stderr.unwrap_or_default() }, &self.root)
    }

    fn redact(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), "[ROOT]")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn next_line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).expect("read a line");
    line
}

/// Kills a process at once, as a machine that runs out of memory does.
#[track_caller]
pub fn kill(process: i64) {
    let pid =
        i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw).expect("a process's number");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("kill the process");
}

/// Waits until something holds, for a minute at the most.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if holds() {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited in vain: {what}");
}

#[cfg(test)]
mod tests {
    use crate::Env;

    #[test]
    fn lines_come_as_they_are_written() {
        let script = "echo one; read go; echo two >&2; echo three; exit 4";
        let env = Env::new("/bin/sh");
        let mut run = env.invocation(&["-c", script]).stdin("go\n").spawn();
        assert_eq!((run.line(), run.error_line()), ("one\n".to_owned(), "two\n".to_owned()));
        let output = run.finish();
        assert_eq!((output.stdout().as_str(), output.code()), ("three\n", Some(4)));
    }

    #[test]
    fn a_reader_that_has_seen_enough_closes_the_pipe() {
        let env = Env::new("/bin/sh");
        let mut run = env.invocation(&["-c", "trap '' PIPE; while echo x; do :; done; exit 3"]).spawn();
        assert_eq!(run.read(1).len(), 1);
        run.close_stdout();
        assert_eq!(run.finish().code(), Some(3));
    }

    #[test]
    fn what_a_killed_run_had_written_can_be_read() {
        let env = Env::new("/bin/sh");
        let mut run = env.invocation(&["-c", "echo one; echo two; while :; do :; done"]).spawn();
        assert_eq!((run.line(), run.line()), ("one\n".to_owned(), "two\n".to_owned()));
        assert_eq!(run.kill().to_string(), "exit: signal 9\n--- stdout\n--- stderr\n");
    }

    #[test]
    fn a_run_that_is_dropped_is_killed() {
        let env = Env::new("/bin/sh");
        drop(env.invocation(&["-c", "while :; do :; done"]).spawn());
    }
}
