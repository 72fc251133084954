//! A conversation over a socket of D-Bus: who we are, then calls and their answers, each before one deadline.
//!
//! It knows nothing of systemd, and passes no descriptors.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::message::{self, Argument, Kind, Malformed, Message, Method, PREFIX};

/// An open conversation.
pub(super) struct Bus {
    stream: UnixStream,
    deadline: Instant,
    serial: u32,
    /// Signals that came in while an answer was awaited.
    signals: VecDeque<Message>,
}

/// Why a conversation did not come to an answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum BusError {
    /// The socket cannot be used.
    #[error("{0}")]
    Socket(#[from] io::Error),
    /// The deadline has passed.
    #[error("it does not answer")]
    Late,
    /// We are not believed to be who we are.
    #[error("it does not let this user in")]
    NotLetIn,
    /// The other side does not speak D-Bus.
    #[error("its answer is no D-Bus")]
    Malformed,
    /// The call was refused.
    #[error("{name}: {message}")]
    Refused {
        /// The name of the error.
        name: String,
        /// What it said.
        message: String,
    },
}

impl Bus {
    /// Connects to a socket and says who we are; everything that follows is over at `deadline`.
    pub(super) fn open(socket: &Path, deadline: Instant) -> Result<Bus, BusError> {
        let stream = reach(socket, left(deadline)?)?;
        let mut bus = Bus { stream, deadline, serial: 0, signals: VecDeque::new() };
        bus.authenticate(rustix::process::geteuid().as_raw())?;
        Ok(bus)
    }

    /// Calls a method and waits for its answer.
    pub(super) fn call(
        &mut self,
        method: Method<'_>,
        arguments: &[Argument<'_>],
    ) -> Result<Message, BusError> {
        self.serial += 1;
        self.send(&message::call(method, self.serial, arguments))?;
        loop {
            let message = self.receive()?;
            match message.kind {
                Kind::Signal => self.signals.push_back(message),
                _ if message.answers != Some(self.serial) => {}
                Kind::Error => {
                    let [text] = message.texts().unwrap_or_default();
                    return Err(BusError::Refused { name: message.error, message: text });
                }
                Kind::Return | Kind::Call => return Ok(message),
            }
        }
    }

    /// The next signal, among those that have come in already first.
    pub(super) fn signal(&mut self) -> Result<Message, BusError> {
        loop {
            if let Some(signal) = self.signals.pop_front() {
                return Ok(signal);
            }
            let message = self.receive()?;
            if message.kind == Kind::Signal {
                return Ok(message);
            }
        }
    }

    /// The kernel tells the other side who we are; this only asks it to look.
    fn authenticate(&mut self, user: u32) -> Result<(), BusError> {
        let mut hex = String::new();
        for digit in user.to_string().bytes() {
            let _ = write!(hex, "{digit:02x}");
        }
        self.send(format!("\0AUTH EXTERNAL {hex}\r\n").as_bytes())?;
        match self.receive_line()?.as_slice() {
            [b'O', b'K', b' ', ..] => self.send(b"BEGIN\r\n"),
            _ => Err(BusError::NotLetIn),
        }
    }

    fn receive(&mut self) -> Result<Message, BusError> {
        let mut prefix = [0; PREFIX];
        self.fill(&mut prefix)?;
        let mut bytes = prefix.to_vec();
        bytes.resize(message::length(&prefix)?, 0);
        self.fill(bytes.get_mut(PREFIX..).unwrap_or_default())?;
        Ok(Message::read(&bytes)?)
    }

    /// A line of the introduction. It is read byte by byte, because what follows it is no line.
    fn receive_line(&mut self) -> Result<Vec<u8>, BusError> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            let mut byte = [0];
            self.fill(&mut byte)?;
            line.extend(byte);
            if line.len() > 1024 {
                return Err(BusError::Malformed);
            }
        }
        Ok(line)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), BusError> {
        self.stream.set_write_timeout(Some(left(self.deadline)?))?;
        self.stream.write_all(bytes).map_err(timely)
    }

    fn fill(&mut self, mut buffer: &mut [u8]) -> Result<(), BusError> {
        while !buffer.is_empty() {
            self.stream.set_read_timeout(Some(left(self.deadline)?))?;
            match self.stream.read(buffer) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(count) => buffer = buffer.get_mut(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(timely(error)),
            }
        }
        Ok(())
    }
}

/// Connects to a socket, and waits no longer than `patience` for that.
pub(super) fn reach(socket: &Path, patience: Duration) -> io::Result<UnixStream> {
    let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&stream, Timeout::Send, Some(patience))?;
    connect(&stream, &SocketAddrUnix::new(socket)?)?;
    Ok(stream.into())
}

/// What is left until `deadline`; a socket cannot be told to wait for no time at all.
fn left(deadline: Instant) -> Result<Duration, BusError> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(BusError::Late) } else { Ok(left) }
}

fn timely(error: io::Error) -> BusError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => BusError::Late,
        _ => BusError::Socket(error),
    }
}

impl From<Malformed> for BusError {
    fn from(Malformed: Malformed) -> BusError {
        BusError::Malformed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::os::unix::net::UnixListener;

    const METHOD: Method<'static> = Method { destination: "a.b", path: "/", interface: "a.b", member: "Ask" };

    /// Asks somebody who says the first thing when we have told who we are, and the second when we have asked; then hangs up, unless
    /// told to stay.
    #[track_caller]
    fn check(says: &'static [&'static [u8]], stays: bool, expected: Expect) {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("bus");
        let listener = UnixListener::bind(&socket).unwrap();
        let other = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for (heard, saying) in ["AUTH", METHOD.member].iter().zip(says) {
                hear(&mut stream, heard);
                // Whoever has lost patience meanwhile is not to be answered.
                let _ = stream.write_all(saying);
            }
            if stays { Some(stream) } else { None }
        });
        let patience = if stays { Duration::from_millis(100) } else { Duration::from_secs(60) };
        let answer = Bus::open(&socket, Instant::now() + patience).and_then(|mut bus| {
            let [text] = bus.call(METHOD, &[])?.texts()?;
            let signal = bus.signal()?;
            Ok(format!("{text}, {}", signal.member))
        });
        expected.assert_eq(&answer.unwrap_or_else(|error| error.to_string()));
        drop(other.join().unwrap());
    }

    fn hear(stream: &mut UnixStream, word: &str) {
        let mut heard: Vec<u8> = Vec::new();
        while !heard.windows(word.len()).any(|part| part == word.as_bytes()) {
            let mut bytes = [0; 4096];
            match stream.read(&mut bytes) {
                Ok(count @ 1..) => heard.extend(&bytes[..count]),
                _ => return,
            }
        }
    }

    /// A signal that nobody waits for yet, the answer to another call, and the answer.
    const ANSWERS: &[u8] = b"l\x04\x01\x01\0\0\0\0\x63\0\0\0\x0f\0\0\0\x03\x01s\0\x06\0\0\0Signal\0\0\
        l\x02\x01\x01\0\0\0\0\x64\0\0\0\x08\0\0\0\x05\x01u\0\x09\0\0\0\
        l\x02\x01\x01\x08\0\0\0\x65\0\0\0\x08\0\0\0\x05\x01u\0\x01\0\0\0\x03\0\0\0yes\0";

    #[test]
    fn an_answer_is_told_from_what_else_comes_in() {
        check(&[b"OK 1234\r\n", ANSWERS], false, expect!["yes, Signal"]);
    }

    #[test]
    fn whoever_is_not_let_in_hears_so() {
        check(&[b"REJECTED EXTERNAL\r\n"], false, expect!["it does not let this user in"]);
    }

    #[test]
    fn an_error_is_passed_on() {
        const ERROR: &[u8] =
            b"l\x03\x01\x01\x07\0\0\0\x63\0\0\0\x18\0\0\0\x04\x01s\0\x02\0\0\0no\0\0\0\0\0\0\
            \x05\x01u\0\x01\0\0\0\x02\0\0\0ha\0";
        check(&[b"OK 1\r\n", ERROR], false, expect!["no: ha"]);
    }

    #[test]
    fn silence_ends_at_the_deadline() {
        check(&[], true, expect!["it does not answer"]);
        check(&[b"OK 1\r\n"], true, expect!["it does not answer"]);
    }

    #[test]
    fn other_protocols_are_refused() {
        check(&[b"OK 1\r\n", b"HTTP/1.1 400 Bad Request\r\n"], false, expect!["its answer is no D-Bus"]);
        check(&[b"OK 1\r\n", b""], false, expect!["unexpected end of file"]);
    }
}
