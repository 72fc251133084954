//! What people write, read as what they mean: text from numbers, lists from every spelling, booleans in any case.
//!
//! A value that cannot be read that way is a problem and no value; nothing is guessed beyond the spellings listed.

use crate::tree::json::{self, Grammar};
use crate::tree::{Node, ScalarKind, Value};
use crate::{Code, Problem};

/// Text from any scalar, or from a list of scalars joined by `joint`; `None` for null and mappings.
pub fn text(node: &Node, joint: &str) -> Option<String> {
    match &node.value {
        Value::Scalar(scalar) if scalar.kind == ScalarKind::Null => None,
        Value::Scalar(scalar) => Some(scalar.text.trim().to_owned()),
        Value::List(items) => {
            let parts: Option<Vec<String>> = items.iter().map(|item| text(item, joint)).collect();
            parts.map(|parts| parts.join(joint))
        }
        Value::Map(_) => None,
    }
}

/// A boolean from `true false yes no on off 1 0` in any case, quoted or not.
pub fn boolean(node: &Node) -> Option<bool> {
    truth(&node.as_scalar()?.text)
}

/// A boolean from one of those words.
pub fn truth(word: &str) -> Option<bool> {
    let word = word.trim();
    let is_one_of = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is_one_of(&["true", "yes", "on", "1"]) {
        Some(true)
    } else if is_one_of(&["false", "no", "off", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// A list from a list, or from one text split at commas (else at spaces), never inside brackets.
///
/// `Bash(git add *), Read` and `Bash(git add *) Read` both give two entries. Entries that are no scalars are
/// left out.
pub fn list(node: &Node) -> Vec<String> {
    match &node.value {
        Value::List(items) => {
            let scalars = items.iter().filter(|item| item.as_scalar().is_some());
            scalars.filter_map(|item| text(item, "")).filter(|text| !text.is_empty()).collect()
        }
        Value::Scalar(scalar) if scalar.kind != ScalarKind::Null => {
            json_list(&scalar.text).unwrap_or_else(|| split(&scalar.text))
        }
        _ => Vec::new(),
    }
}

/// A list as [`list`] reads it, but one text is split at commas and line breaks only, so that entries may hold spaces.
pub fn comma_list(node: &Node) -> Vec<String> {
    match node.as_scalar() {
        Some(scalar) if scalar.kind != ScalarKind::Null => json_list(&scalar.text)
            .unwrap_or_else(|| split_outside_brackets(&scalar.text, |c| matches!(c, ',' | '\n'))),
        _ => list(node),
    }
}

/// Names as [`list`] reads them, where one text may part them by commas and blanks both.
pub fn names(node: &Node) -> Vec<String> {
    match node.as_scalar() {
        Some(scalar) if scalar.kind != ScalarKind::Null => json_list(&scalar.text)
            .unwrap_or_else(|| split_outside_brackets(&scalar.text, |c| c == ',' || c.is_whitespace())),
        _ => list(node),
    }
}

/// The entries of a text that is itself a list in JSON, as readers leave it that know text alone. Without quotes in it, the
/// brackets may as well be a pattern's.
fn json_list(text: &str) -> Option<Vec<String>> {
    let is_list = text.trim_start().starts_with('[') && text.contains(['"', '\'']);
    let node = is_list.then(|| json::parse(text, Grammar::Json5, &mut Vec::new()).ok())??;
    node.as_list().is_some().then(|| list(&node))
}

/// The problem of a value that its key does not take.
pub fn wrong(key: &str, node: &Node, wanted: &str) -> Problem {
    let message = format!("`{key}` is {}, but takes {wanted}; it was ignored", node.what());
    Problem::new(Code::ValueInvalid, node.at, message, format!("write {wanted}"))
}

fn split(text: &str) -> Vec<String> {
    let parts = split_outside_brackets(text, |c| matches!(c, ',' | '\n'));
    match parts.as_slice() {
        // A comma at either end separates nothing, and is no part of the entry beside it.
        [only] => split_outside_brackets(only, char::is_whitespace),
        _ => parts,
    }
}

fn split_outside_brackets(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    let mut add = |part: Option<&str>| {
        parts.extend(part.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    };
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && is_separator(c) {
            add(text.get(start..at));
            start = at + c.len_utf8();
        }
    }
    add(text.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::yaml;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn node(text: &str) -> Node {
        yaml::parse(text, 1).unwrap().root.unwrap()
    }

    #[track_caller]
    fn check_list(text: &str, expect: Expect) {
        expect.assert_eq(&format!("{:?}", list(&node(text))));
    }

    #[test]
    fn lists_come_in_every_spelling() {
        check_list("[Read, 'Bash(git add *)']", expect![[r#"["Read", "Bash(git add *)"]"#]]);
        check_list("Read, Bash(git add *, git rm *)", expect![[r#"["Read", "Bash(git add *, git rm *)"]"#]]);
        check_list("Bash(git add *) Read", expect![[r#"["Bash(git add *)", "Read"]"#]]);
        check_list("'*'", expect![[r#"["*"]"#]]);
        check_list("- a\n- 1\n- {b: c}\n", expect![[r#"["a", "1"]"#]]);
        check_list("''", expect!["[]"]);
        check_list("Read,", expect![[r#"["Read"]"#]]);
        check_list("', Read Grep'", expect![[r#"["Read", "Grep"]"#]]);
        check_list("'[\"Read\", \"Bash(git add *)\"]'", expect![[r#"["Read", "Bash(git add *)"]"#]]);
        check_list("\"['a', 'b',]\"", expect![[r#"["a", "b"]"#]]);
        check_list("'[a-z]*.py'", expect![[r#"["[a-z]*.py"]"#]]);
        check_list("'[\"unclosed\"'", expect![[r#"["[\"unclosed\""]"#]]);
    }

    #[test]
    fn names_are_parted_by_commas_and_blanks_both() {
        let shown = format!("{:?}", names(&node("Read, Bash(git add *) Grep")));
        expect![[r#"["Read", "Bash(git add *)", "Grep"]"#]].assert_eq(&shown);
    }

    #[test]
    fn booleans_are_read_in_any_case_and_quoted() {
        for word in ["true", "Yes", "ON", "1", "'true'", "\" yes \""] {
            assert_eq!(boolean(&node(word)), Some(true), "{word}");
        }
        for word in ["false", "No", "off", "0", "'false'"] {
            assert_eq!(boolean(&node(word)), Some(false), "{word}");
        }
        assert_eq!(boolean(&node("maybe")), None);
        assert_eq!(boolean(&node("[true]")), None);
    }

    #[test]
    fn text_keeps_the_spelling_of_numbers() {
        assert_eq!(text(&node("1.0"), "\n").as_deref(), Some("1.0"));
        assert_eq!(text(&node("[a, b]"), " ").as_deref(), Some("a b"));
        assert_eq!(text(&node("{a: b}"), " "), None);
    }
}
