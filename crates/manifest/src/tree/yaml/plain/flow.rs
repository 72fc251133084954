//! JSON on one line, as vendors write it into frontmatter, straight into a tree.
//!
//! Like the reader around it, it gives up rather than guess: escapes, exponents, keys that stand twice and whatever is large
//! are left to the full parser.

use super::core_kind;
use crate::Pos;
use crate::text::clamp;
use crate::tree::{Entry, Map, Node, Scalar, ScalarKind, Value};

/// How deep this reader follows.
const MAX_DEPTH: usize = 6;
/// How many values it reads.
const MAX_NODES: usize = 1_000;
/// How long a key may be; to YAML a long one is none.
const MAX_KEY: usize = 1_000;
/// How many keys a mapping has room for at first.
const USUAL_KEYS: usize = 4;

/// Reads a text that begins at a place and holds one value and nothing else.
pub fn read(text: &str, at: Pos) -> Option<Node> {
    if memchr::memchr(b'\\', text.as_bytes()).is_some() {
        return None;
    }
    let mut flow = Flow { text, next: 0, at, nodes: 0 };
    let node = flow.value(0)?;
    (flow.next == text.len()).then_some(node)
}

/// What is left of a text, and where that stands in the file.
struct Flow<'a> {
    text: &'a str,
    next: usize,
    at: Pos,
    nodes: usize,
}

impl<'a> Flow<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.next).copied()
    }

    /// Steps over a mark, if it is the next one.
    fn has(&mut self, mark: u8) -> bool {
        let is_next = self.peek() == Some(mark);
        if is_next {
            self.next += 1;
            self.at.column += 1;
        }
        is_next
    }

    fn skip_spaces(&mut self) {
        while self.has(b' ') {}
    }

    /// Steps over so many bytes.
    fn take(&mut self, count: usize) -> Option<&'a str> {
        let end = self.next.checked_add(count)?;
        let taken = self.text.get(self.next..end)?;
        self.next = end;
        self.at.column = self.at.column.saturating_add(clamp(taken.chars().count()));
        Some(taken)
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return None;
        }
        let at = self.at;
        let scalar = |text: &str, kind| Value::Scalar(Scalar { text: text.to_owned(), kind });
        let value = match self.peek()? {
            b'{' => Value::Map(self.map(depth)?),
            b'[' => Value::List(self.list(depth)?),
            b'"' => scalar(self.quoted()?, ScalarKind::Text),
            _ => {
                let word = self.word()?;
                scalar(word, kind_of(word)?)
            }
        };
        Some(Node { value, at })
    }

    fn map(&mut self, depth: usize) -> Option<Map> {
        let mut map = Map::with_room_for(USUAL_KEYS);
        self.items(b'{', b'}', |flow| {
            let key_at = flow.at;
            let key = flow.quoted().filter(|key| key.len() <= MAX_KEY)?.to_owned();
            flow.skip_spaces();
            flow.has(b':').then(|| flow.skip_spaces())?;
            let value = flow.value(depth + 1)?;
            map.insert(Entry { key, key_at, value }).is_none().then_some(())
        })?;
        Some(map)
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        self.items(b'[', b']', |flow| {
            items.push(flow.value(depth + 1)?);
            Some(())
        })?;
        Some(items)
    }

    /// Reads what stands between two brackets, parted by commas.
    fn items(&mut self, open: u8, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.has(open).then_some(())?;
        self.skip_spaces();
        if self.has(close) {
            return Some(());
        }
        loop {
            item(self)?;
            self.skip_spaces();
            if self.has(close) {
                return Some(());
            }
            self.has(b',').then(|| self.skip_spaces())?;
        }
    }

    /// The text between two quotes.
    fn quoted(&mut self) -> Option<&'a str> {
        self.has(b'"').then_some(())?;
        let length = memchr::memchr(b'"', self.text.as_bytes().get(self.next..)?)?;
        let text = self.take(length)?;
        self.has(b'"').then_some(text)
    }

    /// A number or a name.
    fn word(&mut self) -> Option<&'a str> {
        let rest = self.text.as_bytes().get(self.next..)?;
        let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.');
        self.take(rest.iter().position(is_end).unwrap_or(rest.len()))
    }
}

/// What a word is in JSON and in YAML alike.
fn kind_of(word: &str) -> Option<ScalarKind> {
    match word {
        "null" => Some(ScalarKind::Null),
        "true" | "false" => Some(ScalarKind::Bool),
        _ => is_number(word).then(|| core_kind(word)),
    }
}

/// Whether a word is a number of JSON's without an exponent.
fn is_number(word: &str) -> bool {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}
