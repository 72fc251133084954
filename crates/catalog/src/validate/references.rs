//! References to tools in a body, and whether such a tool is known.
//!
//! Most words in backticks are no tools: keys, commands, values. Only a word that the sentence itself calls a tool
//! counts, and only outside code fences. Nobody can know every server's tools, so a finding is a remark and no more.

use guild_manifest::fold::{fold, nearest};
use guild_manifest::text::clamp;
use guild_manifest::{Code, Pos, Problem};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

/// How many unknown tools of one body are told.
const MOST_TOLD: usize = 20;

/// The longest word that can be a tool's name.
const LONGEST_NAME: usize = 64;

/// The words that announce a tool.
const ANNOUNCING: &[&str] = &["tool", "tools", "call", "calls", "calling", "invoke", "invokes", "invoking"];

/// How many characters on either side of a word are read for what the sentence calls it.
const WINDOW: usize = 40;

/// The marks around a word that stands after the tool.
const AROUND: &[char] = &['*', '_', '.', ',', ':', ';', '(', ')', '!', '?'];

/// The marks around a word that stands before the tool; a comma would part the two.
const BEFORE: &[char] = &['*', '_', ':', '('];

/// The tools that agents bring along.
static TOOLS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("tools.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

static FOLDED: LazyLock<HashSet<Cow<'static, str>>> =
    LazyLock::new(|| TOOLS.iter().map(|tool| fold(tool)).collect());

/// Whether an agent is known to bring along a tool of that name, in any spelling.
pub fn is_known_tool(name: &str) -> bool {
    FOLDED.contains(&fold(name))
}

/// Whether a word has the form of a tool's name.
pub fn looks_like_tool_name(word: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    (2..=LONGEST_NAME).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(allowed)
}

/// The tools that `body` speaks of and nobody knows, each once, where it is first named.
///
/// `registry` names the tools that are there besides those that agents bring along. A name such as
/// `mcp__server__tool` says itself where the tool comes from and is not looked up.
pub fn references(body: &str, body_line: u32, registry: &[&str]) -> Vec<Problem> {
    let mut known: HashSet<Cow<'_, str>> = registry.iter().map(|tool| fold(tool)).collect();
    let mut problems = Vec::new();
    let mut fence = None;
    for (line, number) in body.lines().zip(0_u32..) {
        if is_fenced(line, &mut fence) || !line.contains('`') {
            continue;
        }
        for span in code_spans(line).filter(Span::names_tool) {
            if problems.len() == MOST_TOLD {
                return problems;
            }
            if !is_known_tool(span.word) && !span.word.starts_with("mcp__") && known.insert(fold(span.word)) {
                let at = Pos::new(body_line.saturating_add(number), span.column());
                problems.push(unknown(span.word, at, registry));
            }
        }
    }
    problems
}

/// Whether a line is a code fence or stands within one; `fence` remembers the mark of the open one.
fn is_fenced(line: &str, fence: &mut Option<&'static str>) -> bool {
    let line = line.trim_start();
    let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
    match (*fence, mark) {
        (None, None) => return false,
        (None, Some(mark)) => *fence = Some(mark),
        (Some(open), Some(mark)) if open == mark => *fence = None,
        (Some(_), _) => {}
    }
    true
}

/// A word in single backticks and the rest of its line.
struct Span<'a> {
    before: &'a str,
    word: &'a str,
    after: &'a str,
}

impl Span<'_> {
    /// Whether the sentence calls the word a tool: "`x` tool", "`x` MCP tool", "tools: `x_y`" or "call `x_y`".
    ///
    /// Of what stands behind "tool" or "call" much is a command, a key or a function, so there only a word with an
    /// underscore counts.
    fn names_tool(&self) -> bool {
        let is = |word: &str, any: &[&str]| any.iter().any(|one| one.eq_ignore_ascii_case(word));
        (self.after.starts_with(' ') && is(word_after(self.after), &["tool", "tools"]))
            || (self.word.contains('_') && is(word_before(self.before), ANNOUNCING))
    }

    fn column(&self) -> u32 {
        clamp(self.before.chars().count() + 2)
    }
}

/// The first word of `text` that says something, without the marks around it.
fn word_after(text: &str) -> &str {
    let window = text.char_indices().nth(WINDOW).and_then(|(end, _)| text.get(..end)).unwrap_or(text);
    let mut words = window.split_whitespace().map(|word| word.trim_matches(AROUND));
    words.find(|word| !word.eq_ignore_ascii_case("mcp")).unwrap_or_default()
}

/// The last word of `text` that says something, without the marks around it.
fn word_before(text: &str) -> &str {
    let window =
        text.char_indices().nth_back(WINDOW).and_then(|(start, _)| text.get(start..)).unwrap_or(text);
    let mut words = window.split_whitespace().rev().map(|word| word.trim_matches(BEFORE));
    words.find(|word| !word.eq_ignore_ascii_case("the")).unwrap_or_default()
}

/// The words in single backticks that could be a tool's name.
fn code_spans(line: &str) -> impl Iterator<Item = Span<'_>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        loop {
            let start = offset + line.get(offset..)?.find('`')?;
            let inside = line.get(start..)?.trim_start_matches('`');
            let ticks = line.len() - start - inside.len();
            offset = start + ticks;
            let end = inside.find('`').filter(|_| ticks == 1);
            let Some((word, rest)) = end.and_then(|end| inside.split_at_checked(end)) else { continue };
            offset += word.len() + 1;
            if looks_like_tool_name(word) {
                return Some(Span { before: line.get(..start)?, word, after: rest.get(1..)? });
            }
        }
    })
}

fn unknown(word: &str, at: Pos, registry: &[&str]) -> Problem {
    let candidates = registry.iter().chain(TOOLS.iter()).copied();
    let hint = match nearest(word, candidates) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "check the name, or say which server or plugin brings the tool".to_owned(),
    };
    Problem::new(Code::UnknownTool, at, format!("`{word}` is no known tool"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let shown: Vec<String> = references(body, 10, &["own-tool"])
            .iter()
            .map(|problem| {
                format!("{}:{} {} ({})", problem.at.line, problem.at.column, problem.message, problem.hint)
            })
            .collect();
        expect.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn a_word_that_the_sentence_calls_a_tool_is_looked_up() {
        check(
            "Use the `wether_report` tool.\nÄ tool `one_two` or **Tools:** `three_`.\n(`four` MCP tools), `five-six` tool.\n",
            expect![[r#"
                10:10 `wether_report` is no known tool (check the name, or say which server or plugin brings the tool)
                11:9 `one_two` is no known tool (check the name, or say which server or plugin brings the tool)
                11:33 `three_` is no known tool (check the name, or say which server or plugin brings the tool)
                12:3 `four` is no known tool (check the name, or say which server or plugin brings the tool)
                12:22 `five-six` is no known tool (check the name, or say which server or plugin brings the tool)"#]],
        );
    }

    #[test]
    fn an_announced_word_counts_only_with_an_underscore() {
        check(
            "Call `get_weather`, then it calls the `add_to_list`, then invoke `balance`. Tools: `curl`.",
            expect![[r#"
                10:7 `get_weather` is no known tool (check the name, or say which server or plugin brings the tool)
                10:40 `add_to_list` is no known tool (check the name, or say which server or plugin brings the tool)"#]],
        );
    }

    #[test]
    fn keys_commands_and_values_are_no_tools() {
        check(
            "Set `api_key` to `x`; run `jq`. A `status` of `in_progress`. Toolbox `a_b`, `a`tool, `tools`, `c_d`.\n\
             Of the tools, `e_f` is a key.",
            expect![""],
        );
    }

    #[test]
    fn known_tools_are_known_in_any_spelling() {
        check(
            "The `read_file` tool, the `web-fetch` tool, the `todowrite` tool, the `own_tool` tool, \
             the `mcp__github__get_issue` tool.",
            expect![""],
        );
    }

    #[test]
    fn a_slip_is_told_with_the_right_name_and_only_once() {
        check(
            "The `reed_file` tool.\nThe `reed_file` tool. The `own_tol` tool.",
            expect![[r#"
                10:6 `reed_file` is no known tool (did you mean `read_file`?)
                11:28 `own_tol` is no known tool (did you mean `own-tool`?)"#]],
        );
    }

    #[test]
    fn code_fences_and_longer_spans_are_not_read() {
        check("```\nthe `no_tool` tool\n~~~\n```\n~~~\nthe `no_tool` tool\n```\n", expect![""]);
        check("the ``no_tool`` tool, the `Upper` tool, the `no tool` tool, ` tool", expect![""]);
    }

    #[test]
    fn a_flood_is_cut() {
        let body: String = (0..100).map(|number| format!("the `no_tool_{number}` tool\n")).collect();
        assert_eq!(references(&body, 1, &[]).len(), MOST_TOLD);
    }

    #[test]
    fn the_list_of_tools_holds_each_once() {
        assert_eq!(FOLDED.len(), TOOLS.len());
        for tool in ["bash", "tool-groups", "Read", "apply_patch", "run_shell_command", "sessions_spawn"] {
            assert!(is_known_tool(tool), "{tool}");
        }
    }

    #[test]
    fn a_tools_name_is_lower_case_without_separators_of_paths() {
        for word in ["ls", "read_file", "ok-verify", "a1"] {
            assert!(looks_like_tool_name(word), "{word}");
        }
        for word in ["", "a", "Read", "1a", "_a", "a b", "a.b", "a/b", "a\\b", "ä1", &"a".repeat(65)] {
            assert!(!looks_like_tool_name(word), "{word}");
        }
    }
}
