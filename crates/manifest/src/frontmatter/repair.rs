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
    /// What mends the text for good.
    pub hint: &'static str,
}

/// Climbs the ladder until the block reads.
pub fn repair(block: &str, first_line: u32) -> Option<Repaired> {
    type Rung = (&'static str, &'static str, fn(&str) -> Option<String>);
    const QUOTE: &str = "quote the value: key: \"text: with a colon\"";
    const REQUOTE: &str = "put the whole text into single quotes, and write each single quote in it twice";
    const RUNGS: &[Rung] = &[
        ("tabs were read as spaces", "indent with spaces", quote::tabs_to_spaces),
        ("no-break spaces were read as spaces", "write ordinary spaces", quote::plain_spaces),
        ("an unindented value was indented", "indent the value below its key", quote::indent_flow),
        ("values with special characters were quoted", QUOTE, quote::quote_values),
        ("the description was read as one quoted text", REQUOTE, quote::requote_description),
        ("the description was read as one quoted text", QUOTE, quote::quote_description),
    ];
    for (how, hint, mend) in RUNGS {
        let Some(mended) = mend(block) else { continue };
        match yaml::parse(&mended, first_line) {
            Ok(parsed) => return Some(Repaired { parsed, how, hint }),
            Err(error) if error.code != Code::YamlInvalid => return None,
            Err(_) => {}
        }
    }
    let parsed = lines::parse(block, first_line)?;
    let hint = "check quotes, indentation and brackets from here on";
    Some(Repaired { parsed, how: "it was read line by line", hint })
}

/// The problem that says what was wrong and what was done about it.
pub fn told(error: &Problem, repaired: &Repaired) -> Problem {
    let message = format!("{}; {}", error.message, repaired.how);
    Problem::new(Code::YamlRepaired, error.at, message, repaired.hint)
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
                let told = told(&error, &repaired);
                let tree = repaired.parsed.root.map(|node| node.to_data().to_json().to_string());
                let others: String =
                    repaired.parsed.problems.iter().map(|other| format!("\n{other}")).collect();
                format!("{}\n{told}{others}", tree.unwrap_or_default())
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
    fn a_flow_value_behind_its_key_that_ends_at_column_one() {
        check(
            "name: a\nmetadata: {\n  \"openclaw\": {\n    \"requires\": {\"bins\": [\"node\"]}\n  }\n}\nlicense: MIT\n",
            expect![[r#"
                {"name":"a","metadata":{"openclaw":{"requires":{"bins":["node"]}}},"license":"MIT"}
                :6:1: warning[yaml_repaired]: invalid YAML: invalid indentation; an unindented value was indented"#]],
        );
        check(
            "tags: [\na,\nb\n]\nname: a\n",
            expect![[r#"
            {"tags":["a","b"],"name":"a"}
            :2:1: warning[yaml_repaired]: invalid YAML: invalid indentation; an unindented value was indented"#]],
        );
    }

    #[test]
    fn a_text_that_begins_like_a_block_of_text_keeps_its_words() {
        check(
            "name: a\ndescription: > Use when: needed\n",
            expect![[r#"
            {"name":"a","description":"> Use when: needed"}
            :2:14: warning[yaml_repaired]: invalid YAML: while scanning a block scalar, did not find expected comment or line break; values with special characters were quoted"#]],
        );
        check(
            "description: | one\n  two: three\nname: a\n",
            expect![[r#"
            {"description":"| one two: three","name":"a"}
            :1:14: warning[yaml_repaired]: invalid YAML: while scanning a block scalar, did not find expected comment or line break; the description was read as one quoted text"#]],
        );
        check(
            "name: a\nlicense: > see LICENSE\nbroken: \"x\" y\n",
            expect![[r#"
            {"name":"a","license":"> see LICENSE","broken":"\"x\" y"}
            :2:10: warning[yaml_repaired]: invalid YAML: while scanning a block scalar, did not find expected comment or line break; it was read line by line"#]],
        );
        check(
            "description: >- # why\n  a\n b: c\nname: x\n",
            expect![[r#"
            {"description":"a b: c","name":"x"}
            :3:2: warning[yaml_repaired]: invalid YAML: while parsing a block mapping, did not find expected key; the description was read as one quoted text"#]],
        );
    }

    #[test]
    fn no_break_spaces_from_a_web_page() {
        check(
            "name:\u{a0}a\ndescription: b\n",
            expect![[r#"
            {"name":"a","description":"b"}
            :2:12: warning[yaml_repaired]: invalid YAML: mapping values are not allowed in this context; no-break spaces were read as spaces"#]],
        );
    }

    #[test]
    fn the_hint_for_quotes_that_do_not_hold_is_not_to_quote() {
        for block in
            ["description: \"C:\\Users\"\n", "description: 'it's'\n", "description: \"open\nname: a\n"]
        {
            let hint = repair(block, 1).unwrap().hint;
            assert_eq!(
                hint,
                "put the whole text into single quotes, and write each single quote in it twice"
            );
        }
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
    fn tabs_between_keys_and_values() {
        check(
            "name:\t a\nlimits:\n  deep:\t\t[b]\n  key:\n    - inner:\tc # d\n",
            expect![[r#"
            {"name":"a","limits":{"deep":["b"],"key":[{"inner":"c"}]}}
            :5:14: warning[yaml_repaired]: invalid YAML: ':' must be followed by a valid YAML whitespace; tabs were read as spaces"#]],
        );
    }

    #[test]
    fn quotes_around_a_text_with_an_apostrophe_are_no_part_of_it() {
        check(
            "description: 'Use when it's needed, and it's not done'\nname: a\n",
            expect![[r#"
            {"description":"Use when it's needed, and it's not done","name":"a"}
            :1:27: warning[yaml_repaired]: invalid YAML: invalid trailing content after double-quoted scalar; the description was read as one quoted text"#]],
        );
        check(
            "description: 'don't' and 'can't' mean: no\n",
            expect![[r#"
            {"description":"'don't' and 'can't' mean: no"}
            :1:19: warning[yaml_repaired]: invalid YAML: invalid trailing content after double-quoted scalar; the description was read as one quoted text"#]],
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
    fn a_block_of_text_after_the_description_keeps_its_words() {
        check(
            "description: Use when: one\n  or: two\nnotes: |\n  a: b: c\n",
            expect![[r#"
            {"description":"Use when: one or: two","notes":"a: b: c\n"}
            :1:22: warning[yaml_repaired]: invalid YAML: mapping values are not allowed in this context; the description was read as one quoted text"#]],
        );
    }

    #[test]
    fn the_header_of_a_block_of_text_is_no_part_of_the_description() {
        check(
            "description: |\n    one\n  two: three\nlicense: MIT\n",
            expect![[r#"
            {"description":"one two: three","license":"MIT"}
            :3:3: warning[yaml_repaired]: invalid YAML: while parsing a block mapping, did not find expected key; the description was read as one quoted text"#]],
        );
    }

    #[test]
    fn quotes_around_the_first_word_of_a_description_stay() {
        check(
            "description: \"Deploy\" means: ship\n",
            expect![[r#"
            {"description":"\"Deploy\" means: ship"}
            :1:23: warning[yaml_repaired]: invalid YAML: invalid trailing content after double-quoted scalar; the description was read as one quoted text"#]],
        );
        check(
            "description: \"a\" or \"b\"\n",
            expect![[r#"
            {"description":"\"a\" or \"b\""}
            :1:18: warning[yaml_repaired]: invalid YAML: invalid trailing content after double-quoted scalar; the description was read as one quoted text"#]],
        );
        check(
            "description: \"Say \"hello\": politely\"\n",
            expect![[r#"
            {"description":"Say \"hello\": politely"}
            :1:20: warning[yaml_repaired]: invalid YAML: invalid trailing content after double-quoted scalar; the description was read as one quoted text"#]],
        );
    }

    #[test]
    fn a_quote_that_is_never_closed_is_no_part_of_the_description() {
        check(
            "description: \"never closed\nlicense: MIT\n",
            expect![[r#"
            {"description":"never closed","license":"MIT"}
            :1:14: warning[yaml_repaired]: invalid YAML: invalid indentation in quoted scalar; the description was read as one quoted text"#]],
        );
    }

    #[test]
    fn a_sound_mapping_in_a_broken_block_keeps_its_form() {
        check(
            "name: a\nbroken: \"x\n y\" z\nmetadata:\n  openclaw:\n    requires: {bins: [git]}\nname: b\n",
            expect![[r#"
                {"broken":"\"x y\" z","metadata":{"openclaw":{"requires":{"bins":["git"]}}},"name":"b"}
                :3:5: warning[yaml_repaired]: invalid YAML: invalid trailing content after double-quoted scalar; it was read line by line
                :7:1: warning[duplicate_key]: `name` stands twice, first on line 1; this one counts"#]],
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
    fn file_patterns_without_quotes() {
        check(
            "name: a\npaths: **/*.py\nallowed-tools: *\n",
            expect![[r#"
            {"name":"a","paths":"**/*.py","allowed-tools":"*"}
            :2:8: warning[yaml_repaired]: invalid YAML: while parsing node, found unknown anchor; values with special characters were quoted"#]],
        );
        check(
            "name: a\npaths: *.py, *.pyi\n",
            expect![[r#"
            {"name":"a","paths":"*.py, *.pyi"}
            :2:8: warning[yaml_repaired]: invalid YAML: while parsing node, found unknown anchor; values with special characters were quoted"#]],
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
