//! Logs: what the parts of a server say by `tracing`, one line each on standard error, for people or as JSON.
//!
//! A thread of its own writes them, so that nobody who is served waits for a slow terminal; what it cannot keep up with is dropped, and
//! the next line says how much that was.

use crate::surroundings;
use clap::ValueEnum;
use guild_engine::ledger::Timestamp;
use serde_json::{Map, Value};
use std::fmt::Debug;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// How many lines wait to be written.
const WAITING: usize = 4_096;

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// `name=value`, for people
    Text,
    /// One JSON object a line, for programs
    Json,
}

/// Has everything written down from now on that our own parts say.
pub fn begin(form: Form) -> io::Result<()> {
    let (lines, waiting) = sync_channel::<String>(WAITING);
    thread::Builder::new().name("logs".to_owned()).spawn(move || {
        for line in waiting {
            // Nobody reads it; the server goes on.
            if io::stderr().write_all(line.as_bytes()).is_err() {
                break;
            }
        }
    })?;
    tracing::subscriber::set_global_default(Logs { form, lines, lost: AtomicU64::new(0) })
        .map_err(io::Error::other)
}

struct Logs {
    form: Form,
    lines: SyncSender<String>,
    lost: AtomicU64,
}

impl Subscriber for Logs {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::INFO && metadata.target().starts_with("guild")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            fields.0.insert("lost".to_owned(), lost.into());
        }
        let time = Timestamp::from(surroundings::now()).to_string();
        let line = line(self.form, &time, event.metadata().level().as_str(), fields.0);
        if self.lines.try_send(line).is_err() {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// What an event says, by name.
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

fn line(form: Form, time: &str, level: &str, mut fields: Map<String, Value>) -> String {
    let message = fields.remove("message");
    match form {
        Form::Json => {
            let mut all = Map::new();
            all.insert("time".to_owned(), time.into());
            all.insert("level".to_owned(), level.to_ascii_lowercase().into());
            all.extend(message.map(|message| ("message".to_owned(), message)));
            all.extend(fields);
            format!("{}\n", Value::Object(all))
        }
        Form::Text => {
            let message = message.as_ref().and_then(Value::as_str).unwrap_or_default();
            let words = fields.iter().map(|(name, value)| match value {
                Value::String(text) if is_word(text) => format!(" {name}={text}"),
                value => format!(" {name}={value}"),
            });
            format!("{time} {level} {message}{}\n", words.collect::<String>())
        }
    }
}

/// Whether a text can stand without quotation marks.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn a_line_is_one_line_in_both_forms() {
        let Value::Object(fields) =
            json!({"message": "request", "route": "/mcp", "agent": "a\n\u{1b}b", "status": 200})
        else {
            return;
        };
        let both: String = [Form::Text, Form::Json]
            .map(|form| line(form, "2026-11-16T12:00:00.000Z", "INFO", fields.clone()))
            .concat();
        expect![[r#"
            2026-11-16T12:00:00.000Z INFO request status=200 route=/mcp agent="a\n\u001bb"
            {"time":"2026-11-16T12:00:00.000Z","level":"info","message":"request","status":200,"route":"/mcp","agent":"a\n\u001bb"}
        "#]].assert_eq(&both);
    }
}
