//! Texts of any language: sent to the engine for it, with how they are meant.

use crate::code;
use crate::context;
use crate::language::{self, Language};
use crate::markdown::{self, Block};
use crate::pattern::patterns;
use crate::scan::{Scan, Setting, Source};
use crate::syntax::Grammar;
use crate::{asset, prose, shell, triggers};

/// The largest text that is taken apart as Markdown.
const MAX_MARKDOWN: usize = 4 * 1024 * 1024;

patterns! {
    /// What a text without a language must hold to be worth parsing as commands: a variable, or a word of some rule.
    COMMANDS = r"(\$[a-z_{(]|\b(curl|wget|base64|xxd|eval|bash|sh|zsh|python3?|node|rm|find|dd|mkfs[a-z0-9.]*|shred|chmod|git|nc|ncat|socat|",
        r"crontab|launchctl|systemctl|spctl|xattr|setenforce|env|printenv|scp|powershell|iex|iwr|mshta|msiexec)\b|",
        r"\b(pip3?|pipx|uvx?|p?npm|npx|yarn|bunx?|deno|gem|cargo|go|brew|apt|apt-get|dnf|yum|rpm)[ ][^\n]*://|/dev/|/etc/|~/|>>|\.env\b|authorized_keys|\(\)[ ]*\{)";
    /// What may hide a command's name.
    DISGUISED = r"(\||\\[a-z]|''|[\x22'][a-z]{1,5}[\x22'][a-z\x22']|[a-z][\x22'][a-z]{1,5}[\x22']|\{[a-z]+,)";
    /// What a program in a text must hold to be worth parsing: a word of some rule.
    CALLS = r"(\b(eval|exec|compile|(?-i:Function)|system|popen|spawn|execsync|subprocess|child_process|getattr|__import__|import_module|",
        r"b64decode|atob|fromhex|environ|getenv|open|readfilesync|readfile|read_text|pickle|marshal|yaml|socket)\b|process\.env|",
        r"webhook|base64)";
}

/// Looks at Markdown whose first line is line `first_line` of its file.
pub fn scan_markdown(text: &str, path: &str, first_line: u32, is_defensive: bool, scan: &mut Scan) {
    if text.len() > MAX_MARKDOWN {
        return scan.limit(path, "the text is larger than what is read");
    }
    // Blank lines at the end mean nothing in Markdown, and there may be millions of them.
    let document = markdown::read(text.trim_end_matches('\n'), first_line);
    prose::scan(&document.prose, path, is_defensive, scan);
    for block in &document.code {
        scan_block(block, path, is_defensive, scan);
    }
    for span in document.spans.iter().filter(|span| is_command(&span.text)) {
        let setting = context::setting(&span.words, is_defensive);
        shell::scan(&span.text, &Source::new(path, span.line, setting), scan);
    }
    for html in &document.html {
        let source = Source::new(path, html.line, context::setting(&html.words, is_defensive));
        asset::scan_inline(&html.text, &source, scan);
    }
    prose::scan_encoded(text, &Source::new(path, first_line, Setting::Instruction), is_defensive, scan);
}

/// Looks at a text in a parsed or an unparsed language.
pub fn scan_code(text: &str, language: Language, source: &Source<'_>, scan: &mut Scan) {
    match language {
        Language::Parsed(Grammar::Shell) => {
            shell::scan(text, source, scan);
            for (row, line) in text.lines().enumerate() {
                triggers::powershell(line, row, source, scan);
            }
        }
        Language::Parsed(grammar) => code::scan(grammar, text, source, scan),
        Language::Session => shell::scan(&commands_of(text), source, scan),
        Language::Markup => asset::scan_inline(text, source, scan),
        Language::Markdown | Language::Script | Language::Text => triggers::scan_lines(text, source, scan),
    }
}

fn scan_block(block: &Block, path: &str, is_defensive: bool, scan: &mut Scan) {
    let setting = context::setting(&block.words, is_defensive);
    let source = Source::new(path, block.line, setting);
    let is_bare = block.language.is_empty();
    let language = language::of_fence(&block.language);
    let is_shell = matches!(language, Language::Parsed(Grammar::Shell) | Language::Session);
    // What a block is written in says more than its words: a name may be hidden by quotes or backslashes.
    let is_worth_it = COMMANDS.is_in(&block.text) || !is_bare && DISGUISED.is_in(&block.text);
    if is_shell && !is_worth_it {
        return;
    }
    let text = if is_bare { commands_of(&block.text) } else { block.text.clone() };
    if matches!(language, Language::Parsed(Grammar::Python | Grammar::JavaScript)) && !CALLS.is_in(&text) {
        return;
    }
    let text = marked_lines_removed(&text, &source, scan);
    scan_code(&text, language, &source, scan);
}

/// A code span is a command if it has more than one word; one word alone is a name.
fn is_command(text: &str) -> bool {
    text.trim().contains([' ', '\t', '{']) && COMMANDS.is_in(text)
}

/// The commands of a session: what stands behind prompts, or everything where there are none.
fn commands_of(text: &str) -> String {
    let prompt = |line: &str| {
        let line = line.trim_start();
        ["$ ", "# ", "> ", "% ", "❯ "].iter().find_map(|prompt| line.strip_prefix(prompt).map(str::to_owned))
    };
    let is_session = text.lines().any(|line| line.trim_start().starts_with("$ "));
    if !is_session {
        return text.to_owned();
    }
    text.lines().map(|line| prompt(line).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Lines that their own comment, or the comment above, calls wrong are looked at as examples, the others as they are.
fn marked_lines_removed(text: &str, source: &Source<'_>, scan: &mut Scan) -> String {
    if source.setting == Setting::Example || !text.contains(['#', '/']) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut is_below = false;
    for (row, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let is_comment = trimmed.starts_with('#') || trimmed.starts_with("//");
        let comment =
            if is_comment { trimmed } else { line.split_once(" # ").map_or("", |(_, comment)| comment) };
        let is_marked = !comment.is_empty() && context::is_mark(comment);
        let is_example = is_marked || is_below && !is_comment && !trimmed.is_empty();
        if is_example && !is_comment {
            let example = Source { setting: Setting::Example, line: source.at(row), ..*source };
            shell::scan(line, &example, scan);
        } else {
            kept.push_str(line);
        }
        kept.push('\n');
        is_below = if is_comment { is_marked } else { is_below && !trimmed.is_empty() };
    }
    kept
}
