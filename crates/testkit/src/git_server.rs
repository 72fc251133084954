//! A real git server on this machine: git's own `http-backend` behind a small web server, for those alone who know the password.
//!
//! It speaks plain HTTP on a port of the loopback that the system chose, and smart HTTP as every forge does. Requests are few and small,
//! so that each gets a connection and a thread of its own.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// `ada:lovelace`.
const AUTHORIZATION: &str = "Basic YWRhOmxvdmVsYWNl";

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct GitServer {
    host: String,
    is_over: Arc<AtomicBool>,
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl GitServer {
    /// Serves every repository below a directory to `ada`, whose password is `lovelace`, and to nobody else.
    #[track_caller]
    pub fn start(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen on the loopback");
        let host = listener.local_addr().expect("the listener's address").to_string();
        let is_over = Arc::new(AtomicBool::new(false));
        let (root, over) = (root.to_owned(), Arc::clone(&is_over));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let root = root.clone();
                // Whoever hangs up in between does so.
                thread::spawn(move || answer(stream, &root).ok());
            }
        });
        Self { host, is_over }
    }

    /// Where it is: `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The listener looks up when somebody comes.
        TcpStream::connect(&self.host).ok();
    }
}

fn answer(stream: TcpStream, root: &Path) -> io::Result<()> {
    let mut out = stream.try_clone()?;
    let Some(request) = read(&mut BufReader::new(stream), &mut out)? else { return Ok(()) };
    if request.headers.get("authorization").map(String::as_str) != Some(AUTHORIZATION) {
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return out.write_all(head.as_bytes());
    }
    let said = backend(root, &request)?;
    let end = said.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(said.len());
    let (head, body) = said.split_at(end);
    let head = String::from_utf8_lossy(head);
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_owned();
    let rest: String =
        head.lines().filter(|line| !line.starts_with("Status: ")).map(|line| format!("{line}\r\n")).collect();
    write!(out, "HTTP/1.1 {status}\r\n{rest}Connection: close\r\n\r\n")?;
    out.write_all(body.get(4..).unwrap_or_default())
}

/// Reads one request; nothing where somebody only looked in.
fn read(reader: &mut impl BufRead, out: &mut impl Write) -> io::Result<Option<Request>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    if headers.contains_key("expect") {
        out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut body = Vec::new();
    if headers.get("transfer-encoding").is_some_and(|value| value == "chunked") {
        while let size @ 1.. = chunk_size(reader)? {
            reader.by_ref().take(size).read_to_end(&mut body)?;
            reader.read_line(&mut String::new())?;
        }
    } else {
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        reader.take(length).read_to_end(&mut body)?;
    }
    Ok(Some(Request { method, path, query, headers, body }))
}

fn chunk_size(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    u64::from_str_radix(line.trim_end(), 16).map_err(io::Error::other)
}

/// Asks git, as web servers do.
fn backend(root: &Path, request: &Request) -> io::Result<Vec<u8>> {
    let header = |name: &str| request.headers.get(name).cloned().unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "git is a program of its own")]
    let mut command = Command::new("git");
    command
        .args(["-c", "safe.directory=*", "http-backend"])
        .env("GIT_PROJECT_ROOT", PathBuf::from(root))
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", "/nowhere")
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("REMOTE_USER", "ada")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        let body = request.body.clone();
        thread::spawn(move || pipe.write_all(&body).ok());
    }
    Ok(child.wait_with_output()?.stdout)
}
