//! The text a new skill begins with.
//!
//! It passes our own checks as it stands and tells its author what belongs where. It guesses nothing of the skill.

/// A whole skill file for `name`, ready to be filled in.
pub fn template(name: &str, description: Option<&str>) -> String {
    let description = description.unwrap_or("Say in one sentence what this skill does and when to use it.");
    let (name, title, description) = (quote_name(name), title(name), quote(description));
    format!(
        "---
name: {name}
description: {description}
---

# {title}

Say in a sentence or two what is done when this skill has done its work.

## When to Use

- The situation that calls for this skill, in the words that a person would use.
- What it is not for.

## Steps

1. What to look at first.
2. What to do, with the exact commands and files. Long material belongs in `references/`, programs in `scripts/`.
3. What to hand back, and in which form.

## Verification

- How to see that it worked, and what to do when it did not.
"
    )
}

/// The name as YAML text; plain where YAML takes it for nothing else.
fn quote_name(name: &str) -> String {
    const TAKEN: &[&str] = &["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        && !TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name));
    if plain { name.to_owned() } else { quote(name) }
}

/// Text on one line in double quotes, as YAML and JSON both read it.
fn quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut quoted = String::from('"');
    for character in line.chars().filter(|character| !character.is_control()) {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

/// `code-review` becomes "Code review".
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut characters = words.trim().chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::validate;
    use expect_test::{Expect, expect};
    use guild_manifest::tree::yaml;

    /// The frontmatter of the template as a YAML reader sees it; the template itself must have no problem.
    #[track_caller]
    fn check(name: &str, description: Option<&str>, expect: Expect) {
        let text = template(name, description);
        assert_eq!(validate(&text, &[]), []);
        let frontmatter = text.split("---\n").nth(1).unwrap();
        let parsed = yaml::parse(frontmatter, 2).unwrap();
        expect.assert_eq(&parsed.root.unwrap().to_data().to_json().to_string());
    }

    #[test]
    fn a_template_without_description_asks_for_one() {
        check(
            "code-review",
            None,
            expect![[
                r#"{"name":"code-review","description":"Say in one sentence what this skill does and when to use it."}"#
            ]],
        );
        expect![[r#"
            ---
            name: code-review
            description: "Say in one sentence what this skill does and when to use it."
            ---

            # Code review

            Say in a sentence or two what is done when this skill has done its work.

            ## When to Use

            - The situation that calls for this skill, in the words that a person would use.
            - What it is not for.

            ## Steps

            1. What to look at first.
            2. What to do, with the exact commands and files. Long material belongs in `references/`, programs in `scripts/`.
            3. What to hand back, and in which form.

            ## Verification

            - How to see that it worked, and what to do when it did not.
        "#]].assert_eq(&template("code-review", None));
    }

    #[test]
    fn a_description_cannot_leave_its_line() {
        check(
            "a",
            Some("Says \"hi\" \\ \n---\nname: b # no\u{7} comment: {x}"),
            expect![[r#"{"name":"a","description":"Says \"hi\" \\ --- name: b # no comment: {x}"}"#]],
        );
    }

    #[test]
    fn a_name_that_yaml_reads_as_something_else_is_quoted() {
        check("1.0", Some("x"), expect![[r#"{"name":"1.0","description":"x"}"#]]);
        check("True", Some("x"), expect![[r#"{"name":"True","description":"x"}"#]]);
        check("null", Some("x"), expect![[r#"{"name":"null","description":"x"}"#]]);
        check("no.thing", Some("x"), expect![[r#"{"name":"no.thing","description":"x"}"#]]);
    }
}
