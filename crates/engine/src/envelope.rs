//! The envelope: the one result shape of every operation on every surface.
//!
//! It is not printed here, and the exit code is the code's.

use crate::codes::Code;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether an operation did what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did.
    Ok,
    /// It did not; `code` says why.
    Error,
}

/// A result: what came of it, a stable code, a sentence for people and the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Envelope<T> {
    /// Whether the operation did what was asked.
    pub status: Status,
    /// A stable word for the outcome.
    pub code: Code,
    /// One sentence for people; empty where the data says it all.
    pub message: String,
    /// The operation's own reply.
    pub data: T,
}

impl<T> Envelope<T> {
    /// A success with nothing to add to its data.
    pub fn ok(data: T) -> Self {
        Self { status: Status::Ok, code: Code::Ok, message: String::new(), data }
    }

    /// A failure; the data still has the operation's shape.
    pub fn error(code: Code, message: impl Into<String>, data: T) -> Self {
        Self { status: Status::Error, code, message: message.into(), data }
    }

    /// The same envelope with a sentence for people.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The same outcome with other data.
    pub fn map<U>(self, data: impl FnOnce(T) -> U) -> Envelope<U> {
        Envelope { status: self.status, code: self.code, message: self.message, data: data(self.data) }
    }

    /// The exit code that a command ends with.
    pub fn exit_code(&self) -> u8 {
        self.code.exit_code()
    }
}
