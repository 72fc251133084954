//! Whoever asks a person what a tool wants to know in the midst of a call.

use serde_json::{Map, Value};

use super::Pending;

/// What a person says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// These values, which fit the schema.
    Accepted(Map<String, Value>),
    /// That they will not say it.
    Declined,
    /// Nothing, on purpose: they have put the question away.
    Dismissed,
    /// Nothing: nobody was there, or nobody answered in time.
    Nothing,
}

/// Somebody who asks.
pub trait Inquirer: Send + Sync {
    /// Asks for values that fit a schema; both are a stranger's.
    fn ask<'a>(&'a self, message: &'a str, schema: &'a Value) -> Pending<'a, Said>;
}
