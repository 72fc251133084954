//! JSON and JSON5 to a tree.
//!
//! Manifests are JSON, and vendors' metadata is JSON5; one parser reads both, told how strict to be.

use super::{Entry, MAX_DEPTH, Map, Node, Scalar, ScalarKind, Value, yaml::duplicate};
use crate::{Code, Pos, Problem, text::LineIndex};
use jsonc_parser::{CollectOptions, ParseOptions, ast, common::Ranged, parse_to_ast};
use std::collections::HashMap;

/// How many values a JSON text may hold; more than YAML, because marketplaces list thousands of plugins.
const MAX_JSON_NODES: usize = 200_000;

/// Which grammar a text is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// RFC 8259.
    Json,
    /// JSON5: comments, trailing commas, unquoted keys, single quotes.
    Json5,
}

/// Reads one value; duplicate keys and the like are added to `problems`.
pub fn parse(text: &str, grammar: Grammar, problems: &mut Vec<Problem>) -> Result<Node, Problem> {
    let collect = CollectOptions::default();
    let parsed = parse_to_ast(text, &collect, &options(grammar)).map_err(|error| {
        let at = LineIndex::new(text).place(text, error.range().start);
        let message = format!("invalid JSON: {}", lower_first(&error.kind().to_string()));
        Problem::new(Code::ValueInvalid, at, message, "check commas, quotes and brackets on this line")
    })?;
    let Some(value) = parsed.value else {
        let message = "invalid JSON: the text is empty";
        return Err(Problem::new(Code::ValueInvalid, Pos::START, message, "write an object: {}"));
    };
    Reader { cursor: Cursor { text, offset: 0, at: Pos::START }, nodes: 0, problems }.node(value, 0)
}

fn options(grammar: Grammar) -> ParseOptions {
    let loose = grammar == Grammar::Json5;
    ParseOptions {
        allow_comments: loose,
        allow_loose_object_property_names: loose,
        allow_trailing_commas: loose,
        allow_missing_commas: false,
        allow_single_quoted_strings: loose,
        allow_hexadecimal_numbers: loose,
        allow_unary_plus_numbers: loose,
        allow_bare_decimal_point_numbers: loose,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: loose,
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    nodes: usize,
    problems: &'a mut Vec<Problem>,
}

/// Turns offsets into places as the values come by, so that a text on one long line is walked once only.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    at: Pos,
}

impl Cursor<'_> {
    fn place(&mut self, offset: usize) -> Pos {
        if offset < self.offset {
            (self.offset, self.at) = (0, Pos::START);
        }
        for c in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            self.at = match c {
                '\n' => Pos::line(self.at.line.saturating_add(1)),
                _ => Pos::new(self.at.line, self.at.column.saturating_add(1)),
            };
        }
        self.offset = offset;
        self.at
    }
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value<'_>, depth: usize) -> Result<Node, Problem> {
        let at = self.cursor.place(value.range().start);
        self.nodes += 1;
        if depth > MAX_DEPTH {
            let message = format!("the JSON is nested deeper than {MAX_DEPTH}");
            return Err(Problem::new(Code::YamlBudget, at, message, "flatten the value"));
        }
        if self.nodes > MAX_JSON_NODES {
            let message = format!("the JSON holds more than {MAX_JSON_NODES} values");
            return Err(Problem::new(Code::YamlBudget, at, message, "split the file"));
        }
        let scalar = |text: String, kind| Value::Scalar(Scalar { text, kind });
        let value = match value {
            ast::Value::StringLit(lit) => scalar(lit.value.into_owned(), ScalarKind::Text),
            ast::Value::NumberLit(lit) => scalar(lit.value.to_owned(), number_kind(lit.value)),
            ast::Value::BooleanLit(lit) => scalar(lit.value.to_string(), ScalarKind::Bool),
            ast::Value::NullKeyword(_) => scalar("null".to_owned(), ScalarKind::Null),
            ast::Value::Array(array) => {
                let items = array.elements.into_iter().map(|element| self.node(element, depth + 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            ast::Value::Object(object) => self.map(object, depth)?,
        };
        Ok(Node { value, at })
    }

    fn map(&mut self, object: ast::Object<'_>, depth: usize) -> Result<Value, Problem> {
        let mut entries: Vec<Entry> = Vec::with_capacity(object.properties.len());
        let has_twins = has_twins(&object);
        let mut known: HashMap<String, usize> = HashMap::new();
        for property in object.properties {
            let key_at = self.cursor.place(property.range.start);
            let key = property.name.as_str().to_owned();
            let entry = Entry { key, key_at, value: self.node(property.value, depth + 1)? };
            match known.get(&entry.key).and_then(|index| entries.get_mut(*index)) {
                Some(earlier) => {
                    self.problems.push(duplicate(&entry.key, earlier.key_at, key_at));
                    *earlier = entry;
                }
                None => {
                    if has_twins {
                        known.insert(entry.key.clone(), entries.len());
                    }
                    entries.push(entry);
                }
            }
        }
        Ok(Value::Map(Map::from(entries)))
    }
}

/// Whether a key stands twice, which it hardly ever does.
fn has_twins(object: &ast::Object<'_>) -> bool {
    let mut keys: Vec<&str> = object.properties.iter().map(|property| property.name.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

fn number_kind(text: &str) -> ScalarKind {
    let hex = text.trim_start_matches(['-', '+']).starts_with(['0']) && text.contains(['x', 'X']);
    if !hex && text.contains(['.', 'e', 'E']) { ScalarKind::Float } else { ScalarKind::Int }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, grammar: Grammar, expect: Expect) {
        let mut problems = Vec::new();
        let shown = match parse(text, grammar, &mut problems) {
            Err(problem) => problem.to_string(),
            Ok(node) => node.to_data().to_json().to_string(),
        };
        let problems: String = problems.iter().map(|problem| format!("\n{problem}")).collect();
        expect.assert_eq(&format!("{shown}{problems}"));
    }

    #[test]
    fn json5_takes_what_vendors_write() {
        check(
            "{openclaw: {always: true, os: ['linux',], n: 0x10,}, /* c */}",
            Grammar::Json5,
            expect![[r#"{"openclaw":{"always":true,"os":["linux"],"n":16}}"#]],
        );
    }

    #[test]
    fn strict_json_refuses_the_same_text_and_names_the_place() {
        check(
            "{\n  \"a\": 1,\n}",
            Grammar::Json,
            expect![":2:9: warning[value_invalid]: invalid JSON: trailing commas are not allowed"],
        );
        check(
            "{\"a\": 1, \"a\": 2}",
            Grammar::Json,
            expect![[r#"
            {"a":2}
            :1:10: warning[duplicate_key]: `a` stands twice, first on line 1; this one counts"#]],
        );
        check("", Grammar::Json, expect![":1:1: warning[value_invalid]: invalid JSON: the text is empty"]);
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        check(
            &"[".repeat(100_000),
            Grammar::Json,
            expect![":1:513: warning[value_invalid]: invalid JSON: maximum nesting depth exceeded"],
        );
        let closed = format!("{}{}", "[".repeat(100), "]".repeat(100));
        check(
            &closed,
            Grammar::Json5,
            expect![":1:34: error[yaml_budget]: the JSON is nested deeper than 32"],
        );
    }

    #[test]
    fn places_follow_lines_and_count_characters() {
        let mut problems = Vec::new();
        let node = parse("{\"ä\": [1,\n  {\"b\": 2}]}", Grammar::Json, &mut problems).unwrap();
        let list = node.as_map().unwrap().get_exact("ä").unwrap();
        assert_eq!(list.at, Pos::new(1, 7));
        let inner = &list.as_list().unwrap()[1];
        assert_eq!((inner.at, inner.as_map().unwrap().entries()[0].key_at), (Pos::new(2, 3), Pos::new(2, 4)));
    }

    #[test]
    fn a_text_of_too_many_values_is_refused() {
        let many = format!("[{}0]", "0,".repeat(MAX_JSON_NODES));
        check(
            &many,
            Grammar::Json,
            expect![":1:400000: error[yaml_budget]: the JSON holds more than 200000 values"],
        );
    }
}
