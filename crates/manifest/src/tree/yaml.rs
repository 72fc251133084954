//! YAML 1.2 core to a tree: anchors, aliases and tags are refused, depth and size are bounded.
//!
//! It repairs nothing; `frontmatter::repair` tries again with mended text.

mod plain;

use super::{Entry, MAX_DEPTH, MAX_NODES, Map, Node, Scalar, ScalarKind, Value};
use crate::{Code, Pos, Problem};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// A tree and the keys that stood twice in it.
#[derive(Debug)]
pub struct Parsed {
    /// The first document; `None` for an empty text.
    pub root: Option<Node>,
    /// Problems that did not stop the reading.
    pub problems: Vec<Problem>,
}

/// Reads the first document of `text`, whose first line is line `first_line` of its file.
pub fn parse(text: &str, first_line: u32) -> Result<Parsed, Problem> {
    match plain::parse(text, first_line) {
        Some(root) => Ok(Parsed { root: Some(root), problems: Vec::new() }),
        None => parse_fully(text, first_line),
    }
}

fn parse_fully(text: &str, first_line: u32) -> Result<Parsed, Problem> {
    let mut builder = Builder { first_line, ..Builder::default() };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = place(first_line, error.marker().line(), error.marker().col());
            let line = text.lines().nth(error.marker().line().saturating_sub(1)).unwrap_or_default();
            if error.info().contains("anchor") && !line.split([' ', ',', '[']).any(is_glob) {
                return refused(at, "an alias");
            }
            let hint = "quote the value, or check indentation and brackets on this line";
            Problem::new(Code::YamlInvalid, at, format!("invalid YAML: {}", error.info()), hint)
        })?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        builder.take(event, span)?;
    }
    Ok(Parsed { root: builder.root, problems: builder.problems })
}

/// What an open collection still waits for.
enum Open {
    List { at: Pos, items: Vec<Node> },
    Map { at: Pos, map: Map, key: Option<(String, Pos)> },
}

#[derive(Default)]
struct Builder {
    first_line: u32,
    stack: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    problems: Vec<Problem>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let at = place(self.first_line, span.start.line(), span.start.col());
        match event {
            Event::Alias(_) => Err(refused(at, "an alias")),
            Event::Scalar(_, _, 1.., _) | Event::SequenceStart(1.., _) | Event::MappingStart(1.., _) => {
                Err(refused(at, "an anchor"))
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => Err(refused(at, "a tag")),
            Event::Scalar(text, style, ..) => {
                self.count(at)?;
                let kind = if style == ScalarStyle::Plain { core_kind(&text) } else { ScalarKind::Text };
                self.scalar(Scalar { text: text.into_owned(), kind }, at)
            }
            Event::SequenceStart(..) => self.open(Open::List { at, items: Vec::new() }, at),
            Event::MappingStart(..) => self.open(Open::Map { at, map: Map::default(), key: None }, at),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => Ok(()),
        }
    }

    fn count(&mut self, at: Pos) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.stack.len() >= MAX_DEPTH {
            let message =
                format!("the YAML has more than {MAX_NODES} values or is nested deeper than {MAX_DEPTH}");
            return Err(Problem::new(
                Code::YamlBudget,
                at,
                message,
                "move large data into a file of its own",
            ));
        }
        Ok(())
    }

    fn open(&mut self, open: Open, at: Pos) -> Result<(), Problem> {
        self.count(at)?;
        if let Some(Open::Map { key: None, .. }) = self.stack.last() {
            let message = "a key of the YAML is a list or a mapping";
            return Err(Problem::new(Code::YamlInvalid, at, message, "use text as the key"));
        }
        self.stack.push(open);
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        match self.stack.pop() {
            Some(Open::List { at, items }) => self.place(Node { value: Value::List(items), at }),
            Some(Open::Map { at, map, .. }) => self.place(Node { value: Value::Map(map), at }),
            None => Ok(()),
        }
    }

    fn scalar(&mut self, scalar: Scalar, at: Pos) -> Result<(), Problem> {
        if let Some(Open::Map { key: key @ None, .. }) = self.stack.last_mut() {
            *key = Some((scalar.text, at));
            return Ok(());
        }
        self.place(Node { value: Value::Scalar(scalar), at })
    }

    fn place(&mut self, node: Node) -> Result<(), Problem> {
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { map, key, .. }) => {
                let Some((key, key_at)) = key.take() else { return Ok(()) };
                if let Some(earlier) = map.insert(Entry { key: key.clone(), key_at, value: node }) {
                    self.problems.push(duplicate(&key, earlier, key_at));
                }
            }
        }
        Ok(())
    }
}

/// The problem of a key that stands twice.
pub(crate) fn duplicate(key: &str, earlier: Pos, at: Pos) -> Problem {
    let message = format!("`{key}` stands twice, first on line {}; this one counts", earlier.line);
    Problem::new(Code::DuplicateKey, at, message, "remove one of the two")
}

/// Whether a word is a file pattern such as `*` or `**/*.py`, which people forget to quote, and no name of an alias.
pub fn is_glob(word: &str) -> bool {
    word.strip_prefix('*').is_some_and(|rest| {
        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') || rest.contains(['/', '.', '*'])
    })
}

fn refused(at: Pos, what: &str) -> Problem {
    let message = format!("the YAML uses {what}, which skills may not");
    Problem::new(
        Code::YamlRefused,
        at,
        message,
        "write the value out; if the character is meant literally, quote it",
    )
}

fn place(first_line: u32, line: usize, column: usize) -> Pos {
    let line = u32::try_from(line).unwrap_or(u32::MAX).max(1);
    let column = u32::try_from(column).unwrap_or(u32::MAX);
    Pos::new(first_line.saturating_add(line - 1), column.saturating_add(1))
}

/// The type of a plain scalar by the YAML 1.2 core schema.
fn core_kind(text: &str) -> ScalarKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarKind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => ScalarKind::Bool,
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
            ScalarKind::Text
        }
        _ if is_int(text) => ScalarKind::Int,
        _ if is_float(text) => ScalarKind::Float,
        _ => ScalarKind::Text,
    }
}

fn is_int(text: &str) -> bool {
    let hex = text.strip_prefix("0x").is_some_and(|rest| all_digits(rest, 16));
    let octal = text.strip_prefix("0o").is_some_and(|rest| all_digits(rest, 8));
    hex || octal || all_digits(text.strip_prefix(['-', '+']).unwrap_or(text), 10)
}

fn is_float(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+'))
        && text.parse::<f64>().is_ok()
}

fn all_digits(text: &str, radix: u32) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_digit(radix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let shown = match parse(text, 1) {
            Err(problem) => format!("{problem}\n"),
            Ok(parsed) => {
                let tree = parsed.root.map_or(serde_json::Value::Null, |node| node.to_data().to_json());
                let problems: String = parsed.problems.iter().map(|problem| format!("{problem}\n")).collect();
                format!("{tree}\n{problems}")
            }
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn scalars_are_typed_by_the_core_schema_only() {
        check(
            "a: true\nb: yes\nc: 0x1F\nd: 1.50\ne: ~\nf: 'true'\ng: 1_000\nh: -7\ni: .5\nj: 2024-01-01\nk: 1.2.3\nl:\n",
            expect![[r#"
                {"a":true,"b":"yes","c":31,"d":1.5,"e":null,"f":"true","g":"1_000","h":-7,"i":0.5,"j":"2024-01-01","k":"1.2.3","l":null}
            "#]],
        );
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        check(
            "a: 1\nb: 2\na: 3\n",
            expect![[r#"
                {"b":2,"a":3}
                :3:1: warning[duplicate_key]: `a` stands twice, first on line 1; this one counts
            "#]],
        );
    }

    #[test]
    fn anchors_aliases_and_tags_are_refused() {
        check(
            "a: &x 1\nb: *x\n",
            expect![[r#"
            :1:4: error[yaml_refused]: the YAML uses an anchor, which skills may not
        "#]],
        );
        check(
            "a: !!python/object:os.system x\n",
            expect![[r#"
            :1:4: error[yaml_refused]: the YAML uses a tag, which skills may not
        "#]],
        );
        check(
            "a: *nowhere\n",
            expect![[r#"
            :1:4: error[yaml_refused]: the YAML uses an alias, which skills may not
        "#]],
        );
        check(
            "a: &x [1]\n",
            expect![[r#"
            :1:4: error[yaml_refused]: the YAML uses an anchor, which skills may not
        "#]],
        );
    }

    #[test]
    fn depth_and_size_are_bounded() {
        check(
            &"[".repeat(200),
            expect![[r#"
            :1:33: error[yaml_budget]: the YAML has more than 20000 values or is nested deeper than 32
        "#]],
        );
        check(
            &format!("[{}]", "1,".repeat(30_000)),
            expect![[r#"
            :1:40000: error[yaml_budget]: the YAML has more than 20000 values or is nested deeper than 32
        "#]],
        );
    }

    #[test]
    fn a_syntax_error_names_its_line() {
        check(
            "a: 1\nb: x: y\n",
            expect![[r#"
            :2:5: error[yaml_invalid]: invalid YAML: mapping values are not allowed in this context
        "#]],
        );
    }

    #[test]
    fn a_list_as_a_key_is_an_error_and_not_a_panic() {
        check(
            "? [a]\n: b\n",
            expect![[r#"
            :1:3: error[yaml_invalid]: a key of the YAML is a list or a mapping
        "#]],
        );
    }
}
