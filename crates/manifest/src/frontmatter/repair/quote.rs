//! Rungs that mend the text: indentation, and quotes around values that YAML would misread.

use crate::tree::yaml;

/// Leading tabs as two spaces each, and tabs between a key and its value as one.
pub fn tabs_to_spaces(block: &str) -> Option<String> {
    let mut changed = false;
    let mended = map_lines(block, |line| {
        let blanks = leading(line);
        let start = line.strip_prefix(blanks).unwrap_or(line);
        let pair = split_pair(start).filter(|(head, value)| head.contains('\t') && !value.is_empty());
        changed |= pair.is_some() || blanks.contains('\t');
        let rest = pair.map(|(head, value)| format!("{} {value}", head.trim_end()));
        blanks.replace('\t', "  ") + rest.as_deref().unwrap_or(start)
    });
    changed.then_some(mended)
}

/// No-break spaces, which come with text from web pages, as spaces where a line begins and where its value does.
pub fn plain_spaces(block: &str) -> Option<String> {
    const ODD: char = '\u{a0}';
    let plain = |line: &str| {
        let start = line.trim_start_matches([' ', '\t', ODD]);
        let blanks = line.strip_suffix(start).unwrap_or_default().replace(ODD, " ");
        let value = start.split_once(':').filter(|(_, value)| value.starts_with(ODD));
        let rest = value.map(|(key, value)| format!("{key}: {}", value.trim_start_matches([' ', ODD])));
        blanks + rest.as_deref().unwrap_or(start)
    };
    block.contains(ODD).then(|| map_lines(block, plain))
}

/// A `{…}` or `[…]` that begins at column one below a bare key, or behind its key and goes on at column one, moved in.
pub fn indent_flow(block: &str) -> Option<String> {
    let mut depth = 0i32;
    let mut after_bare_key = false;
    let mut changed = false;
    let mended = map_lines(block, |line| {
        let begins = depth <= 0 && after_bare_key && line.starts_with(['{', '[']);
        let inside = depth > 0;
        after_bare_key = line.trim_end().ends_with(':');
        if begins || inside {
            depth += bracket_balance(line);
            changed = true;
            return format!("  {line}");
        }
        // One that is closed on its own line has a balance of nought.
        depth = split_pair(line)
            .filter(|(_, value)| value.starts_with(['{', '[']))
            .map_or(0, |(_, value)| bracket_balance(value));
        line.to_owned()
    });
    changed.then_some(mended)
}

/// Single quotes around each value that YAML would misread: one with `: `, or one that opens what it never closes.
pub fn quote_values(block: &str) -> Option<String> {
    let mut scalar_indent: Option<usize> = None;
    let mut changed = false;
    let mended = map_lines(block, |line| {
        let indent = leading(line).len();
        if scalar_indent.is_some_and(|parent| line.trim().is_empty() || indent > parent) {
            return line.to_owned();
        }
        scalar_indent = None;
        let Some((head, value)) = split_pair(line) else { return line.to_owned() };
        if is_block_header(value) {
            scalar_indent = Some(indent);
        }
        if !needs_quotes(value) {
            return line.to_owned();
        }
        changed = true;
        let (value, comment) = split_comment(value);
        format!("{head}'{}'{comment}", value.replace('\'', "''"))
    });
    changed.then_some(mended)
}

const KEY: &str = "description:";

/// The same as [`quote_description`] where it has quotes already, which do not do what they were meant to.
pub fn requote_description(block: &str) -> Option<String> {
    let value = block.lines().find_map(|line| line.strip_prefix(KEY))?;
    value.trim_start().starts_with(['"', '\'']).then(|| quote_description(block))?
}

/// The description with all its continuation lines as one quoted text; the lines it leaves stay blank.
pub fn quote_description(block: &str) -> Option<String> {
    let lines: Vec<&str> = block.lines().collect();
    let start = lines.iter().position(|line| line.starts_with(KEY))?;
    let (before, from) = lines.split_at_checked(start)?;
    let (first, rest) = from.split_first()?;
    let count =
        rest.iter().take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t'])).count();
    let (continued, after) = rest.split_at_checked(count)?;
    // The header of a block of text is no part of the text.
    let head = Some(first.strip_prefix(KEY)?.trim()).filter(|head| !is_block_header(head));
    let parts = head.into_iter().chain(continued.iter().copied());
    let text = parts.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let quoted = format!("{KEY} '{}'", unquoted(&text).replace('\'', "''"));
    let blank = continued.iter().map(|_| "");
    let lines = before.iter().copied().chain([quoted.as_str()]).chain(blank).chain(after.iter().copied());
    let mended: String = lines.flat_map(|line| [line, "\n"]).collect();
    Some(quote_values(&mended).unwrap_or(mended))
}

/// The text without the quotes around the whole of it, or one that is never closed; quotes around its first word
/// only are part of it.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let strip = |quote: char| {
        if text.matches(quote).count() == 1 {
            return text.strip_prefix(quote);
        }
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        let is_first = |at: usize| inner.get(..at).is_some_and(|before| before.ends_with([' ', '(']));
        let opens_or_closes = |(at, _): (usize, &str)| (!is_apostrophe(inner, at)).then_some(at);
        inner.match_indices(quote).find_map(opens_or_closes).is_none_or(is_first).then_some(inner)
    };
    strip('"').or_else(|| strip('\'')).unwrap_or(text)
}

/// Whether the single quote at `at` stands within a word, as in `it's`.
fn is_apostrophe(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    let is_within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    after.starts_with('\'') && is_within(before.chars().next_back()) && is_within(after.chars().nth(1))
}

fn map_lines(block: &str, mut mend: impl FnMut(&str) -> String) -> String {
    block.lines().map(|line| mend(line) + "\n").collect()
}

fn leading(line: &str) -> &str {
    let end = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..end).unwrap_or_default()
}

fn bracket_balance(line: &str) -> i32 {
    line.chars().map(|c| if matches!(c, '{' | '[') { 1 } else { -i32::from(matches!(c, '}' | ']')) }).sum()
}

/// Splits `  - key: value` into everything up to the value, and the value.
pub(super) fn split_pair(line: &str) -> Option<(&str, &str)> {
    let start = line.trim_start();
    let key_start = start.strip_prefix("- ").map_or(start, str::trim_start);
    let (key, after) = key_start.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !is_key || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let head_length = line.len() - after.trim_start().len();
    Some((line.get(..head_length)?, after.trim()))
}

/// Whether YAML misreads the value; one that begins with a refused feature is left to be refused.
fn needs_quotes(value: &str) -> bool {
    !value.is_empty()
        && !value.starts_with(['"', '\'', '#', '&', '!'])
        && !is_block_header(value)
        && (!value.starts_with('*') || yaml::is_glob(value))
        && yaml::parse(&format!("k: {value}\n"), 1).is_err()
}

/// Whether a value is the header of a block of text, such as `|` or `>-`, and not a text that begins with the same character.
pub(super) fn is_block_header(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['|', '>']) else { return false };
    let word = rest.split([' ', '\t']).next().unwrap_or_default();
    let comment = rest.get(word.len()..).unwrap_or_default().trim_start();
    word.len() <= 2
        && word.chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
        && (comment.is_empty() || comment.starts_with('#'))
}

/// Splits a trailing ` # comment` off, if there is one.
fn split_comment(value: &str) -> (&str, &str) {
    value.find(" #").and_then(|at| value.split_at_checked(at)).unwrap_or((value, ""))
}
