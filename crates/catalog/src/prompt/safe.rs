//! Strangers' text made harmless: what is taken out of it, and how each shape escapes the rest.
//!
//! Characters that draw nothing are removed rather than shown: a catalog is read by a model, and a model can
//! read hidden text as well in its escaped form. Finding and reporting such text is the vetting's business.

/// A description cut shorter than this says nothing.
const SHORTEST_CUT: usize = 12;

/// `text` on one line: each run of white space as one blank, none at the ends, nothing invisible.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(char::is_whitespace) {
        let before = line.len();
        if before > 0 {
            line.push(' ');
        }
        let start = line.len();
        line.extend(word.chars().filter(|c| !is_invisible(*c)));
        if line.len() == start {
            line.truncate(before);
        }
    }
    line
}

/// A path on one line: blanks count, so they stay as they are.
pub(super) fn path(text: &str) -> String {
    text.chars().filter(|c| *c == ' ' || !c.is_whitespace() && !is_invisible(*c)).collect()
}

/// `text` in at most `cap` characters, the last of them `…` when something was cut.
pub(super) fn clip(text: &str, cap: usize) -> String {
    if text.chars().nth(cap).is_none() {
        return text.to_owned();
    }
    let Some(kept) = cap.checked_sub(1) else { return String::new() };
    let end = text.char_indices().nth(kept).map_or(text.len(), |(end, _)| end);
    let mut clipped = text.get(..end).unwrap_or_default().trim_end().to_owned();
    clipped.push('…');
    clipped
}

/// `text` as far as a budget lets it: whole, clipped to `cap`, or nothing when so little would say nothing.
pub(super) fn shrink(text: &str, cap: usize) -> String {
    if cap < SHORTEST_CUT && text.chars().nth(cap).is_some() { String::new() } else { clip(text, cap) }
}

/// The number of characters.
pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

/// Escapes text for the content of an XML element or attribute.
pub(super) fn xml(text: &str) -> String {
    escape(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    })
}

/// Escapes one line for the inside of a JSON string, so that no markup can be read into it either.
pub(super) fn json(line: &str) -> String {
    escape(line, |c| match c {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '<' => Some("\\u003c"),
        '>' => Some("\\u003e"),
        _ => None,
    })
}

/// Makes one line of plain text that neither opens a tag nor closes a fence; its length stays the same.
pub(super) fn plain(line: &str) -> String {
    let line = line.replace('<', "‹").replace('>', "›");
    let mut plain = String::with_capacity(line.len());
    for run in line.split_inclusive(|c| c != '`') {
        let ticks = run.trim_end_matches(|c| c != '`');
        if ticks.len() < 3 {
            plain.push_str(run);
        } else {
            plain.extend(run.chars().map(|c| if c == '`' { '\'' } else { c }));
        }
    }
    plain
}

fn escape(text: &str, replacement: impl Fn(char) -> Option<&'static str>) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match replacement(c) {
            Some(replacement) => escaped.push_str(replacement),
            None => escaped.push(c),
        }
    }
    escaped
}

/// Whether `c` draws nothing: control characters, bidirectional marks, zero-width and tag characters, variation
/// selectors, fillers, noncharacters.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
