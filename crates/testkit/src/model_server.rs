//! A small server on this machine that speaks as models do, in both protocols, streaming: turn by turn what the test has written down.
//!
//! It decides nothing: each request gets the next turn, in the protocol of its path. It also has what networks and strangers have:
//! refusals, streams that are cut, streams without end, answers that are too large. Everything that it was asked is kept.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// What the model does when it is asked.
#[derive(Debug, Clone)]
pub enum ModelTurn {
    /// It says something and is done.
    Says(String),
    /// It wants tools to be called: names and arguments.
    Calls(Vec<(String, Value)>),
    /// It says something, not as a stream.
    SaysWhole(String),
    /// It says more than it may, and is stopped.
    Rambles(String),
    /// The server refuses: status, a further header line, the body.
    Refuses(u16, &'static str, String),
    /// The stream ends in the middle.
    BreaksOff(String),
    /// The stream never ends.
    Endless,
    /// One event of so many bytes.
    Huge(usize),
    /// A stream of exactly this text.
    Raw(String),
    /// Nothing is said until the client has gone.
    Silent,
}

/// What the server was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The path.
    pub path: String,
    /// The header lines, names in small letters.
    pub headers: Vec<String>,
    /// The body.
    pub body: Value,
}

/// A server that runs until the test ends.
#[derive(Debug)]
pub struct ModelServer {
    host: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

struct Script {
    turns: Mutex<VecDeque<ModelTurn>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    /// Serves these turns, one a request; after the last one it fails.
    #[track_caller]
    pub fn start(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen on the loopback");
        let host = listener.local_addr().expect("the listener's address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let turns = Mutex::new(turns.into_iter().collect());
        let script = Arc::new(Script { turns, asked: Arc::clone(&asked) });
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let script = Arc::clone(&script);
                // Whoever hangs up in between does so.
                thread::spawn(move || script.answer(stream).ok());
            }
        });
        Self { host, asked }
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.host)
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Script {
    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        let mut out = stream.try_clone()?;
        let mut input = BufReader::new(stream);
        let mut first = String::new();
        input.read_line(&mut first)?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            input.read_line(&mut line)?;
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            headers.push(format!("{}: {}", name.to_lowercase(), value.trim()));
        }
        let length = headers.iter().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        input.read_exact(&mut body)?;
        let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
        let is_messages = path.ends_with("/messages");
        let body = serde_json::from_slice(&body).unwrap_or_default();
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(Asked { path, headers, body });
        let turn = self.turns.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match turn {
            Some(turn) => act(&mut out, &mut input, &turn, is_messages),
            None => refuse(&mut out, 400, "", "{\"error\":{\"message\":\"the script is over\"}}"),
        }
    }
}

fn act(out: &mut TcpStream, input: &mut dyn Read, turn: &ModelTurn, is_messages: bool) -> io::Result<()> {
    match turn {
        ModelTurn::Refuses(status, header, body) => refuse(out, *status, header, body),
        ModelTurn::SaysWhole(text) => {
            let body = if is_messages { messages::whole(text) } else { completions::whole(text) };
            let body = body.to_string();
            let length = body.len();
            write!(
                out,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
        }
        ModelTurn::Endless => {
            begin(out)?;
            let event = if is_messages { messages::piece("more ") } else { completions::piece("more ") };
            loop {
                out.write_all(event.as_bytes())?;
            }
        }
        ModelTurn::Huge(bytes) => {
            begin(out)?;
            out.write_all(b"data: ")?;
            out.write_all(&vec![b'x'; *bytes])
        }
        ModelTurn::Raw(text) => {
            begin(out)?;
            out.write_all(text.as_bytes())
        }
        ModelTurn::Silent => {
            begin(out)?;
            input.read_to_end(&mut Vec::new()).map(drop)
        }
        ModelTurn::Says(text) => stream(out, is_messages, text, &[], "end"),
        ModelTurn::Rambles(text) => stream(out, is_messages, text, &[], "length"),
        ModelTurn::Calls(calls) => stream(out, is_messages, "", calls, "calls"),
        ModelTurn::BreaksOff(text) => {
            begin(out)?;
            let piece = if is_messages { messages::piece(text) } else { completions::piece(text) };
            out.write_all(piece.as_bytes())
        }
    }
}

fn begin(out: &mut TcpStream) -> io::Result<()> {
    write!(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
}

fn refuse(out: &mut TcpStream, status: u16, header: &str, body: &str) -> io::Result<()> {
    let (length, end) = (body.len(), if header.is_empty() { "" } else { "\r\n" });
    write!(
        out,
        "HTTP/1.1 {status} No\r\n{header}{end}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn stream(
    out: &mut TcpStream,
    is_messages: bool,
    text: &str,
    calls: &[(String, Value)],
    stop: &str,
) -> io::Result<()> {
    begin(out)?;
    let events =
        if is_messages { messages::turn(text, calls, stop) } else { completions::turn(text, calls, stop) };
    // In small pieces, which are cut anywhere.
    for piece in events.as_bytes().chunks(37) {
        out.write_all(piece)?;
        out.flush()?;
    }
    Ok(())
}

/// The two halves of a text, as a stream would have them.
fn halves(text: &str) -> [&str; 2] {
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    [&text[..middle], &text[middle..]]
}

/// Chat completions.
mod completions {
    use super::{Value, halves, json};

    fn event(delta: &Value, finish: Option<&str>) -> String {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        format!("data: {chunk}\n\n")
    }

    pub(super) fn piece(text: &str) -> String {
        event(&json!({"content": text}), None)
    }

    pub(super) fn turn(text: &str, calls: &[(String, Value)], stop: &str) -> String {
        let mut events = event(&json!({"role": "assistant", "content": ""}), None);
        events.extend(halves(text).map(piece));
        for (index, (name, arguments)) in calls.iter().enumerate() {
            let id = format!("call_{index}");
            let begun = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
            events += &event(&json!({"tool_calls": [begun]}), None);
            let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            for half in halves(&text) {
                let piece = json!({"index": index, "function": {"arguments": half}});
                events += &event(&json!({"tool_calls": [piece]}), None);
            }
        }
        let finish = match stop {
            "calls" => "tool_calls",
            "length" => "length",
            _ => "stop",
        };
        events += &event(&json!({}), Some(finish));
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}});
        events + &format!("data: {usage}\n\ndata: [DONE]\n\n")
    }

    pub(super) fn whole(text: &str) -> Value {
        json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
    }
}

/// Messages.
mod messages {
    use super::{Value, halves, json};

    fn event(value: &Value) -> String {
        format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
    }

    pub(super) fn piece(text: &str) -> String {
        let delta = json!({"type": "text_delta", "text": text});
        event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    }

    pub(super) fn turn(text: &str, calls: &[(String, Value)], stop: &str) -> String {
        let message =
            json!({"role": "assistant", "content": [], "usage": {"input_tokens": 100, "output_tokens": 1}});
        let mut events = event(&json!({"type": "message_start", "message": message}));
        events += &event(&json!({"type": "ping"}));
        let begun = json!({"type": "text", "text": ""});
        events += &event(&json!({"type": "content_block_start", "index": 0, "content_block": begun}));
        events.extend(halves(text).map(piece));
        events += &event(&json!({"type": "content_block_stop", "index": 0}));
        for (index, (name, arguments)) in calls.iter().enumerate() {
            let (id, index) = (format!("toolu_{index}"), index + 1);
            let begun = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
            events += &event(&json!({"type": "content_block_start", "index": index, "content_block": begun}));
            let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            for half in halves(&text) {
                let delta = json!({"type": "input_json_delta", "partial_json": half});
                events += &event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            events += &event(&json!({"type": "content_block_stop", "index": index}));
        }
        let reason = match stop {
            "calls" => "tool_use",
            "length" => "max_tokens",
            _ => "end_turn",
        };
        let delta = json!({"stop_reason": reason});
        events += &event(&json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 10}}));
        events + &event(&json!({"type": "message_stop"}))
    }

    pub(super) fn whole(text: &str) -> Value {
        json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"})
    }
}
