//! A command's output, passed on as it comes: exactly as it is into a pipe or a file, made harmless on a terminal.
//!
//! A reader that has gone ends nothing here: whoever follows the command is told, and ends it.

use super::escape;
use guild_engine::containers::{Chunk, Stream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Passes both streams on.
#[derive(Debug)]
pub struct LiveOutput {
    silent: bool,
    stdout: Shown,
    stderr: Shown,
    unread: Unread,
    /// Bytes of standard output that were passed on.
    shown: usize,
    /// Why some of standard output is lost, where it is not that nobody reads it.
    lost: Option<io::Error>,
}

/// Tells when a command has said something that nobody reads any more.
#[derive(Debug, Clone, Default)]
pub struct Unread(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    /// What was written has met nobody.
    gone: Notify,
    /// Nothing more may be written, so that only asking tells.
    full: Notify,
}

/// As much as is kept and passed on of a command's output, unless the configuration says otherwise.
const KEPT: usize = 1 << 20;

/// How often it is asked whether somebody still reads.
const LOOK: Duration = Duration::from_millis(200);

/// One stream on its way out.
#[derive(Debug)]
struct Shown {
    is_terminal: bool,
    /// The beginning of a character whose rest has not come yet.
    rest: Vec<u8>,
}

impl LiveOutput {
    /// Passes nothing on where the envelope will hold it all.
    pub fn new(silent: bool) -> Self {
        let shown = |is_terminal| Shown { is_terminal, rest: Vec::new() };
        Self {
            silent,
            stdout: shown(io::stdout().is_terminal()),
            stderr: shown(io::stderr().is_terminal()),
            unread: Unread::default(),
            shown: 0,
            lost: None,
        }
    }

    /// What tells that the reader of standard output has gone.
    pub fn unread(&self) -> Unread {
        self.unread.clone()
    }

    /// Passes some output on. That of standard error is talk, which a command may go on with alone.
    pub fn show(&mut self, chunk: &Chunk) {
        if self.silent {
            return;
        }
        match chunk.stream {
            Stream::Stdout => match self.stdout.write(&chunk.bytes, &mut io::stdout()) {
                Ok(()) => {
                    self.shown = self.shown.saturating_add(chunk.bytes.len());
                    if self.shown >= KEPT {
                        self.unread.0.full.notify_one();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.unread.0.gone.notify_one(),
                Err(error) => self.lost = Some(error),
            },
            Stream::Stderr => self.stderr.write(&chunk.bytes, &mut io::stderr()).unwrap_or_default(),
        }
    }

    /// Shows what was held back, now that nothing follows.
    ///
    /// # Errors
    /// If some of standard output could not be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.stdout.finish(&mut io::stdout()).ok();
        self.stderr.finish(&mut io::stderr()).ok();
        self.lost.take().map_or(Ok(()), Err)
    }
}

impl Unread {
    /// Waits until nobody reads any more, for ever where somebody does.
    pub async fn come(&self) {
        tokio::select! {
            () = self.0.gone.notified() => {}
            () = self.asked() => {}
        }
    }

    async fn asked(&self) {
        self.0.full.notified().await;
        while !is_closed(&io::stdout()) {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Whether nobody is at the other end of what is written to.
fn is_closed(out: &io::Stdout) -> bool {
    let mut asked = [PollFd::new(out, PollFlags::ERR | PollFlags::HUP)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut asked, Some(&at_once)).is_ok_and(|count| count > 0)
}

impl Shown {
    fn write(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if self.is_terminal {
            out.write_all(self.harmless(bytes).as_bytes())?;
        } else {
            out.write_all(bytes)?;
        }
        out.flush()
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        out.write_all(String::from_utf8_lossy(&rest).as_bytes())?;
        out.flush()
    }

    /// The text with everything invisible shown, but for line ends and tabs; an unfinished character waits for its rest.
    fn harmless(&mut self, bytes: &[u8]) -> String {
        let mut held = std::mem::take(&mut self.rest);
        held.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&held) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => held.len(),
        };
        self.rest = held.split_off(whole);
        escape::block(&String::from_utf8_lossy(&held).replace("\r\n", "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(chunks: &[&[u8]], expected: &str) {
        let mut shown = Shown { is_terminal: true, rest: Vec::new() };
        let mut out = Vec::new();
        for chunk in chunks {
            shown.write(chunk, &mut out).unwrap();
        }
        shown.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn a_terminal_obeys_nothing_that_a_command_prints() {
        check(&[b"a\x1b[2Jb\n\tc\r\n"], "a\\u{1b}[2Jb\n\tc\n");
        check(&[b"over\rwritten"], "over\\u{d}written");
    }

    #[test]
    fn a_character_that_comes_in_two_pieces_stays_whole() {
        check(&[b"caf\xc3", b"\xa9!"], "café!");
        check(&[b"\xf0\x9f", b"\x9a", b"\x80"], "🚀");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        check(&[b"\xff\xfe", b"ok\xc3"], "\u{fffd}\u{fffd}ok\u{fffd}");
    }
}
