//! The skill's own file: its frontmatter as an attack on readers and hosts, and its fields as text.

use crate::codes::Code;
use crate::context;
use crate::finding::Finding;
use crate::input::{Content, Input};
use crate::markdown::Line;
use crate::pattern::patterns;
use crate::scan::{Scan, Setting, Source};
use crate::{document, prose, triggers, unicode};
use guild_manifest::Code as ProblemCode;
use guild_manifest::skill::{self, Profile};
use guild_manifest::text::decode;

/// So many aliases are no convenience.
const MANY_ALIASES: usize = 6;
/// The largest file that is read as a skill's own.
const MAX_BYTES: usize = 4 * 1024 * 1024;

patterns! {
    /// Markup that ends or imitates what hosts put around a description.
    BREAKOUT = r"(</[ ]*(available_skills|skills?|skill-pin|system|instructions?|tools?|functions?|assistant|user|human|prompt|location|name|description|important|context|document)[ ]*>|",
        r"<[ ]*(system|system-reminder|system_prompt|assistant|important|admin|developer)[ ]*>|<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>)";
    /// A turn of a conversation.
    TURN = r"(^|\n)[ ]*(human|assistant):[ ]";
    /// An alias of YAML.
    ALIAS = r"(:|-|,|\[)[ ]*\*[a-z0-9_]+";
}

/// Looks at the frontmatter; whether the skill says that it looks for dangers.
pub fn scan(input: &Input<'_>, scan: &mut Scan) -> bool {
    let main = input.files.iter().find(|file| file.path == input.main);
    let Some(Content::Bytes(bytes)) = main.map(|file| file.content) else { return false };
    unicode::scan_field(input.main, 1, "name", input.name, scan);
    breakout(input.main, 1, input.name, scan);
    let source = skill::Source { max_bytes: MAX_BYTES, ..skill::Source::new(input.main, input.name, bytes) };
    let reading = skill::read(&source, Profile::Lenient);
    for problem in &reading.problems {
        let code = match problem.code {
            ProblemCode::YamlRefused => Code::FrontmatterTag,
            ProblemCode::YamlBudget => Code::FrontmatterBomb,
            _ => continue,
        };
        scan.add(Finding::new(code, input.main, problem.at.line, &problem.message));
    }
    let head = head(bytes);
    if ALIAS.all(&head).nth(MANY_ALIASES - 1).is_some() && scan_has_tag(&reading.problems) {
        scan.add(Finding::new(Code::FrontmatterBomb, input.main, 1, "many aliases"));
    }
    let described = fields(&reading, input, scan);
    context::is_defensive(&described)
}

/// Looks at the body and at commands in the frontmatter, such as install steps.
pub fn scan_main(text: &str, path: &str, is_defensive: bool, scan: &mut Scan) {
    let Some((head, body)) = split(text) else {
        return document::scan_markdown(text, path, 1, is_defensive, scan);
    };
    triggers::scan_lines(head, &Source::new(path, 1, Setting::Instruction), scan);
    let lines = u32::try_from(memchr::memchr_iter(b'\n', head.as_bytes()).count()).unwrap_or(u32::MAX);
    document::scan_markdown(body, path, lines.saturating_add(1), is_defensive, scan);
}

fn scan_has_tag(problems: &[guild_manifest::Problem]) -> bool {
    problems.iter().any(|problem| problem.code == ProblemCode::YamlRefused)
}

/// The text of name, description and the like, each looked at as prose that hosts show.
fn fields(reading: &skill::Reading<'_>, input: &Input<'_>, scan: &mut Scan) -> String {
    let mut described = String::new();
    for key in ["name", "description", "when_to_use"] {
        let Some(entry) = reading.frontmatter.entry(key) else { continue };
        let Some(text) = guild_manifest::coerce::text(&entry.value, "\n") else { continue };
        let line = entry.key_at.line;
        unicode::scan_field(input.main, line, key, &text, scan);
        breakout(input.main, line, &text, scan);
        if key != "name" {
            let prose = Line { text: text.clone(), line, heading: String::new() };
            prose::scan(&[prose], input.main, context::is_defensive(&text), scan);
        }
        described.push_str(&text);
        described.push('\n');
    }
    described
}

fn breakout(path: &str, line: u32, text: &str, scan: &mut Scan) {
    if BREAKOUT.is_in(text) || TURN.is_in(&without_examples(text)) {
        scan.add(Finding::new(Code::Breakout, path, line, text));
    }
}

/// A text without its `<example>` elements, in which hosts have authors write conversations that call for an agent.
fn without_examples(text: &str) -> String {
    let mut parts = text.split("<example>");
    let first = parts.next().unwrap_or_default().to_owned();
    // What is not closed is no example.
    parts.fold(first, |kept, part| {
        kept + "\n" + part.split_once("</example>").map_or(part, |(_, after)| after)
    })
}

fn head(bytes: &[u8]) -> String {
    let Ok(decoded) = decode(bytes, MAX_BYTES) else { return String::new() };
    split(&decoded.text).map(|(head, _)| head.to_owned()).unwrap_or_default()
}

/// The frontmatter with its fences, and the body behind it.
fn split(text: &str) -> Option<(&str, &str)> {
    let start = text.len() - text.trim_start_matches('\n').len();
    let rest = text.get(start..)?.strip_prefix("---\n")?;
    let mut offset = start + 4;
    for line in rest.split_inclusive('\n') {
        offset += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return Some((text.get(..offset)?, text.get(offset..)?));
        }
    }
    None
}
