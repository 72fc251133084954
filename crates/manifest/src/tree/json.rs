//! JSON and JSON5 to a tree.
//!
//! Manifests are JSON, and vendors' metadata is JSON5; one parser reads both, told how strict to be.

use super::{Entry, MAX_DEPTH, Map, Node, Scalar, ScalarKind, Value, yaml::duplicate};
use crate::{Code, Pos, Problem, text::LineIndex};
use jsonc_parser::{CollectOptions, ParseOptions, ast, common::Ranged, parse_to_ast};

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
    let lines = LineIndex::new(text);
    let collect = CollectOptions::default();
    let parsed = parse_to_ast(text, &collect, &options(grammar)).map_err(|error| {
        let at = lines.place(text, error.range().start);
        let message = format!("invalid JSON: {}", lower_first(&error.kind().to_string()));
        Problem::new(Code::ValueInvalid, at, message, "check commas, quotes and brackets on this line")
    })?;
    let Some(value) = parsed.value else {
        let message = "invalid JSON: the text is empty";
        return Err(Problem::new(Code::ValueInvalid, Pos::START, message, "write an object: {}"));
    };
    Reader { text, lines, problems }.node(value, 0)
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
    text: &'a str,
    lines: LineIndex,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value<'_>, depth: usize) -> Result<Node, Problem> {
        let at = self.lines.place(self.text, value.range().start);
        if depth > MAX_DEPTH {
            let message = format!("the JSON is nested deeper than {MAX_DEPTH}");
            return Err(Problem::new(Code::YamlBudget, at, message, "flatten the value"));
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
        let mut map = Map::default();
        for property in object.properties {
            let key_at = self.lines.place(self.text, property.range.start);
            let key = property.name.as_str().to_owned();
            let value = self.node(property.value, depth + 1)?;
            if let Some(earlier) = map.insert(Entry { key: key.clone(), key_at, value }) {
                self.problems.push(duplicate(&key, earlier, key_at));
            }
        }
        Ok(Value::Map(map))
    }
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
}
