//! The last rung: `key: value` lines at column one with their indented continuation, as the plainest readers do.

use super::quote::split_pair;
use crate::Pos;
use crate::text::clamp;
use crate::tree::{Entry, Map, Node, Value, json, yaml};

/// Reads the lines that can be read; `None` where none of them names or describes the skill.
pub fn parse(block: &str, first_line: u32) -> Option<yaml::Parsed> {
    let lines: Vec<&str> = block.lines().collect();
    let mut map = Map::default();
    for (index, line) in lines.iter().enumerate() {
        let is_key_line = !line.starts_with([' ', '\t', '-', '#']);
        let Some((head, value)) = split_pair(line).filter(|_| is_key_line) else { continue };
        let key = head.trim_end().trim_end_matches(':').to_owned();
        let at = Pos::line(first_line + clamp(index));
        let below = lines.get(index + 1..).unwrap_or_default().iter().copied();
        let continued: Vec<&str> =
            below.take_while(|line| line.is_empty() || line.starts_with([' ', '\t', '-'])).collect();
        map.insert(Entry { key, key_at: at, value: value_of(value, &continued, at) });
    }
    let usable = map.get("name").is_some() || map.get("description").is_some();
    let root = Node { value: Value::Map(map), at: Pos::line(first_line) };
    usable.then(|| yaml::Parsed { root: Some(root), problems: Vec::new() })
}

fn value_of(value: &str, continued: &[&str], at: Pos) -> Node {
    let below = || continued.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    if value.starts_with(['{', '[']) {
        let whole = std::iter::once(value).chain(below()).collect::<Vec<_>>().join("\n");
        if let Ok(node) = json::parse(&whole, json::Grammar::Json5, &mut Vec::new()) {
            return Node { at, ..node };
        }
    }
    if value.is_empty() && below().next().is_some() && below().all(|line| line.starts_with("- ")) {
        let items = below().map(|line| Node::text(unquoted(line.trim_start_matches("- ")), at));
        return Node { value: Value::List(items.collect()), at };
    }
    let text = match value.chars().next() {
        Some('|') => below().collect::<Vec<_>>().join("\n"),
        Some('>') => below().collect::<Vec<_>>().join(" "),
        _ => std::iter::once(unquoted(value)).chain(below()).collect::<Vec<_>>().join(" "),
    };
    Node::text(text.trim(), at)
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let strip = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    strip('"').or_else(|| strip('\'')).unwrap_or(value)
}
