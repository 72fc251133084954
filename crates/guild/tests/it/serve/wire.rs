//! HTTP as a test needs it: bytes as they are, one connection for each, and answers read piece by piece.

use serde_json::Value as Json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// One connection.
pub struct Wire {
    stream: BufReader<TcpStream>,
    is_chunked: bool,
    /// What has arrived of the body and was not looked at yet.
    arrived: String,
}

/// The head of an answer.
#[derive(Debug)]
pub struct Head {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// An answer, all of it.
#[derive(Debug)]
pub struct Answer {
    pub head: Head,
    pub body: String,
}

impl Wire {
    #[track_caller]
    pub fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        // A server that never answers fails a test, and does not keep it.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self { stream: BufReader::new(stream), is_chunked: false, arrived: String::new() }
    }

    /// Bytes as they are.
    #[track_caller]
    pub fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// The same, where the server may have gone already.
    pub fn try_say(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.get_mut().write_all(bytes.as_ref()).is_ok()
    }

    /// Says nothing more, and still listens.
    pub fn hush(&mut self) {
        self.stream.get_ref().shutdown(Shutdown::Write).unwrap();
    }

    /// The head of the answer; nothing if the server hangs up instead.
    pub fn head(&mut self) -> Option<Head> {
        let status = self.line()?.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        while let Some((name, value)) = self.line()?.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let head = Head { status, headers };
        self.is_chunked = head.header("transfer-encoding") == Some("chunked");
        Some(head)
    }

    /// The whole answer; nothing if the server hangs up instead.
    pub fn answer(&mut self) -> Option<Answer> {
        let head = self.head()?;
        let mut body = String::new();
        if self.is_chunked {
            while let Some(piece) = self.piece() {
                body.push_str(&piece);
            }
        } else if let Some(length) = head.header("content-length") {
            let mut bytes = vec![0; length.parse().ok()?];
            self.stream.read_exact(&mut bytes).ok()?;
            body = String::from_utf8(bytes).ok()?;
        }
        Some(Answer { head, body })
    }

    /// The next message of a stream of events; nothing at its end.
    pub fn event(&mut self) -> Option<Json> {
        loop {
            if let Some((event, rest)) = self.arrived.split_once("\n\n") {
                let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
                self.arrived = rest.to_owned();
                if let Ok(message) = serde_json::from_str(&data) {
                    return Some(message);
                }
            } else {
                let piece = self.piece()?;
                self.arrived.push_str(&piece);
            }
        }
    }

    fn piece(&mut self) -> Option<String> {
        let length = usize::from_str_radix(self.line()?.trim(), 16).ok()?;
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes).ok()?;
        bytes.truncate(length);
        (length > 0).then(|| String::from_utf8(bytes).unwrap())
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.stream.read_line(&mut line).ok()?;
        (count > 0).then(|| line.trim_end().to_owned())
    }
}

impl Head {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Answer {
    /// `401 not_authenticated`
    pub fn told(&self) -> String {
        let code = serde_json::from_str::<Json>(&self.body).ok().map(|body| body["code"].clone());
        let code = code.and_then(|code| Some(code.as_str()?.to_owned())).unwrap_or_default();
        format!("{} {code}", self.head.status).trim_end().to_owned()
    }
}

/// A request as a client of the protocol makes it, with headers instead of or beside the usual.
pub fn post(headers: &[(&str, &str)], body: &str) -> String {
    let mut head = format!("POST /mcp HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    let usual = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let usual = usual.iter().filter(|(name, _)| !headers.iter().any(|(given, _)| given == name));
    for (name, value) in usual.chain(headers) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{head}\r\n{body}")
}
