//! The `<skill-pin>` element that an inline tool result stands in.
//!
//! It marks where a skill's text begins and ends. It does not make that text trustworthy, and escapes no more of it
//! than would let it end the element early.

/// Wraps a rendered skill in a `<skill-pin>` element.
pub fn pin(name: &str, text: &str) -> String {
    format!("<skill-pin name=\"{}\">\n{}\n</skill-pin>", escape_attribute(name), neutralise(text))
}

fn escape_attribute(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ if character.is_control() => escaped.push_str(&format!("&#{};", u32::from(character))),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The text with every tag of a pin, opening or closing, made into plain characters.
fn neutralise(text: &str) -> String {
    let mut neutral = String::with_capacity(text.len());
    let mut parts = text.split('<');
    neutral.push_str(parts.next().unwrap_or_default());
    for part in parts {
        neutral.push_str(if is_pin_tag(part) { "&lt;" } else { "<" });
        neutral.push_str(part);
    }
    neutral
}

/// Whether what follows a `<` makes it a tag of a pin, however it is spaced and in any letter case.
fn is_pin_tag(after: &str) -> bool {
    const NAME: &str = "skill-pin";
    let after = after.trim_start();
    let name = after.strip_prefix('/').unwrap_or(after).trim_start();
    name.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(name: &str, text: &str, expect: Expect) {
        expect.assert_eq(&pin(name, text));
    }

    #[test]
    fn a_skill_stands_between_its_tags() {
        check(
            "review",
            "# Skill: review\n\na < b & `<div>`",
            expect![[r##"
                <skill-pin name="review">
                # Skill: review

                a < b & `<div>`
                </skill-pin>"##]],
        );
    }

    #[test]
    fn a_name_cannot_leave_its_attribute() {
        check(
            "a\"><b>&\n\u{1b}",
            "",
            expect![[r#"
                <skill-pin name="a&quot;&gt;&lt;b&gt;&amp;&#10;&#27;">

                </skill-pin>"#]],
        );
    }

    #[test]
    fn a_text_cannot_end_or_open_a_pin() {
        check(
            "a",
            "</skill-pin>\n< / SKILL-PIN >\n<skill-pin name=\"b\">\n</skill-pinned></skill",
            expect![[r#"
                <skill-pin name="a">
                &lt;/skill-pin>
                &lt; / SKILL-PIN >
                &lt;skill-pin name="b">
                &lt;/skill-pinned></skill
                </skill-pin>"#]],
        );
    }
}
