//! A registry that misbehaves: one scripted answer for each request, on a port of this machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that answers as its script says, until the test ends.
pub struct Server {
    pub host: String,
    /// Every request: its method, path and range.
    pub requests: Arc<Mutex<Vec<String>>>,
}

/// What to answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// How many bytes the head promises, where that is another number.
    pub promised: Option<usize>,
}

impl Answer {
    pub fn ok(body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: body.into(), promised: None }
    }

    pub fn status(status: u16) -> Answer {
        Answer { status, headers: Vec::new(), body: Vec::new(), promised: None }
    }
}

impl Server {
    /// Serves with a function from the request (`GET /path bytes=0-`) to the answer.
    pub fn start(mut script: impl FnMut(&str) -> Answer + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let request = read(&stream);
                let answer = script(&request);
                log.lock().unwrap().push(request);
                // Whoever asked may have seen enough.
                let _ = write(stream, &answer);
            }
        });
        Server { host, requests }
    }

    /// What was asked for, beyond the question whether this is a registry.
    pub fn asked(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|request| !request.starts_with("GET /v2/ ")).cloned().collect()
    }
}

fn read(stream: &TcpStream) -> String {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default().replace(" HTTP/1.1", "");
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let range = headers.iter().find_map(|line| line.strip_prefix("range: "));
    format!("{first} {}", range.unwrap_or_default())
}

fn write(mut stream: TcpStream, answer: &Answer) -> std::io::Result<()> {
    let Answer { status, headers, body, promised } = answer;
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = promised.unwrap_or(body.len());
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
    )?;
    stream.write_all(body)
}
