//! One file's tree to values: known keys, right types, and a problem for everything else.
//!
//! It knows how values are written, not which keys there are (`keys`) nor what they are for (`sections`).

use super::keys::{self, Right, Table};
use super::{Layer, Place, Placed, path};
use crate::tree::{Data, Entry, Node, ScalarKind, parse_float, parse_int};
use crate::{Code, Pos, Problem, coerce};
use std::ops::RangeInclusive;

/// Where a person's own configuration stands, for hints.
const USER_FILE: &str = "~/.config/guild/config.toml";
/// How much of a hostile word a message repeats.
const SHOWN: usize = 60;

/// Reads one file and gathers its problems.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    file: &'a str,
    layer: Layer,
    pub problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a str, layer: Layer) -> Self {
        Self { file, layer, problems: Vec::new() }
    }

    pub fn file(&self) -> &'a str {
        self.file
    }

    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The entries of a mapping that `table` knows and this file may set, under their canonical names.
    pub fn known<'n>(&mut self, label: &str, node: &'n Node, table: Table) -> Vec<(&'static str, &'n Entry)> {
        let mut known: Vec<(&'static str, &'n Entry)> = Vec::new();
        for entry in self.entries(label, node) {
            let Some(name) = self.permitted(label, entry, table) else { continue };
            match known.iter_mut().find(|(known, _)| *known == name) {
                None => known.push((name, entry)),
                Some((_, earlier)) => {
                    let line = earlier.key_at.line;
                    let message = format!(
                        "`{}` stands twice, first on line {line}; this one counts",
                        join(label, name)
                    );
                    self.tell(Code::DuplicateKey, entry.key_at, message, "remove one of the two");
                    *earlier = entry;
                }
            }
        }
        known
    }

    /// The canonical name of a key, if `table` knows it and this file may set it.
    fn permitted(&mut self, label: &str, entry: &Entry, table: Table) -> Option<&'static str> {
        let at = entry.key_at;
        let Some(key) = keys::find(table, &entry.key) else {
            let message = format!("`{}` is not known; it was ignored", join(label, &entry.key));
            self.tell(Code::ConfigKeyUnknown, at, message, keys::advice(table, &entry.key));
            return None;
        };
        let label = join(label, key.name);
        match key.right {
            Right::Nobody => {
                let message = format!("`{label}` is not kept, because secrets stand there; it was ignored");
                self.tell(Code::ConfigKeyUnknown, at, message, "set the variable in the environment");
                None
            }
            Right::Owner if self.layer == Layer::Project => {
                self.problems.push(untrusted(&label, at, "cannot be set"));
                None
            }
            Right::Owner | Right::Anyone => Some(key.name),
        }
    }

    /// The entries of a mapping; none, with a problem, for anything else but null.
    pub fn entries<'n>(&mut self, label: &str, node: &'n Node) -> &'n [Entry] {
        match node.as_map() {
            Some(map) => map.entries(),
            None => {
                self.wrong(label, node, "a table of keys and values");
                &[]
            }
        }
    }

    pub fn boolean(&mut self, label: &str, node: &Node) -> Option<Placed<bool>> {
        let value = coerce::boolean(node);
        self.placed(label, node, value, "true or false")
    }

    pub fn number(&mut self, label: &str, node: &Node, range: RangeInclusive<u64>) -> Option<Placed<u64>> {
        let value = integer(node).and_then(|value| u64::try_from(value).ok());
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        self.placed(label, node, value.filter(|value| range.contains(value)), &wanted)
    }

    /// A number that need not be whole.
    pub fn decimal(&mut self, label: &str, node: &Node, range: RangeInclusive<f64>) -> Option<Placed<f64>> {
        let is_number = |kind| matches!(kind, ScalarKind::Int | ScalarKind::Float);
        let scalar = node.as_scalar().filter(|scalar| is_number(scalar.kind));
        let value = scalar.and_then(|scalar| parse_float(&scalar.text));
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        self.placed(label, node, value.filter(|value| range.contains(value)), &wanted)
    }

    /// Text that is not empty.
    pub fn text(&mut self, label: &str, node: &Node) -> Option<Placed<String>> {
        self.word(label, node)
    }

    pub fn signed(&mut self, label: &str, node: &Node) -> Option<i64> {
        self.placed(label, node, integer(node), "a whole number").map(|placed| placed.value)
    }

    /// One of the given words.
    pub fn choice<T: Copy>(&mut self, label: &str, node: &Node, words: &[(&str, T)]) -> Option<T> {
        self.chosen(label, node, words).map(|placed| placed.value)
    }

    /// One of the given words, with its place.
    pub fn chosen<T: Copy>(&mut self, label: &str, node: &Node, words: &[(&str, T)]) -> Option<Placed<T>> {
        let text = node.as_str().unwrap_or_default().trim();
        let value = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value);
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.placed(label, node, value, &format!("one of {}", names.join(", ")))
    }

    /// The words of a list, or those of one text, which commas part.
    pub fn words(&mut self, label: &str, node: &Node) -> Option<Placed<Vec<String>>> {
        let words = self.items(label, node)?.into_iter().map(|word| word.value);
        let words = if node.as_list().is_some() { words.collect() } else { words.flat_map(parted).collect() };
        Some(Placed { value: words, at: node.at })
    }

    /// The paths of a list, or the one path that stands alone; in a project's file only those that stay inside.
    pub fn paths(&mut self, label: &str, node: &Node) -> Vec<Place> {
        let items = self.items(label, node).unwrap_or_default();
        items.into_iter().filter_map(|item| self.place(label, item)).collect()
    }

    /// One path.
    pub fn path(&mut self, label: &str, node: &Node) -> Option<Place> {
        let word = self.word(label, node)?;
        self.place(label, word)
    }

    /// A table of whatever keys its owner likes.
    pub fn free(&mut self, label: &str, node: &Node) -> Option<Data> {
        let is_map = node.as_map().is_some();
        self.placed(label, node, is_map.then(|| node.to_data()), "a table of keys and values")
            .map(|placed| placed.value)
    }

    /// Tells that a value is none that its key takes; null is an absent value and not worth a word.
    pub fn wrong(&mut self, label: &str, node: &Node, wanted: &str) {
        if !node.is_null() {
            self.problems.push(coerce::wrong(label, node, wanted).with_code(Code::ConfigValueInvalid));
        }
    }

    fn items(&mut self, label: &str, node: &Node) -> Option<Vec<Placed<String>>> {
        match node.as_list() {
            Some(items) => Some(items.iter().filter_map(|item| self.word(label, item)).collect()),
            None if node.as_str().is_some() => Some(self.word(label, node).into_iter().collect()),
            None => {
                self.wrong(label, node, "a list of text");
                None
            }
        }
    }

    fn word(&mut self, label: &str, node: &Node) -> Option<Placed<String>> {
        let is_text = |kind| matches!(kind, ScalarKind::Text | ScalarKind::Int | ScalarKind::Float);
        let text = node.as_scalar().filter(|scalar| is_text(scalar.kind));
        let text = text.map(|scalar| scalar.text.trim()).filter(|text| !text.is_empty());
        match text {
            Some(text) if !text.contains('\0') => Some(Placed { value: text.to_owned(), at: node.at }),
            _ => {
                let message = format!("`{label}` has an entry that is no text; it was ignored");
                self.tell(Code::ConfigValueInvalid, node.at, message, "write text that is not empty");
                None
            }
        }
    }

    fn place(&mut self, label: &str, path: Placed<String>) -> Option<Place> {
        let Placed { value: path, at } = path;
        if self.layer == Layer::Project && !path::stays_inside(&path) {
            let what = format!("names `{}`, which leads out of the project", shorten(&path));
            self.problems.push(untrusted(label, at, &what));
            return None;
        }
        Some(Place { path, layer: self.layer, file: self.file.to_owned(), at })
    }

    fn placed<T>(&mut self, label: &str, node: &Node, value: Option<T>, wanted: &str) -> Option<Placed<T>> {
        if value.is_none() {
            self.wrong(label, node, wanted);
        }
        value.map(|value| Placed { value, at: node.at })
    }

    pub fn tell(&mut self, code: Code, at: Pos, message: String, hint: impl Into<String>) {
        self.problems.push(Problem::new(code, at, message, hint));
    }
}

/// The problem of a project's file that wants more than to narrow; `what` says what it cannot do.
pub(super) fn untrusted(label: &str, at: Pos, what: &str) -> Problem {
    let message = format!("`{label}` {what}; a project's file only narrows, so it was ignored");
    Problem::new(Code::ConfigKeyUntrusted, at, message, format!("set it in {USER_FILE}, which is yours"))
}

/// The dotted name of a key, quoted where it would not be read as one word.
pub(super) fn join(label: &str, key: &str) -> String {
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let key = if is_word { shorten(key) } else { format!("{:?}", shorten(key)) };
    if label.is_empty() { key } else { format!("{label}.{key}") }
}

/// The first characters of a word, for messages.
pub(super) fn shorten(word: &str) -> String {
    match word.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", word.get(..end).unwrap_or_default()),
        None => word.to_owned(),
    }
}

/// The words of a text that commas part.
fn parted(text: String) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn integer(node: &Node) -> Option<i64> {
    node.as_scalar()
        .filter(|scalar| scalar.kind == ScalarKind::Int)
        .and_then(|scalar| parse_int(&scalar.text))
}
