//! One tree for YAML, JSON, JSON5 and TOML: values that remember where they stood and how they were written.
//!
//! It has no opinion about what keys mean; `coerce` and the readers above do.

pub mod json;
pub mod toml;
pub mod yaml;

use crate::{Pos, fold::same};
use serde::{Deserialize, Serialize};

/// How deep a tree may nest.
pub const MAX_DEPTH: usize = 32;
/// How many values a tree may hold.
pub const MAX_NODES: usize = 20_000;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it begins.
    pub at: Pos,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text, a number, a boolean or nothing, with its spelling kept.
    Scalar(Scalar),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Map),
}

/// A scalar as it was written, so that `version: 1.0` stays "1.0".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text, without quotes.
    pub text: String,
    /// The type that the format gives it.
    pub kind: ScalarKind,
}

/// The type of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarKind {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number with a fraction or an exponent.
    Float,
    /// Everything else.
    Text,
}

/// A mapping that keeps order and the spelling of its keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Map {
    /// The pairs, in the order of the file; keys are unique.
    entries: Vec<Entry>,
    /// The marks of all keys, so that a key that is not there is not looked for.
    marks: u64,
}

/// One pair of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key as written.
    pub key: String,
    /// Where the key stands.
    pub key_at: Pos,
    /// Its value.
    pub value: Node,
}

/// A tree without places, for what is kept but not interpreted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Data {
    /// Nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(String),
    /// A sequence.
    List(Vec<Data>),
    /// A mapping in the order of the file.
    Map(Vec<(String, Data)>),
}

impl Node {
    /// A text node.
    pub fn text(text: impl Into<String>, at: Pos) -> Self {
        Self { value: Value::Scalar(Scalar { text: text.into(), kind: ScalarKind::Text }), at }
    }

    /// The mapping, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The sequence, if it is one.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar that is text by its format, not a number or boolean.
    pub fn as_str(&self) -> Option<&str> {
        self.as_scalar().filter(|scalar| scalar.kind == ScalarKind::Text).map(|scalar| scalar.text.as_str())
    }

    /// Whether it is `null` or absent by its spelling.
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(|scalar| scalar.kind == ScalarKind::Null)
    }

    /// What it is, in a word for messages.
    pub fn what(&self) -> &'static str {
        match &self.value {
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
            Value::Scalar(scalar) => match scalar.kind {
                ScalarKind::Null => "nothing",
                ScalarKind::Bool => "a boolean",
                ScalarKind::Int | ScalarKind::Float => "a number",
                ScalarKind::Text => "text",
            },
        }
    }

    /// Moves every place in the tree.
    pub(crate) fn place(&mut self, moved: &impl Fn(Pos) -> Pos) {
        self.at = moved(self.at);
        match &mut self.value {
            Value::Scalar(_) => {}
            Value::List(items) => items.iter_mut().for_each(|item| item.place(moved)),
            Value::Map(map) => map.place(moved),
        }
    }

    /// The same tree without places.
    pub fn to_data(&self) -> Data {
        match &self.value {
            Value::Scalar(scalar) => scalar.to_data(),
            Value::List(items) => Data::List(items.iter().map(Self::to_data).collect()),
            Value::Map(map) => map.to_data(),
        }
    }
}

impl Scalar {
    /// The typed value; a number too large for its type stays text.
    pub fn to_data(&self) -> Data {
        let text = || Data::Text(self.text.clone());
        match self.kind {
            ScalarKind::Null => Data::Null,
            ScalarKind::Bool => Data::Bool(self.text.eq_ignore_ascii_case("true")),
            ScalarKind::Int => parse_int(&self.text).map_or_else(text, Data::Int),
            ScalarKind::Float => parse_float(&self.text).map_or_else(text, Data::Float),
            ScalarKind::Text => text(),
        }
    }
}

impl Map {
    /// An empty mapping that has room for so many pairs.
    pub(crate) fn with_room_for(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), marks: 0 }
    }

    /// The pairs, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Moves every place in the mapping.
    fn place(&mut self, moved: &impl Fn(Pos) -> Pos) {
        for entry in &mut self.entries {
            entry.key_at = moved(entry.key_at);
            entry.value.place(moved);
        }
    }

    /// The entry whose key folds to the same word as `key` (kebab, snake and camel case are one); the last of several.
    #[inline]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        // Most keys that are asked for are not there, and the compiler knows the mark of each.
        if self.marks & mark(key) == 0 { None } else { self.last_spelled(key) }
    }

    fn last_spelled(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| same(&entry.key, key))
    }

    /// The value under `key`, by folded spelling.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value under exactly `key`.
    pub fn get_exact(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// Adds a pair, or replaces the one under the same spelling; returns the place of the replaced key.
    pub fn insert(&mut self, entry: Entry) -> Option<Pos> {
        let earlier = self.entries.iter().position(|known| known.key == entry.key);
        self.marks |= mark(&entry.key);
        // The replaced pair makes way, so that the last of several spellings is the last in the file.
        let replaced = earlier.map(|index| self.entries.remove(index).key_at);
        self.entries.push(entry);
        replaced
    }

    /// The same mapping without places.
    pub fn to_data(&self) -> Data {
        Data::Map(self.entries.iter().map(|entry| (entry.key.clone(), entry.value.to_data())).collect())
    }
}

impl From<Vec<Entry>> for Map {
    /// A mapping of pairs whose keys are unique.
    fn from(entries: Vec<Entry>) -> Self {
        let marks = entries.iter().fold(0, |marks, entry| marks | mark(&entry.key));
        Self { entries, marks }
    }
}

/// One bit for the letters that a key begins and ends with, which all its spellings share; all bits for one that begins or
/// ends with anything else.
#[inline]
fn mark(key: &str) -> u64 {
    match (key.as_bytes().first(), key.as_bytes().last()) {
        (Some(first), Some(last)) if first.is_ascii_alphabetic() && last.is_ascii_alphabetic() => {
            let (first, last) = (first.to_ascii_lowercase() - b'a', last.to_ascii_lowercase() - b'a');
            1 << ((first * 3 + last * 5) % 64)
        }
        _ => u64::MAX,
    }
}

impl Data {
    /// The value as JSON; numbers that JSON cannot hold become null.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => Json::from(*value),
            Self::Float(value) => Json::from(*value),
            Self::Text(value) => Json::from(value.as_str()),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(pairs) => {
                Json::Object(pairs.iter().map(|(key, value)| (key.clone(), value.to_json())).collect())
            }
        }
    }

    /// The value under `key` of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// Reads a whole number in decimal, hexadecimal (`0x`) or octal (`0o`).
pub fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(hex, 16).ok()?
    } else if let Some(octal) = digits.strip_prefix("0o") {
        i64::from_str_radix(octal, 8).ok()?
    } else if digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        digits.replace('_', "").parse().ok()?
    } else {
        return None;
    };
    Some(if negative { -value } else { value })
}

/// Reads a finite number.
pub fn parse_float(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}
