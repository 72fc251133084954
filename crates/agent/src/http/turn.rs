//! One turn of a model: what it said, what it wants to be called, and why it stopped.

use serde_json::{Map, Value, json};

/// What a model said at once.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) stop: Stop,
    /// Read and written, as the server counts them, else as we guess.
    pub(crate) tokens: u64,
    /// The turn as the protocol wants it back.
    pub(crate) content: Vec<Value>,
}

/// A tool that a model wants to be called.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// What it is given; nothing where that is no object.
    pub(crate) input: Option<Map<String, Value>>,
}

/// Why a model stopped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It has said what it had to say.
    #[default]
    Done,
    /// It would have said more.
    Length,
    /// It will not answer.
    Refused,
}

impl Turn {
    /// The turn for a transcript.
    pub(crate) fn noted(&self) -> Value {
        let calls: Vec<&str> = self.calls.iter().map(|call| call.name.as_str()).collect();
        json!({"text": self.text, "calls": calls, "tokens": self.tokens})
    }
}
