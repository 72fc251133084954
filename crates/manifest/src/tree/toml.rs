//! TOML to a tree, for configuration files; depth and size are bounded.

use super::{Entry, MAX_DEPTH, MAX_NODES, Map, Node, Scalar, ScalarKind, Value};
use crate::{Code, Pos, Problem, text::LineIndex};
use toml::{Spanned, de::DeTable, de::DeValue};

/// Reads a whole TOML document.
pub fn parse(text: &str) -> Result<Node, Problem> {
    let lines = LineIndex::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let read = match errors.first() {
        Some(error) => {
            let at = error.span().map_or(Pos::START, |span| lines.place(text, span.start));
            let message = format!("invalid TOML: {}", error.message());
            Err(Problem::new(
                Code::ConfigInvalid,
                at,
                message,
                "see the TOML syntax of tables, strings and lists",
            ))
        }
        None => Reader { text, lines, nodes: 0 }.table(table.get_ref(), 0),
    };
    take_apart(table.into_inner());
    read.map(|value| Node { value, at: Pos::START })
}

struct Reader<'a> {
    text: &'a str,
    lines: LineIndex,
    nodes: usize,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, depth: usize) -> Result<Value, Problem> {
        let mut entries = Vec::new();
        for (key, value) in table {
            let key_at = self.lines.place(self.text, key.span().start);
            entries.push(Entry {
                key: key.get_ref().to_string(),
                key_at,
                value: self.node(value, depth + 1)?,
            });
        }
        // The parser sorts tables by key; people expect the order of the file.
        entries.sort_by_key(|entry| entry.key_at);
        Ok(Value::Map(Map::from(entries)))
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Problem> {
        let at = self.lines.place(self.text, value.span().start);
        self.count(at, depth)?;
        let scalar = |text: String, kind| Value::Scalar(Scalar { text, kind });
        let value = match value.get_ref() {
            DeValue::String(text) => scalar(text.to_string(), ScalarKind::Text),
            DeValue::Integer(number) => scalar(integer(number.as_str(), number.radix()), ScalarKind::Int),
            DeValue::Float(number) => scalar(number.as_str().to_owned(), ScalarKind::Float),
            DeValue::Boolean(value) => scalar(value.to_string(), ScalarKind::Bool),
            DeValue::Datetime(value) => scalar(value.to_string(), ScalarKind::Text),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(table, depth)?,
        };
        Ok(Node { value, at })
    }

    /// The parser bounds dotted keys and brackets each, but not both together.
    fn count(&mut self, at: Pos, depth: usize) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || depth > MAX_DEPTH {
            let message =
                format!("the TOML has more than {MAX_NODES} values or is nested deeper than {MAX_DEPTH}");
            let hint = "move large data into a file of its own";
            return Err(Problem::new(Code::ConfigInvalid, at, message, hint));
        }
        Ok(())
    }
}

/// Frees a tree level by level: freed as a whole, a deep one would use up the stack.
fn take_apart(table: DeTable<'_>) {
    let mut values = vec![DeValue::Table(table)];
    while let Some(value) = values.pop() {
        match value {
            DeValue::Table(table) => values.extend(table.into_iter().map(|(_, value)| value.into_inner())),
            DeValue::Array(items) => values.extend(items.into_iter().map(Spanned::into_inner)),
            _ => {}
        }
    }
}

/// A TOML integer in decimal, whatever its radix was.
fn integer(digits: &str, radix: u32) -> String {
    i64::from_str_radix(digits, radix).map_or_else(|_| digits.to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let shown = parse(text).map_or_else(|p| p.to_string(), |node| node.to_data().to_json().to_string());
        expect.assert_eq(&shown);
    }

    #[test]
    fn tables_keep_the_order_of_the_file() {
        check(
            "z = 0x10\na = [1.5, true]\n[agents.x]\nskills = [\"b\", \"a\"]\n",
            expect![[r#"{"z":16,"a":[1.5,true],"agents":{"x":{"skills":["b","a"]}}}"#]],
        );
    }

    #[test]
    fn a_syntax_error_names_its_place() {
        check(
            "a = 1\nb = = 2\n",
            expect![":2:5: error[config_invalid]: invalid TOML: extra `=`, expected nothing"],
        );
    }

    #[test]
    fn depth_and_size_are_bounded() {
        check(
            &format!("a = [{}]", "1,".repeat(30_000)),
            expect![
                ":1:40004: error[config_invalid]: the TOML has more than 20000 values or is nested deeper than 32"
            ],
        );
        check(
            &"[".repeat(100_000),
            expect![
                ":1:3: error[config_invalid]: invalid TOML: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`"
            ],
        );
        check(
            &format!("{} = 1", vec!["a"; 1_000].join(".")),
            expect![":1:1: error[config_invalid]: invalid TOML: recursion limit"],
        );
    }

    #[test]
    fn dotted_keys_within_tables_are_an_error_and_not_a_crash() {
        let keys = vec!["a"; 79].join(".");
        let open = format!("{keys} = {{").repeat(78);
        check(
            &format!("{open}b = 1{}", "}".repeat(78)),
            expect![
                ":1:65: error[config_invalid]: the TOML has more than 20000 values or is nested deeper than 32"
            ],
        );
        check(
            &open,
            expect![":1:12559: error[config_invalid]: invalid TOML: unclosed inline table, expected `}`"],
        );
    }
}
