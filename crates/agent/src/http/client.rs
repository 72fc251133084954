//! Asking a server for one turn: again where it is busy or breaks off, never where it has said no, and bounded in what is read.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use guild_engine::ports::{SubagentError, SubagentTask};
use guild_engine::source::http as tls;
use guild_engine::{HttpRunner, Protocol, Workshop};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode, redirect};
use serde_json::Value;

use super::event_stream::EventStream;
use super::turn::Turn;
use super::{Talk, anthropic, openai};

/// How often one turn is asked for.
const TRIES: u32 = 5;
/// The first pause; each one is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest pause, whatever the server asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long a server may take to let us in.
const CONNECT: Duration = Duration::from_secs(15);
/// How long it may be silent: some think for long.
const SILENCE: Duration = Duration::from_secs(180);
/// What is read of one turn.
const MOST_BYTES: usize = 8 << 20;
/// What is read of an error.
const MOST_ERROR_BYTES: usize = 64 << 10;

/// A server that is asked.
pub(crate) struct Client<'a> {
    client: reqwest::Client,
    url: String,
    protocol: Protocol,
    headers: HeaderMap,
    task: &'a SubagentTask<'a>,
    now: &'a (dyn Fn() -> SystemTime + Send + Sync),
}

/// Why a try gave no turn.
enum Failure {
    /// It helps to ask again, after a while.
    Again { why: String, after: Option<Duration> },
    /// It does not.
    Final(SubagentError),
}

impl<'a> Client<'a> {
    /// The client, with the key that the configuration names.
    pub(crate) async fn new(
        runner: &HttpRunner,
        workshop: &'a Workshop<'_>,
        task: &'a SubagentTask<'a>,
    ) -> Result<Self, SubagentError> {
        let unavailable = |message: String| SubagentError::Unavailable(message);
        // It also chooses the library behind TLS for everybody.
        tls::client().map_err(|error| unavailable(error.to_string()))?;
        let client = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .user_agent(concat!("guild/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| unavailable(error.to_string()))?;
        let path = match runner.protocol {
            Protocol::Openai => openai::PATH,
            Protocol::Anthropic => anthropic::PATH,
        };
        let headers = headers(runner, workshop, task).await?;
        let url = format!("{}{path}", runner.url);
        Ok(Self { client, url, protocol: runner.protocol, headers, task, now: workshop.clock })
    }

    /// The next turn.
    pub(crate) async fn turn(&self, talk: &Talk<'_>) -> Result<Turn, SubagentError> {
        let body = match self.protocol {
            Protocol::Openai => openai::body(talk),
            Protocol::Anthropic => anthropic::body(talk),
        };
        let body = body.to_string();
        let (mut pause, mut last) = (PAUSE, String::new());
        for number in 1..=TRIES {
            match self.attempt(&body).await {
                Ok(turn) => return Ok(turn),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Again { why, after }) => {
                    if number < TRIES {
                        let wait = after.unwrap_or(pause).min(LONGEST_PAUSE);
                        self.task.transcript.note("note", &Value::String(format!("try {number}: {why}")));
                        (self.task.tell)(&format!("{why}; asks again"));
                        tokio::time::sleep(wait).await;
                        pause *= 2;
                    }
                    last = why;
                }
            }
        }
        Err(SubagentError::Unavailable(format!("{} gave no answer in {TRIES} tries: {last}", self.url)))
    }

    async fn attempt(&self, body: &str) -> Result<Turn, Failure> {
        let request = self.client.post(&self.url).headers(self.headers.clone()).body(body.to_owned());
        let response = request.send().await.map_err(|error| again(&cause(&error)))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let is_stream = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("text/event-stream"));
        self.read(response, is_stream, body.len()).await
    }

    /// Reads a turn to its end, as it comes or whole.
    async fn read(&self, mut response: Response, is_stream: bool, asked: usize) -> Result<Turn, Failure> {
        let mut reader = Reader::of(self.protocol);
        let (mut stream, mut whole, mut count) = (EventStream::default(), Vec::new(), 0_usize);
        loop {
            let bytes = match response.chunk().await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(error) => return Err(again(&format!("it broke off: {}", cause(&error)))),
            };
            count += bytes.len();
            if count > MOST_BYTES {
                return Err(failed(format!("{} says more than {MOST_BYTES} bytes at once", self.url)));
            }
            if !is_stream {
                whole.extend_from_slice(&bytes);
                continue;
            }
            let events =
                stream.read(&bytes).map_err(|_| failed("an event of its stream has no end".to_owned()))?;
            for event in events {
                reader.event(&event).map_err(|why| self.said_wrong(&why))?;
            }
        }
        if !is_stream {
            let text = String::from_utf8_lossy(&whole);
            reader.event(&text).map_err(|why| self.said_wrong(&why))?;
        }
        if !reader.is_complete() {
            return Err(again("it broke off in the middle of its answer"));
        }
        // About four bytes a token, where the server does not count.
        Ok(reader.turn(((asked + count) / 4) as u64))
    }

    /// What the server says is wrong in the midst of an answer; being busy passes.
    fn said_wrong(&self, why: &str) -> Failure {
        let passes = ["overloaded", "rate limit", "rate_limit", "internal server error", "api_error"];
        let lower = why.to_lowercase();
        if passes.iter().any(|word| lower.contains(word)) {
            return again(why);
        }
        failed(format!("{} says: {why}", self.url))
    }

    async fn refused(&self, mut response: Response) -> Failure {
        let (status, after) = (response.status(), self.pause_asked(response.headers()));
        let mut body = Vec::new();
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() > MOST_ERROR_BYTES {
                break;
            }
        }
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        let said = message_of(said.get("error").unwrap_or(&said));
        let why = if said.is_empty() { status.to_string() } else { format!("{status}: {said}") };
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Failure::Again { why, after },
            status if status.is_server_error() => Failure::Again { why, after },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let message =
                    format!("{} does not let us in ({why}); is the runner's `key` right?", self.url);
                Failure::Final(SubagentError::Unavailable(message))
            }
            _ => failed(format!("{} refuses what it is asked ({why})", self.url)),
        }
    }

    /// How long the server wants to be left alone: seconds, or until a moment.
    fn pause_asked(&self, headers: &HeaderMap) -> Option<Duration> {
        let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let moment = http_date(text)?;
        Some(moment.duration_since((self.now)()).unwrap_or_default())
    }
}

/// A reader of either protocol.
enum Reader {
    Openai(openai::Reader),
    Anthropic(anthropic::Reader),
}

impl Reader {
    fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Openai => Self::Openai(openai::Reader::default()),
            Protocol::Anthropic => Self::Anthropic(anthropic::Reader::default()),
        }
    }

    fn event(&mut self, data: &str) -> Result<(), String> {
        match self {
            Self::Openai(reader) => reader.event(data),
            Self::Anthropic(reader) => reader.event(data),
        }
    }

    fn is_complete(&self) -> bool {
        match self {
            Self::Openai(reader) => reader.is_complete(),
            Self::Anthropic(reader) => reader.is_complete(),
        }
    }

    fn turn(self, guess: u64) -> Turn {
        match self {
            Self::Openai(reader) => reader.turn(guess),
            Self::Anthropic(reader) => reader.turn(guess),
        }
    }
}

async fn headers(
    runner: &HttpRunner,
    workshop: &Workshop<'_>,
    task: &SubagentTask<'_>,
) -> Result<HeaderMap, SubagentError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if runner.protocol == Protocol::Anthropic {
        headers.insert(
            HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static(anthropic::VERSION),
        );
    }
    let Some(name) = &runner.key else { return Ok(headers) };
    let found = workshop.environment(std::slice::from_ref(name)).await;
    let found = found.map_err(|refusal| SubagentError::Unavailable(refusal.message))?;
    let key = found.get(name).ok_or_else(|| {
        SubagentError::Unavailable(format!(
            "the runner needs `{name}`, which is neither set nor kept; `guild secret set {name}` keeps it"
        ))
    })?;
    task.transcript.hide(key);
    let (header, value) = match runner.protocol {
        Protocol::Openai => ("authorization", format!("Bearer {key}")),
        Protocol::Anthropic => ("x-api-key", key.clone()),
    };
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| SubagentError::Unavailable(format!("`{name}` cannot be sent as a header")))?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static(header), value);
    Ok(headers)
}

/// What a server says is wrong, short and harmless.
pub(super) fn message_of(error: &Value) -> String {
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let message = match (text("type"), text("message")) {
        (Some(kind), Some(message)) => format!("{kind}: {message}"),
        (None, Some(message)) => message.to_owned(),
        _ => error.as_str().unwrap_or_default().to_owned(),
    };
    message.chars().filter(|c| !c.is_control()).take(300).collect()
}

fn again(why: &str) -> Failure {
    Failure::Again { why: why.to_owned(), after: None }
}

fn failed(message: String) -> Failure {
    Failure::Final(SubagentError::Failed(message))
}

/// What led to an error, without the address.
fn cause(error: &reqwest::Error) -> String {
    let mut said = if error.is_timeout() { "it takes too long".to_owned() } else { String::new() };
    let mut inner = error.source();
    while let Some(cause) = inner {
        said = if said.is_empty() { cause.to_string() } else { format!("{said}: {cause}") };
        inner = cause.source();
    }
    if said.is_empty() {
        "the connection was broken off".to_owned()
    } else {
        said.chars().take(300).collect()
    }
}

/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: &[&str] =
        &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = text.split_once(", ")?;
    let mut parts = rest.split(' ');
    let (day, month, year, time) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|known| *known == month)? + 1;
    humantime::parse_rfc3339(&format!("{year}-{month:02}-{day:0>2}T{time}Z")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_http_writes_it() {
        let moment = http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        assert_eq!(humantime::format_rfc3339_seconds(moment).to_string(), "1994-11-06T08:49:37Z");
        for wrong in ["", "soon", "Sun, 06 Noe 1994 08:49:37 GMT", "Sun, 06 Nov 1994"] {
            assert_eq!(http_date(wrong), None, "{wrong}");
        }
    }
}
