//! TOML to a tree, for configuration files.

use super::{Entry, Map, Node, Scalar, ScalarKind, Value};
use crate::{Code, Pos, Problem, text::LineIndex};
use toml::{Spanned, de::DeTable, de::DeValue};

/// Reads a whole TOML document.
pub fn parse(text: &str) -> Result<Node, Problem> {
    let lines = LineIndex::new(text);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(Pos::START, |span| lines.place(text, span.start));
        let message = format!("invalid TOML: {}", error.message());
        Problem::new(Code::ConfigInvalid, at, message, "see the TOML syntax of tables, strings and lists")
    })?;
    let reader = Reader { text, lines };
    Ok(Node { value: reader.table(table.get_ref()), at: Pos::START })
}

struct Reader<'a> {
    text: &'a str,
    lines: LineIndex,
}

impl Reader<'_> {
    fn table(&self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                key_at: self.lines.place(self.text, key.span().start),
                value: self.node(value),
            })
            .collect();
        // The parser sorts tables by key; people expect the order of the file.
        entries.sort_by_key(|entry| entry.key_at);
        Value::Map(Map { entries })
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let at = self.lines.place(self.text, value.span().start);
        let scalar = |text: String, kind| Value::Scalar(Scalar { text, kind });
        let value = match value.get_ref() {
            DeValue::String(text) => scalar(text.to_string(), ScalarKind::Text),
            DeValue::Integer(number) => scalar(integer(number.as_str(), number.radix()), ScalarKind::Int),
            DeValue::Float(number) => scalar(number.as_str().to_owned(), ScalarKind::Float),
            DeValue::Boolean(value) => scalar(value.to_string(), ScalarKind::Bool),
            DeValue::Datetime(value) => scalar(value.to_string(), ScalarKind::Text),
            DeValue::Array(items) => Value::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => self.table(table),
        };
        Node { value, at }
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
}
