//! What a child agent said and heard, kept for whoever looks later: one JSON object a line, bounded, without the values of secrets.
//!
//! It is evidence and nothing more: nobody acts on it.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::discretion::Discretion;

/// What is kept of one run.
const MOST_BYTES: usize = 4 << 20;
/// What is kept of one entry.
const LONGEST_ENTRY: usize = 256 << 10;

/// A transcript that is being written.
#[derive(Default)]
pub struct Transcript {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    lines: String,
    is_cut: bool,
    discretion: Discretion,
}

impl Transcript {
    /// A transcript that never shows these values.
    pub fn hiding(secrets: impl IntoIterator<Item = String>) -> Self {
        let transcript = Self::default();
        secrets.into_iter().for_each(|secret| transcript.hide(&secret));
        transcript
    }

    /// Never shows this value, from here on and in what was noted before.
    pub fn hide(&self, secret: &str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.discretion.hide(secret);
    }

    /// The text without the values that are hidden.
    pub fn discreet(&self, text: &str) -> String {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.discretion.text(text)
    }

    /// Notes what somebody said: `system`, `task`, `assistant`, `call`, `result`, `answer`, `note`.
    pub fn note(&self, who: &str, what: &Value) {
        let what = match what {
            Value::String(text) => Value::String(cut(&self.discreet(text), LONGEST_ENTRY).to_owned()),
            other => self.discreet_value(other),
        };
        let line = json!({"who": who, "what": what}).to_string();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.lines.len() + line.len() + 1 > MOST_BYTES {
            inner.is_cut = true;
            return;
        }
        inner.lines.push_str(&line);
        inner.lines.push('\n');
    }

    /// All of it, and whether there was more.
    pub(crate) fn finish(&self) -> (Vec<u8>, bool) {
        let text = {
            let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            (inner.lines.clone(), inner.is_cut)
        };
        // Once more for what was noted before its secret was known.
        (self.discreet(&text.0).into_bytes(), text.1)
    }

    /// The same for a value, whose texts are escaped only when it is written.
    fn discreet_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(cut(&self.discreet(text), LONGEST_ENTRY).to_owned()),
            Value::Array(items) => items.iter().map(|item| self.discreet_value(item)).collect(),
            Value::Object(pairs) => {
                let pair = |(key, value): (&String, &Value)| (self.discreet(key), self.discreet_value(value));
                Value::Object(pairs.iter().map(pair).collect())
            }
            other => other.clone(),
        }
    }
}

/// The first part of a text, cut between characters.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(transcript: &Transcript) -> String {
        String::from_utf8(transcript.finish().0).unwrap()
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_and_whenever_it_became_known() {
        let transcript = Transcript::hiding(["sk-one-and-more".to_owned(), "tiny".to_owned()]);
        transcript.note("assistant", &json!("later-known and sk-one-and-more"));
        transcript.hide("later-known");
        transcript.hide("sk-one");
        transcript.note("call", &json!({"sk-one": ["x sk-one-and-more y", 1, null]}));
        assert_eq!(
            text(&transcript),
            "{\"who\":\"assistant\",\"what\":\"<secret> and <secret>\"}\n\
             {\"who\":\"call\",\"what\":{\"<secret>\":[\"x <secret> y\",1,null]}}\n"
        );
        assert_eq!(transcript.discreet("tiny sk-one"), "tiny <secret>");
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters_and_said_to_be() {
        let transcript = Transcript::default();
        transcript.note("assistant", &json!("é".repeat(LONGEST_ENTRY)));
        assert!(text(&transcript).len() <= LONGEST_ENTRY + 64);
        for _ in 0..20 {
            transcript.note("assistant", &json!("x".repeat(LONGEST_ENTRY)));
        }
        let (kept, is_cut) = transcript.finish();
        assert!(kept.len() <= MOST_BYTES && is_cut);
    }
}
