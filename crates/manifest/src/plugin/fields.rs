//! The keys of one mapping, read as what their manifest's dialect says they are.
//!
//! Each reader asks for the keys it knows; what nobody asked for is left over and can be kept or reported.

use super::inspection::{Document, Inspection, shown};
use crate::coerce;
use crate::fold::{fold, nearest};
use crate::tree::{Data, Entry, Map, Node, ScalarKind};
use crate::{Code, Pos, Problem};
use std::borrow::Cow;
use std::collections::HashSet;

/// How exactly a mapping is held to its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Keys in any spelling; numbers are read as text, one text as a list, null as nothing.
    Lenient,
    /// Keys in any spelling; every value must have its type.
    Strict,
    /// Keys as the specification spells them; every value must have its type.
    Exact,
}

/// A mapping being read.
pub(super) struct Fields<'a> {
    /// Where problems go.
    pub inspection: Inspection<'a>,
    map: &'a Map,
    /// The keys as they are compared, one for each pair.
    words: Vec<Cow<'a, str>>,
    at: Pos,
    rules: Rules,
    taken: HashSet<&'a str>,
}

/// How a mapping is read, and what it is called in messages.
struct Rules {
    manner: Manner,
    code: Code,
    label: String,
}

impl<'a> Fields<'a> {
    /// The keys of a document; values that cannot be used are reported under `code`.
    pub(super) fn new(
        inspection: Inspection<'a>,
        document: &'a Document,
        manner: Manner,
        code: Code,
    ) -> Self {
        Self::over(inspection, &document.map, document.at, Rules { manner, code, label: String::new() })
    }

    /// The keys of a mapping within this one, called `label` in messages; none if the value is no mapping.
    pub(super) fn within(&self, label: &str, node: &'a Node) -> Option<Self> {
        let Some(map) = node.as_map() else {
            self.wrong(label, node, "an object");
            return None;
        };
        let label = format!("{}{}.", self.rules.label, shown(label));
        let rules = Rules { manner: self.rules.manner, code: self.rules.code, label };
        Some(Self::over(self.inspection, map, node.at, rules))
    }

    /// The same mapping, with what cannot be used reported under another code.
    pub(super) fn with_code(mut self, code: Code) -> Self {
        self.rules.code = code;
        self
    }

    /// Where the mapping begins.
    pub(super) fn at(&self) -> Pos {
        self.at
    }

    /// The pairs of the mapping.
    pub(super) fn entries(&self) -> &'a [Entry] {
        self.map.entries()
    }

    /// The value of `key`, which is thereby known; null is no value where the manner is lenient.
    pub(super) fn take(&mut self, key: &str) -> Option<&'a Node> {
        let entry = self.find(key)?;
        self.taken.insert(&entry.key);
        self.peek(key)
    }

    /// The value of `key`, which is left over all the same.
    pub(super) fn peek(&self, key: &str) -> Option<&'a Node> {
        let node = &self.find(key)?.value;
        Some(node).filter(|node| self.rules.manner != Manner::Lenient || !node.is_null())
    }

    /// The first value under any of several keys.
    pub(super) fn take_any(&mut self, keys: &[&str]) -> Option<&'a Node> {
        let found: Vec<&'a Node> = keys.iter().filter_map(|key| self.take(key)).collect();
        found.first().copied()
    }

    /// Text under `key`; where the manner is lenient it is trimmed, and empty text is nothing.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let node = self.take(key)?;
        self.as_text(key, node)
    }

    /// Text under `key`, which has to be there, to be text and to say something.
    pub(super) fn required(&mut self, key: &str) -> Option<String> {
        let Some(node) = self.take(key) else {
            self.missing(key);
            return None;
        };
        match node.as_str() {
            None => self.wrong(key, node, "text"),
            Some(text) if text.trim().is_empty() => {
                let message = format!("`{}` is empty", self.named(key));
                self.refuse(node.at, message, format!("give `{key}` a value"));
            }
            Some(_) => return self.as_text(key, node),
        }
        None
    }

    /// A list of text under `key`.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(node) = self.take(key) else { return Vec::new() };
        if self.rules.manner == Manner::Lenient && node.as_str().is_some() {
            return coerce::comma_list(node);
        }
        let Some(items) = node.as_list() else {
            self.wrong(key, node, "a list of text");
            return Vec::new();
        };
        let texts = items.iter().enumerate();
        texts.filter_map(|(index, item)| self.as_text(&format!("{key}[{index}]"), item)).collect()
    }

    /// One text or a list of text under `key`, each with its place.
    pub(super) fn places(&mut self, key: &str) -> Vec<(String, Pos)> {
        let Some(node) = self.take(key) else { return Vec::new() };
        let read = |label: &str, item: &'a Node, wanted: &str| match item.as_str() {
            Some(text) => Some((text.to_owned(), item.at)),
            None => {
                self.wrong(label, item, wanted);
                None
            }
        };
        match node.as_list() {
            Some(items) => {
                let labelled = items.iter().enumerate();
                labelled.filter_map(|(index, item)| read(&format!("{key}[{index}]"), item, "text")).collect()
            }
            None => read(key, node, "text or a list of text").into_iter().collect(),
        }
    }

    /// A boolean under `key`.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        let node = self.take(key)?;
        let is_typed = node.as_scalar().is_some_and(|scalar| scalar.kind == ScalarKind::Bool);
        let flag =
            if is_typed || self.rules.manner == Manner::Lenient { coerce::boolean(node) } else { None };
        if flag.is_none() {
            self.wrong(key, node, "true or false");
        }
        flag
    }

    /// The mapping under `key`, to be read in the same manner.
    pub(super) fn fields(&mut self, key: &str) -> Option<Self> {
        let node = self.take(key)?;
        self.within(key, node)
    }

    /// The mapping under `key`, kept as it is.
    pub(super) fn data(&mut self, key: &str) -> Option<Data> {
        let node = self.take(key)?;
        if node.as_map().is_none() {
            self.wrong(key, node, "an object");
            return None;
        }
        Some(node.to_data())
    }

    /// The text of a value called `label`, as [`Fields::text`] reads it.
    pub(super) fn as_text(&self, label: &str, node: &Node) -> Option<String> {
        let lenient = self.rules.manner == Manner::Lenient;
        let text = match (node.as_str(), node.as_scalar()) {
            (Some(text), _) if lenient => text.trim().to_owned(),
            (Some(text), _) => text.to_owned(),
            (None, Some(scalar)) if lenient && !node.is_null() => {
                let message = format!("`{}` is {}; it was read as text", self.named(label), node.what());
                let problem =
                    Problem::new(Code::ValueInvalid, node.at, message, "put quotes around the value");
                self.inspection.report(problem);
                scalar.text.clone()
            }
            _ => {
                self.wrong(label, node, "text");
                return None;
            }
        };
        Some(text).filter(|text| !lenient || !text.is_empty())
    }

    /// Every pair that no reader asked for.
    pub(super) fn rest(&self) -> impl Iterator<Item = &'a Entry> {
        self.map.entries().iter().filter(|entry| !self.taken.contains(entry.key.as_str()))
    }

    /// What no reader asked for, to be kept; the schema's name says nothing about the plugin.
    pub(super) fn extra(&self) -> Vec<(String, Data)> {
        let kept = self.rest().filter(|entry| entry.key != "$schema");
        kept.map(|entry| (entry.key.clone(), entry.value.to_data())).collect()
    }

    /// Reports what no reader asked for, with the known key that was perhaps meant.
    pub(super) fn report_unknown(&self, known: &[&str]) {
        for entry in self.rest() {
            let key = shown(&entry.key);
            let message =
                format!("`{}{key}` is not a key of this manifest; it was ignored", self.rules.label);
            // A key of any length may stand here, and none that long is a slip of the pen.
            let near = Some(&entry.key).filter(|key| key.len() <= 64);
            let hint = match near.and_then(|key| nearest(key, known.iter().copied())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it".to_owned(),
            };
            self.inspection.report(Problem::new(Code::UnknownKey, entry.key_at, message, hint));
        }
    }

    /// Reports a value that its key does not take.
    pub(super) fn wrong(&self, label: &str, node: &Node, wanted: &str) {
        let message = format!("`{}` is {}, but takes {wanted}", self.named(label), node.what());
        self.refuse(node.at, message, format!("write {wanted}"));
    }

    /// Reports a key that has to be there.
    pub(super) fn missing(&self, key: &str) {
        self.refuse(self.at, format!("`{}` is missing", self.named(key)), format!("add `{key}`"));
    }

    /// Reports something under the code of this mapping.
    pub(super) fn refuse(&self, at: Pos, message: impl Into<String>, hint: impl Into<String>) {
        self.inspection.report(Problem::new(self.rules.code, at, message, hint));
    }

    /// The name of a key in messages: with the mappings it stands in.
    pub(super) fn named(&self, key: &str) -> String {
        format!("{}{}", self.rules.label, shown(key))
    }

    /// The name of this mapping in messages.
    pub(super) fn name(&self) -> &str {
        self.rules.label.trim_end_matches('.')
    }

    /// Where the value of `key` stands, or else the mapping.
    pub(super) fn at_key(&self, key: &str) -> Pos {
        self.find(key).map_or(self.at, |entry| entry.value.at)
    }

    fn over(inspection: Inspection<'a>, map: &'a Map, at: Pos, rules: Rules) -> Self {
        let spelled = |entry: &'a Entry| match rules.manner {
            Manner::Exact => Cow::Borrowed(entry.key.as_str()),
            Manner::Lenient | Manner::Strict => fold(&entry.key),
        };
        let words = map.entries().iter().map(spelled).collect();
        Self { inspection, map, words, at, rules, taken: HashSet::new() }
    }

    fn find(&self, key: &str) -> Option<&'a Entry> {
        let wanted = if self.rules.manner == Manner::Exact { Cow::Borrowed(key) } else { fold(key) };
        let index = self.words.iter().position(|word| *word == wanted)?;
        self.map.entries().get(index)
    }
}
