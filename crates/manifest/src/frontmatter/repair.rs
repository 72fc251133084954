//! The repair ladder: broken YAML that people really write, mended by the smallest change that makes it read.
//!
//! Each rung keeps every line on its line, so that problems found later still name the right place. Refused
//! features and exhausted budgets are never repaired.

mod lines;
mod quote;

use crate::tree::yaml::{self, Parsed};
use crate::{Code, Problem};

/// A block that reads after a repair.
pub struct Repaired {
    /// The tree of the mended text.
    pub parsed: Parsed,
    /// What was done, in words for the message.
    pub how: &'static str,
}

/// Climbs the ladder until the block reads.
pub fn repair(block: &str, first_line: u32) -> Option<Repaired> {
    type Rung = (&'static str, fn(&str) -> Option<String>);
    const RUNGS: &[Rung] = &[
        ("tabs were read as spaces", quote::tabs_to_spaces),
        ("an unindented value was indented", quote::indent_flow),
        ("values with special characters were quoted", quote::quote_values),
        ("the description was read as one quoted text", quote::quote_description),
    ];
    for (how, mend) in RUNGS {
        let Some(mended) = mend(block) else { continue };
        match yaml::parse(&mended, first_line) {
            Ok(parsed) => return Some(Repaired { parsed, how }),
            Err(error) if error.code != Code::YamlInvalid => return None,
            Err(_) => {}
        }
    }
    let parsed = lines::parse(block, first_line)?;
    Some(Repaired { parsed, how: "it was read line by line" })
}

/// The problem that says what was wrong and what was done about it.
pub fn told(error: &Problem, how: &str) -> Problem {
    let message = format!("{}; {how}", error.message);
    Problem::new(Code::YamlRepaired, error.at, message, "quote the value: key: \"text: with a colon\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(block: &str, expect: Expect) {
        let shown = match (yaml::parse(block, 1), repair(block, 1)) {
            (Ok(_), _) => "reads without repair".to_owned(),
            (Err(error), None) => error.to_string(),
            (Err(error), Some(repaired)) => {
                let tree = repaired.parsed.root.map(|node| node.to_data().to_json().to_string());
                format!("{}\n{}", tree.unwrap_or_default(), told(&error, repaired.how))
            }
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn an_unquoted_colon_in_a_value() {
        check(
            "name: a\ndescription: Use when: it's needed # really\nlicense: MIT\n",
            expect![[r#"
            {"name":"a","description":"Use when: it's needed","license":"MIT"}
            :2:22: warning[yaml_repaired]: invalid YAML: mapping values are not allowed in this context; values with special characters were quoted"#]],
        );
    }

    #[test]
    fn values_that_begin_with_a_reserved_character() {
        check(
            "name: a\nicon: @home\ncode: `x`\npercent: %5\n",
            expect![[r#"
            {"name":"a","icon":"@home","code":"`x`","percent":"%5"}
            :2:7: warning[yaml_repaired]: invalid YAML: unexpected character: `@'; values with special characters were quoted"#]],
        );
    }

    #[test]
    fn a_nested_value_and_a_list_entry_with_a_colon() {
        check(
            "metadata:\n  note: a: b\ntags:\n  - x: y: z\n  - plain\n",
            expect![[r#"
            {"metadata":{"note":"a: b"},"tags":[{"x":"y: z"},"plain"]}
            :2:10: warning[yaml_repaired]: invalid YAML: mapping values are not allowed in this context; values with special characters were quoted"#]],
        );
    }

    #[test]
    fn block_scalars_and_quoted_values_are_left_alone() {
        check(
            "text: |\n  a: b: c\nquoted: \"x: y\"\nbroken: a: b\n",
            expect![[r#"
            {"text":"a: b: c\n","quoted":"x: y","broken":"a: b"}
            :4:10: warning[yaml_repaired]: invalid YAML: mapping values are not allowed in this context; values with special characters were quoted"#]],
        );
    }

    #[test]
    fn a_description_that_runs_over_lines_with_colons() {
        check(
            "name: a\ndescription: Use when: one\n  or: two\nlicense: MIT\n",
            expect![[r#"
            {"name":"a","description":"Use when: one or: two","license":"MIT"}
            :2:22: warning[yaml_repaired]: invalid YAML: mapping values are not allowed in this context; the description was read as one quoted text"#]],
        );
    }

    #[test]
    fn a_flow_value_on_the_line_below_its_key() {
        check(
            "name: a\nmetadata:\n{\"openclaw\": {\"always\": true}}\n",
            expect![[r#"
            {"name":"a","metadata":{"openclaw":{"always":true}}}
            :4:1: warning[yaml_repaired]: invalid YAML: simple key expect ':'; an unindented value was indented"#]],
        );
    }

    #[test]
    fn tabs_as_indentation() {
        check(
            "metadata:\n\tversion: 1\n",
            expect![[r#"
            {"metadata":{"version":1}}
            :2:2: warning[yaml_repaired]: invalid YAML: tabs disallowed within this context (block indentation); tabs were read as spaces"#]],
        );
    }

    #[test]
    fn unbalanced_brackets_are_read_line_by_line() {
        check(
            "name: a\ndescription: fine\nmetadata: {\"a\": {\"b\": 1}\ntags:\n  - x\n  - y\n",
            expect![[r#"
                {"name":"a","description":"fine","metadata":"{\"a\": {\"b\": 1}","tags":["x","y"]}
                :4:1: warning[yaml_repaired]: invalid YAML: invalid indentation in flow construct; values with special characters were quoted"#]],
        );
    }

    #[test]
    fn text_without_keys_is_beyond_repair() {
        check(
            "just: {words\nmore } words\n",
            expect![
                ":2:8: error[yaml_invalid]: invalid YAML: while parsing a block mapping, did not find expected key"
            ],
        );
        check(
            "{ broken\n",
            expect![
                ":2:1: error[yaml_invalid]: invalid YAML: while parsing a flow mapping, did not find expected ',' or '}'"
            ],
        );
    }

    #[test]
    fn a_refused_feature_is_not_repaired_away() {
        check(
            "name: a: b\nx: &anchor y\n",
            expect![
                ":1:8: error[yaml_invalid]: invalid YAML: mapping values are not allowed in this context"
            ],
        );
    }
}
