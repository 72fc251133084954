//! A value that nobody should see: typed at a terminal without an echo, or read from standard input.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

/// The most that is read.
const LONGEST: u64 = 1 << 20;

/// The value: a line that is typed where there is a terminal, else all of standard input without the line's end.
pub fn read(question: &str) -> io::Result<String> {
    let stdin = io::stdin();
    let mut text = String::new();
    if !stdin.is_terminal() {
        stdin.lock().take(LONGEST).read_to_string(&mut text)?;
        return Ok(without_end(text));
    }
    write!(io::stderr(), "{question}: ")?;
    io::stderr().flush()?;
    let unseen = Unseen::begin()?;
    let read = stdin.lock().take(LONGEST).read_line(&mut text);
    drop(unseen);
    // The person's own line end was not shown either.
    writeln!(io::stderr())?;
    read.map(|_| without_end(text))
}

fn without_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

/// A terminal that shows nothing of what is typed, until this is dropped.
#[cfg(unix)]
struct Unseen {
    before: rustix::termios::Termios,
}

#[cfg(unix)]
impl Unseen {
    fn begin() -> io::Result<Self> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(io::stdin())?;
        let mut unseen = before.clone();
        unseen.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &unseen)?;
        Ok(Self { before })
    }
}

#[cfg(unix)]
impl Drop for Unseen {
    fn drop(&mut self) {
        let now = rustix::termios::OptionalActions::Now;
        // Where the terminal is gone there is nothing to set back.
        rustix::termios::tcsetattr(io::stdin(), now, &self.before).ok();
    }
}

/// Elsewhere what is typed is seen.
#[cfg(not(unix))]
struct Unseen;

#[cfg(not(unix))]
impl Unseen {
    fn begin() -> io::Result<Self> {
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_end_is_no_part_of_a_value() {
        for (given, kept) in [("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("", "")] {
            assert_eq!(without_end(given.to_owned()), kept);
        }
    }
}
