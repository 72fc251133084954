//! A fast way through the YAML that nearly everybody writes: `key: value` lines, nested by indentation, short lists.
//!
//! Thousands of frontmatters are read on every start, and most need nothing of YAML but this. What is not plainly of
//! this form is left to the full parser: this reader gives `None` rather than guess, and a test holds that whatever it
//! does read, the full parser reads as the same tree at the same places.

mod flow;

use super::core_kind;
use crate::Pos;
use crate::text::{self, clamp};
use crate::tree::{Entry, Map, Node, Scalar, ScalarKind, Value};

/// How deep this reader follows.
const MAX_DEPTH: usize = 6;
/// How many keys a mapping has room for at first.
const USUAL_KEYS: usize = 8;

/// Reads a whole block, or nothing.
pub fn parse(text: &str, first_line: u32) -> Option<Node> {
    if !text.ends_with('\n') || !is_ordinary_text(text) {
        return None;
    }
    let mut lines = Vec::with_capacity(16);
    for (index, line) in text::lines(text).enumerate() {
        let line =
            Line::new(first_line.saturating_add(clamp(index)), line.strip_suffix('\n').unwrap_or(line));
        // An empty line parts nothing here; one of blanks may be text of a block.
        match line.text.is_empty() {
            true if line.indent > 0 => return None,
            true => {}
            false => lines.push(line),
        }
    }
    let mut reader = Reader { lines: &lines, next: 0 };
    let root = reader.mapping(0, 0)?;
    (reader.next == lines.len()).then_some(root)
}

fn is_ordinary_text(text: &str) -> bool {
    // Every byte is looked at, whatever came before it: only then does the compiler look at many of them at once.
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) || byte == b'\n';
    text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) || text.chars().all(is_ordinary)
}

fn is_ordinary(c: char) -> bool {
    (' '..='~').contains(&c) || c == '\n' || (c > '\u{9f}' && c != '\u{feff}')
}

/// A line without the blanks around it.
struct Line<'a> {
    number: u32,
    indent: usize,
    text: &'a str,
    /// Whether spaces follow the text, which count in a block of text only.
    is_ragged: bool,
}

impl<'a> Line<'a> {
    fn new(number: u32, line: &'a str) -> Self {
        let start = line.trim_start_matches(' ');
        let text = start.trim_end_matches(' ');
        Self { number, indent: line.len() - start.len(), text, is_ragged: text.len() < start.len() }
    }
}

struct Reader<'a> {
    lines: &'a [Line<'a>],
    next: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a Line<'a>> {
        self.lines.get(self.next)
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let at = self
            .peek()
            .filter(|_| depth <= MAX_DEPTH)
            .map(|line| Pos::new(line.number, clamp(indent + 1)))?;
        // Growing would move what is there already, and each line left is one pair at the most.
        let mut map = Map::with_room_for(self.lines.len().saturating_sub(self.next).min(USUAL_KEYS));
        while let Some(line) =
            self.peek().filter(|line| line.indent == indent && !line.text.starts_with("- "))
        {
            self.next += 1;
            let (key, rest) = line.text.split_at_checked(memchr::memchr(b':', line.text.as_bytes())?)?;
            let rest = rest.strip_prefix(':')?;
            let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
            // A key that reads as another type is text all the same, so only its letters matter.
            if !is_key {
                return None;
            }
            let column = indent + key.len() + 2 + rest.len() - rest.trim_start_matches(' ').len();
            let value = match rest.strip_prefix(' ') {
                Some(value) => {
                    let value = value.trim_start_matches(' ');
                    match value {
                        ">" | ">-" | "|" | "|-" => self.text_block(value, indent, line.number)?,
                        _ if self.peek().is_some_and(|next| next.indent > indent) => {
                            self.run_on(value, line, column)?
                        }
                        _ => self.value(value, line, column)?,
                    }
                }
                None if rest.is_empty() => self.below(indent, depth)?,
                None => return None,
            };
            let entry =
                Entry { key: key.to_owned(), key_at: Pos::new(line.number, clamp(indent + 1)), value };
            if map.insert(entry).is_some() {
                return None;
            }
        }
        // Deeper lines here would belong to the value above them.
        self.peek().is_none_or(|line| line.indent < indent).then_some(Node { value: Value::Map(map), at })
    }

    /// What stands on the lines below a key without a value.
    fn below(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let line = self.peek()?;
        if line.text.starts_with("- ") && line.indent >= indent {
            return self.list(line.indent, line.indent == indent);
        }
        if line.indent > indent { self.mapping(line.indent, depth + 1) } else { None }
    }

    fn list(&mut self, indent: usize, is_flush: bool) -> Option<Node> {
        let mut at = Pos::new(self.peek()?.number, clamp(indent + 1));
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent) {
            let Some(item) = line.text.strip_prefix("- ") else { break };
            self.next += 1;
            let text = item.trim_start_matches(' ');
            let column = indent + line.text.len() - text.len() + 1;
            // A list that is not indented below its key begins, to the full parser, with its first value.
            if is_flush && items.is_empty() {
                at.column = clamp(column);
            }
            items.push(self.value(text, line, column)?);
        }
        self.peek().is_none_or(|line| line.indent <= indent).then_some(Node { value: Value::List(items), at })
    }

    /// A block of text below a `>` or `|`, all of one indentation and without blank lines.
    fn text_block(&mut self, header: &str, indent: usize, header_line: u32) -> Option<Node> {
        let depth = self.peek()?.indent;
        let at = Pos::new(header_line + 1, clamp(depth + 1));
        let mut text = String::new();
        let mut number = header_line;
        while let Some(line) = self.peek().filter(|line| line.indent > indent) {
            if line.indent != depth || line.is_ragged || line.number != number + 1 {
                return None;
            }
            if !text.is_empty() {
                text.push(if header.starts_with('>') { ' ' } else { '\n' });
            }
            text.push_str(line.text);
            number = line.number;
            self.next += 1;
        }
        if !header.ends_with('-') {
            text.push('\n');
        }
        (number > header_line).then(|| Node::text(text, at))
    }

    /// A plain value that runs on over deeper lines without blank ones between them.
    fn run_on(&mut self, first: &str, line: &Line<'_>, column: usize) -> Option<Node> {
        let start = first.chars().next()?;
        if !is_plain_start(start, first) || !is_plain_text(first) {
            return None;
        }
        let mut text = first.to_owned();
        let mut number = line.number;
        while let Some(next) = self.peek().filter(|next| next.indent > line.indent) {
            let is_text = is_plain_text(next.text) && !next.text.starts_with(['#', '-', '?', ':']);
            if !is_text || next.number != number + 1 {
                return None;
            }
            text.push(' ');
            text.push_str(next.text);
            number = next.number;
            self.next += 1;
        }
        Some(Node::text(text, Pos::new(line.number, clamp(column))))
    }

    /// A value on one line; the next line must not continue it.
    fn value(&self, text: &str, line: &Line<'_>, column: usize) -> Option<Node> {
        if self.peek().is_some_and(|next| next.indent > line.indent) {
            return None;
        }
        let at = Pos::new(line.number, clamp(column));
        let scalar =
            |text: &str, kind| Node { value: Value::Scalar(Scalar { text: text.to_owned(), kind }), at };
        match text.chars().next()? {
            quote @ ('"' | '\'') => {
                let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
                let mark = if quote == '"' { b'"' } else { b'\'' };
                let is_marked = memchr::memchr2(mark, b'\\', inner.as_bytes()).is_some();
                (!is_marked).then(|| scalar(inner, ScalarKind::Text))
            }
            '{' | '[' => flow::read(text, at),
            first if is_plain_start(first, text) && is_plain_text(text) => {
                Some(scalar(text, core_kind(text)))
            }
            _ => None,
        }
    }
}

/// Whether a plain value, or a line of one, holds nothing that means something to YAML.
fn is_plain_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b':', b'#', bytes).all(|at| match bytes.get(at) {
        Some(b':') => bytes.get(at + 1).is_some_and(|next| *next != b' '),
        _ => at.checked_sub(1).is_none_or(|before| bytes.get(before) != Some(&b' ')),
    })
}

fn is_plain_start(first: char, text: &str) -> bool {
    let is_number = || text.get(1..2).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
    first.is_alphanumeric() || matches!(first, '/' | '(' | '$' | '_') || (first == '-' && is_number())
}

#[cfg(test)]
mod tests {
    use super::super::parse_fully;
    use super::*;

    /// Whatever the fast reader reads, the full parser reads the same.
    #[track_caller]
    fn agree(text: &str) -> bool {
        let fast = parse(text, 3);
        if let Some(fast) = &fast {
            let full =
                parse_fully(text, 3).unwrap_or_else(|problem| panic!("{text:?} only read fast: {problem}"));
            assert!(full.problems.is_empty(), "{text:?} has problems");
            assert_eq!(full.root.as_ref(), Some(fast), "{text:?}");
        }
        fast.is_some()
    }

    #[test]
    fn it_reads_what_nearly_everybody_writes() {
        for text in [
            "name: a\n",
            "name: a-b_c\ndescription: Words, commas; 'quotes' and (brackets) [too] {here}.\n",
            "a: \"quoted: with # marks\"\nb: 'single # too'\n",
            "a:\n  b: 1\n  c:\n    d: true\ne: ~x\n".trim_end_matches("e: ~x\n"),
            "tags:\n  - one\n  - \"two\"\n  - -3\nother: x\n",
            "tags:\n- one\n- two\nother: x\n",
            "metadata: {\"a\": {\"b\": [\"c\", 1, true, null]}, \"d\": \"e\"}\n",
            "allowed-tools: Bash(git:*) Read\nversion: 1.0\nwhen_to_use:   spaced   out  \n",
            "größe: x\n".replace("größe", "groesse").as_str(),
            "description: größe 名前 ❤\n\nlicense: MIT\n",
            "url: http://a.b:80/c#d\n",
            "a: {}\nb: []\nc: { \"d\" : -1.50 , \"e\":[ true,false , null,0 ] }\n",
            "a: {\"größe\": \"名前 ❤\", \"b\": [{\"c\": \"d: e, #f {}\"}, [1, 20]]}\n",
            "description: One line\n  and another, with (brackets) [too]\n      and a third.\nname: a\n",
            "a:\n  b: x\n    y\n  c: 1\n     2\n",
            "description: >-\n  Folded: text # and\n  - more.\nname: a\n",
            "description: >\n  Folded\n  text.\n\n",
            "a: |\n    One\n    two\nb:\n  c: |-\n    Three\n    four\n  d: e\n",
        ] {
            assert!(agree(text), "not read fast: {text:?}");
        }
    }

    #[test]
    fn it_leaves_everything_else_to_the_full_parser() {
        for text in [
            "",
            "- a\n",
            "a: b: c\n",
            "a: |\n  x\n\n  y\n",
            "a: >\n  x\n   y\n",
            "a: |2\n  x\n",
            "a: |\n",
            "a: >\n  x \n",
            "a: b\n\n  c\n",
            "a: b\n  c: d\n",
            "a: b\n  # c\n",
            "a: 'b\n  c'\n",
            "a: &x b\n",
            "a: *x\n",
            "a: !t b\n",
            "a: 'b''c'\n",
            "a: \"b\\n\"\n",
            "a: b # c\n",
            "# c\na: b\n",
            "a: b\na: c\n",
            "a:\n",
            "a:\tb\n",
            "? a\n: b\n",
            "a: [b, c]\n",
            "a: {b: c}\n",
            "a: @b\n",
            "a: %b\n",
            "a:\n  - b: c\n",
            "a: 'b' c\n",
            "a:b\n",
            "a: -\n",
            "a\n",
            "a: b:\n",
            " a: b\nc: d\n",
            "a:\n    b: c\n  d: e\n",
            "a: {\"b\": \"\\u0041\"}\n",
            "a: {\"b\": 1, \"b\": 2}\n",
            "a: {\"b\": 1,}\n",
            "a: {\"b\": 01}\n",
            "a: {\"b\": 1e3}\n",
            "a: {\"b\": c}\n",
            "a: {\"b\": [1, 2}\n",
            "a: {\"b\": 1} c\n",
            "a: [[[[[[[[1]]]]]]]]\n",
        ] {
            assert!(!agree(text), "read fast: {text:?}");
        }
    }

    /// Pieces of YAML that mean something to one reader or the other.
    #[rustfmt::skip]
    const PIECES: &[&str] = &[
        "a", "b-c", "name", ":", ": ", "\n", "\n  ", "\n    ", " ", "- ", "-", "\"", "'", "{", "}", "[",
        "]", ",", "#", " #", "1", "1.5", "true", "~", "null", "|", ">", "&", "*", "!", "%", "@", "?",
        "x y", "\"q\"", "{\"k\": 1}", "[1, \"a\"]", "{\"k\":", "-1.25", "false", "é", "\t", "\\", "...", "---", "0x1f", "(", "$",
        "/p", "_",
    ];

    #[test]
    fn it_agrees_with_the_full_parser_on_random_blocks() {
        let mut dice = guild_testkit::Dice::new(0x9e37_79b9_7f4a_7c15);
        let mut fast = 0;
        for _ in 0..60_000 {
            let mut text = String::from("k: ");
            for _ in 0..dice.below(12) {
                text.push_str(dice.pick(PIECES).unwrap());
            }
            text.push('\n');
            fast += usize::from(agree(&text));
        }
        assert!(fast > 1_000, "only {fast} blocks were read fast: the test shows little");
    }
}
