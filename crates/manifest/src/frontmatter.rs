//! The block between the fences: where it begins and ends, and the mapping in it.
//!
//! A fence is a line of its own at column one. It is never part of a value and never indented.

mod comment;
mod repair;

use crate::text::{clamp, lines};
use crate::tree::{Map, Node, Value, yaml};
use crate::{Code, Pos, Problem};

/// How large a frontmatter block may be.
pub const MAX_BYTES: usize = 64 * 1024;

/// A frontmatter block and what follows it.
#[derive(Debug)]
pub struct Frontmatter<'a> {
    /// The keys and values; `None` where the block could not be read as a mapping.
    pub map: Option<Map>,
    /// Where the block's first line stands.
    pub at: Pos,
    /// The text below the closing fence.
    pub body: &'a str,
    /// The line of the file on which `body` begins.
    pub body_line: u32,
    /// What is wrong with the block.
    pub problems: Vec<Problem>,
}

/// Reads the frontmatter of a decoded text; the error is the reason why there is none.
pub fn read(text: &str) -> Result<Frontmatter<'_>, Problem> {
    let block = split(text)?;
    let mut problems = Vec::new();
    if block.fence_line > 1 {
        let message = "blank lines stand before the frontmatter";
        problems.push(Problem::new(
            Code::LeadingBlankLines,
            Pos::START,
            message,
            "begin the file with `---`",
        ));
    }
    let at = Pos::line(block.fence_line + 1);
    let map = mapping(block.yaml, at, &mut problems);
    problems.extend(map.iter().flat_map(|map| comment::cut(block.yaml, at.line, map)));
    Ok(Frontmatter { map, at, body: block.body, body_line: block.body_line, problems })
}

/// A text parted at its fences.
#[derive(Debug)]
pub struct Block<'a> {
    /// The line of the opening fence.
    pub fence_line: u32,
    /// What stands between the fences.
    pub yaml: &'a str,
    /// What stands below them.
    pub body: &'a str,
    /// The line on which that begins.
    pub body_line: u32,
}

/// Parts a decoded text at its fences; the error is the reason why it cannot be.
pub fn split(text: &str) -> Result<Block<'_>, Problem> {
    let mut offset = 0;
    let mut opened: Option<(u32, usize)> = None;
    for (index, line) in lines(text).enumerate() {
        let number = clamp(index + 1);
        let next = offset + line.len();
        let content = line.trim_end();
        match opened {
            None if content.is_empty() => {}
            None if content == "---" => opened = Some((number, next)),
            None => return Err(missing(number, text)),
            Some((fence_line, start)) if matches!(content, "---" | "...") => {
                let yaml = text.get(start..offset).unwrap_or_default();
                let body = text.get(next..).unwrap_or_default();
                return Ok(Block { fence_line, yaml, body, body_line: number + 1 });
            }
            Some(_) => {}
        }
        offset = next;
    }
    Err(opened.map_or_else(|| missing(1, text), |(line, _)| unclosed(line)))
}

fn missing(line: u32, text: &str) -> Problem {
    let message = "the file does not begin with a frontmatter block";
    let hint = match later(text) {
        Some(line) => format!("move the block on line {line} to the very top of the file"),
        None => {
            "begin the file with a line `---`, then `name:` and `description:`, then a line `---`".to_owned()
        }
    };
    Problem::new(Code::MissingFrontmatter, Pos::line(line), message, hint)
}

/// The line of a block that stands below something else, such as a title or a comment.
fn later(text: &str) -> Option<u32> {
    const LOOKED_AT: usize = 20;
    let mut rest = text;
    for (index, line) in lines(text).enumerate().take(LOOKED_AT) {
        let is_block =
            |block: Block<'_>| block.yaml.starts_with("name:") || block.yaml.starts_with("description:");
        if line.trim_end() == "---" && split(rest).is_ok_and(is_block) {
            return Some(clamp(index + 1));
        }
        rest = rest.get(line.len()..)?;
    }
    None
}

fn unclosed(line: u32) -> Problem {
    let message = "the frontmatter is opened here and never closed";
    let hint = "end it with a line that is exactly `---`, without indentation";
    Problem::new(Code::UnclosedFrontmatter, Pos::line(line), message, hint)
}

fn mapping(block: &str, at: Pos, problems: &mut Vec<Problem>) -> Option<Map> {
    if block.len() > MAX_BYTES {
        let message = format!("the frontmatter has {} bytes; the limit is {MAX_BYTES}", block.len());
        problems.push(Problem::new(Code::YamlBudget, at, message, "move long material into the body"));
        return None;
    }
    let parsed = match yaml::parse(block, at.line) {
        Ok(parsed) => parsed,
        Err(error) if error.code == Code::YamlInvalid => match repair::repair(block, at.line) {
            Some(repaired) => {
                problems.push(repair::told(&error, &repaired));
                repaired.parsed
            }
            None => {
                problems.push(error);
                return None;
            }
        },
        Err(error) => {
            problems.push(error);
            return None;
        }
    };
    problems.extend(parsed.problems);
    match parsed.root {
        None => Some(Map::default()),
        Some(Node { value: Value::Map(map), .. }) => Some(map),
        Some(node) if node.is_null() => Some(Map::default()),
        Some(node) => {
            let message = format!("the frontmatter is {}, not a mapping of keys to values", node.what());
            let is_unparted = node.as_str().is_some_and(|text| text.contains(':'));
            let hint = if is_unparted {
                "put a blank behind the colon of each key: `key: value`"
            } else {
                "write `key: value` lines"
            };
            problems.push(Problem::new(Code::FrontmatterNotMapping, node.at, message, hint));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let shown = match read(text) {
            Err(problem) => problem.to_string(),
            Ok(read) => {
                let map = read.map.map_or("no mapping".to_owned(), |map| map.to_data().to_json().to_string());
                let problems: String = read.problems.iter().map(|problem| format!("\n{problem}")).collect();
                format!("{map}\nbody from line {}: {:?}{problems}", read.body_line, read.body)
            }
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn a_block_is_what_stands_between_two_fences() {
        check(
            "---\nname: a\n---\n# Body\n---\nrest\n",
            expect![[r##"
            {"name":"a"}
            body from line 4: "# Body\n---\nrest\n""##]],
        );
    }

    #[test]
    fn a_fence_may_have_trailing_space_and_may_be_dots() {
        check(
            "---  \nname: a\n...\nbody",
            expect![[r#"
            {"name":"a"}
            body from line 4: "body""#]],
        );
    }

    #[test]
    fn a_fence_inside_a_value_or_indented_in_a_block_scalar_is_no_fence() {
        check(
            "---\ndescription: foo --- bar\ntext: |\n  ---\n  inside\n---\nbody",
            expect![[r#"
            {"description":"foo --- bar","text":"---\ninside\n"}
            body from line 7: "body""#]],
        );
    }

    #[test]
    fn blank_lines_before_the_block_are_told() {
        check(
            "\n\n---\nname: a\n---\n",
            expect![[r#"
            {"name":"a"}
            body from line 6: ""
            :1:1: warning[leading_blank_lines]: blank lines stand before the frontmatter"#]],
        );
    }

    #[test]
    fn an_empty_block_is_an_empty_mapping() {
        check(
            "---\n---\n\nbody\n",
            expect![[r#"
            {}
            body from line 3: "\nbody\n""#]],
        );
        check(
            "---\n# only a comment\n---\n",
            expect![[r#"
            {}
            body from line 4: """#]],
        );
    }

    #[test]
    fn text_without_a_block_is_told_with_its_line() {
        check(
            "# Title\n---\nname: a\n---\n",
            expect![":1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block"],
        );
        check(
            "",
            expect![":1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block"],
        );
        check(
            "---foo\nname: a\n---\n",
            expect![":1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block"],
        );
    }

    #[test]
    fn a_block_below_a_comment_is_to_be_moved_to_the_top() {
        let hint = |text: &str| read(text).unwrap_err().hint;
        assert_eq!(
            hint("<!-- from the web -->\n\n---\nname: a\n---\nbody\n"),
            "move the block on line 3 to the very top of the file"
        );
        for text in ["Title\n---\nname: never closed\n", "Title\n---\nA rule: and more\n---\n", "Title\n---"]
        {
            assert!(hint(text).starts_with("begin the file"), "{text}");
        }
    }

    #[test]
    fn an_open_block_is_told_with_the_line_of_its_fence() {
        check(
            "---\nname: a\n  ---\nbody\n",
            expect![":1:1: error[unclosed_frontmatter]: the frontmatter is opened here and never closed"],
        );
    }

    #[test]
    fn a_list_is_no_mapping() {
        check(
            "---\n- a\n- b\n---\n",
            expect![[r#"
            no mapping
            body from line 5: ""
            :2:1: error[frontmatter_not_mapping]: the frontmatter is a list, not a mapping of keys to values"#]],
        );
    }

    #[test]
    fn keys_without_a_blank_behind_their_colons_are_told_what_they_lack() {
        let read = read("---\nname:a\ndescription:b\n---\n").unwrap();
        let hints: Vec<&str> = read.problems.iter().map(|problem| problem.hint.as_str()).collect();
        assert_eq!(hints, ["put a blank behind the colon of each key: `key: value`"]);
    }

    #[test]
    fn a_block_over_the_limit_is_not_parsed() {
        check(
            &format!("---\nd: {}\n---\n", "x".repeat(70_000)),
            expect![[r#"
            no mapping
            body from line 4: ""
            :2:1: error[yaml_budget]: the frontmatter has 70004 bytes; the limit is 65536"#]],
        );
    }
}
