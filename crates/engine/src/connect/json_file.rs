//! One entry in a JSON file, with comments or without, that belongs to somebody else.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::SERVER;

/// The file with the server set, or taken away, below `keys`.
pub(super) fn edited(text: &str, keys: &[&str], server: Option<Value>) -> Result<String, String> {
    let options = ParseOptions::default();
    let root = CstRootNode::parse(text, &options).map_err(|error| error.to_string())?;
    match server {
        Some(server) => set(&root, keys, &server)?,
        None => remove(&root, keys),
    }
    let text = root.to_string();
    Ok(if text.is_empty() || text.ends_with('\n') { text } else { format!("{text}\n") })
}

fn set(root: &CstRootNode, keys: &[&str], server: &Value) -> Result<(), String> {
    let mut object = root.object_value_or_create().ok_or("it does not hold an object")?;
    for key in keys {
        object = object.object_value_or_create(key).ok_or_else(|| format!("`{key}` is no object"))?;
    }
    match object.get(SERVER) {
        Some(known) if known.value().and_then(|value| value.to_serde_value()).as_ref() == Some(server) => {}
        Some(known) => known.set_value(input(server)),
        None => drop(object.append(SERVER, input(server))),
    }
    Ok(())
}

fn remove(root: &CstRootNode, keys: &[&str]) {
    let inner = |object: Option<CstObject>, key: &&str| object.and_then(|object| object.object_value(key));
    let servers = keys.iter().fold(root.object_value(), inner);
    if let Some(known) = servers.and_then(|servers| servers.get(SERVER)) {
        known.remove();
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, server: Option<Value>, expected: &Expect) {
        let edited =
            edited(text, &["mcp", "servers"], server).unwrap_or_else(|error| format!("error: {error}"));
        expected.assert_eq(&edited);
    }

    fn server() -> Option<Value> {
        Some(json!({"command": "guild", "args": ["mcp"]}))
    }

    const OTHERS: &str = "{\n  // mine\n  \"theme\": \"dark\",\n  \"mcp\": {\n    \"servers\": {\n      \"other\": {\"url\": \"http://x\"}, // keep\n    },\n  },\n}\n";

    #[test]
    fn an_entry_is_added_and_everything_else_stays() {
        check(
            "",
            server(),
            &expect![[r#"
            {
              "mcp": {
                "servers": {
                  "guild": {
                    "command": "guild",
                    "args": ["mcp"]
                  }
                }
              }
            }
        "#]],
        );
        check(
            "{}",
            server(),
            &expect![[r#"
            {
              "mcp": {
                "servers": {
                  "guild": {
                    "command": "guild",
                    "args": ["mcp"]
                  }
                }
              }
            }
        "#]],
        );
        check(
            OTHERS,
            server(),
            &expect![[r#"
            {
              // mine
              "theme": "dark",
              "mcp": {
                "servers": {
                  "other": {"url": "http://x"}, // keep
                  "guild": {
                    "command": "guild",
                    "args": ["mcp"],
                  },
                },
              },
            }
        "#]],
        );
    }

    #[test]
    fn doing_it_twice_does_nothing_and_taking_it_back_leaves_what_was() {
        let once = edited(OTHERS, &["mcp", "servers"], server()).unwrap();
        assert_eq!(edited(&once, &["mcp", "servers"], server()).unwrap(), once);
        let back = edited(&once, &["mcp", "servers"], None).unwrap();
        let plain = |text: &str| CstRootNode::parse(text, &ParseOptions::default()).unwrap().to_serde_value();
        assert_eq!(plain(&back), plain(OTHERS));
        assert!(back.contains("// mine") && back.contains("// keep"), "{back}");
        assert_eq!(edited(OTHERS, &["mcp", "servers"], None).unwrap(), OTHERS);
    }

    #[test]
    fn an_entry_that_says_something_else_is_replaced() {
        check(
            r#"{"mcp": {"servers": {"guild": {"command": "old"}}}}"#,
            server(),
            &expect![[r#"
            {"mcp": {"servers": {"guild": {
                    "command": "guild",
                    "args": ["mcp"]
                  }}}}
        "#]],
        );
    }

    #[test]
    fn a_file_that_means_something_else_is_left_alone() {
        check("[]", server(), &expect!["error: it does not hold an object"]);
        check(r#"{"mcp": 1}"#, server(), &expect!["error: `mcp` is no object"]);
        check(
            r#"{"mcp": "#,
            server(),
            &expect!["error: Expected value after colon in object property on line 1 column 9"],
        );
    }
}
