//! A small web server on this machine: files of a directory, as they are, with the failures that a network has.
//!
//! It speaks plain HTTP on a port of the loopback that the system chose. `/flaky/N/path` fails N times before it gives `path`;
//! `/broken/path` breaks off in the middle once, and goes on from there if it is asked to; `/to/ADDRESS` sends elsewhere;
//! `/torn/path` gives a part that nobody has asked for, once.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A server that runs until the test ends.
#[derive(Debug)]
pub struct WebServer {
    host: String,
    asked: Arc<Mutex<Vec<String>>>,
}

struct Site {
    root: PathBuf,
    asked: Arc<Mutex<Vec<String>>>,
    failures: Mutex<BTreeMap<String, u32>>,
}

impl WebServer {
    /// Serves the files below a directory.
    #[track_caller]
    pub fn start(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen on the loopback");
        let host = listener.local_addr().expect("the listener's address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let site = Site { root: root.to_owned(), asked: Arc::clone(&asked), failures: Mutex::default() };
        let site = Arc::new(site);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let site = Arc::clone(&site);
                // Whoever hangs up in between does so.
                thread::spawn(move || site.answer(stream).ok());
            }
        });
        Self { host, asked }
    }

    /// Where it is: `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What it was asked for so far, with the range where there was one.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Site {
    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        let mut out = stream.try_clone()?;
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let Some(first) = lines.next() else { return Ok(()) };
        let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
        let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let range = headers
            .iter()
            .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
        let from: Option<usize> = range.and_then(|range| range.trim_end_matches('-').parse().ok());
        let noted = from.map_or_else(|| path.clone(), |from| format!("{path} from {from}"));
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(noted);
        self.serve(&mut out, &path, from)
    }

    fn serve(&self, out: &mut TcpStream, path: &str, from: Option<usize>) -> io::Result<()> {
        let mut parts = path.trim_start_matches('/').splitn(3, '/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some("to"), Some(scheme), Some(rest)) => {
                let head = format!("HTTP/1.1 302 Found\r\nLocation: {scheme}://{rest}\r\n");
                out.write_all(format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n").as_bytes())
            }
            (Some("flaky"), Some(times), Some(rest)) => {
                if self.count(path) <= times.parse().unwrap_or(0) {
                    return status(out, "503 Service Unavailable");
                }
                self.file(out, rest, from, None)
            }
            (Some("torn"), Some(_), _) if self.count(path) == 1 => {
                let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 7-9/10\r\n";
                out.write_all(format!("{head}Content-Length: 3\r\nConnection: close\r\n\r\nend").as_bytes())
            }
            (Some("torn"), Some(first), rest) => {
                let rest = rest.map(|rest| format!("/{rest}")).unwrap_or_default();
                self.file(out, &format!("{first}{rest}"), from, None)
            }
            (Some("broken"), Some(first), rest) => {
                let rest = rest.map(|rest| format!("/{rest}")).unwrap_or_default();
                let half = (self.count(path) == 1).then_some(2);
                self.file(out, &format!("{first}{rest}"), from, half)
            }
            _ => self.file(out, path.trim_start_matches('/'), from, None),
        }
    }

    /// How many times something has been asked for, this time included.
    fn count(&self, path: &str) -> u32 {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failures.entry(path.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// Gives a file from somewhere on, or the first part of it alone.
    fn file(
        &self,
        out: &mut TcpStream,
        path: &str,
        from: Option<usize>,
        part: Option<usize>,
    ) -> io::Result<()> {
        let Ok(bytes) = fs::read(self.root.join(path)) else { return status(out, "404 Not Found") };
        let start = from.unwrap_or(0).min(bytes.len());
        let rest = bytes.get(start..).unwrap_or_default();
        let word = if from.is_some() { "206 Partial Content" } else { "200 OK" };
        let length = rest.len();
        write!(
            out,
            "HTTP/1.1 {word}\r\nETag: \"one\"\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )?;
        out.write_all(part.map_or(rest, |part| rest.get(..length / part).unwrap_or_default()))
    }
}

fn status(out: &mut TcpStream, word: &str) -> io::Result<()> {
    write!(out, "HTTP/1.1 {word}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
