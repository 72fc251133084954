//! The last rung: `key: value` lines at column one with their indented continuation, as the plainest readers do.

use super::quote::{is_block_header, split_pair, unquoted};
use crate::Pos;
use crate::text::clamp;
use crate::tree::{Entry, Map, Node, Value, json, yaml};

/// Reads the lines that can be read; `None` where none of them names or describes the skill.
pub fn parse(block: &str, first_line: u32) -> Option<yaml::Parsed> {
    let lines: Vec<&str> = block.lines().collect();
    let mut map = Map::default();
    let mut problems = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let is_key_line = !line.starts_with([' ', '\t', '-', '#']);
        let Some((head, value)) = split_pair(line).filter(|_| is_key_line) else { continue };
        let key = head.trim_end().trim_end_matches(':').to_owned();
        let at = Pos::line(first_line + clamp(index));
        let below = lines.get(index + 1..).unwrap_or_default().iter().copied();
        let continued: Vec<&str> =
            below.take_while(|line| line.is_empty() || line.starts_with([' ', '\t', '-'])).collect();
        let value = value_of(value, &continued, at);
        if let Some(earlier) = map.insert(Entry { key: key.clone(), key_at: at, value }) {
            problems.push(yaml::duplicate(&key, earlier, at));
        }
    }
    let usable = map.get("name").is_some() || map.get("description").is_some();
    let root = Node { value: Value::Map(map), at: Pos::line(first_line) };
    usable.then_some(yaml::Parsed { root: Some(root), problems })
}

/// What stands below a bare key, where that is sound on its own.
fn nested(continued: &[&str], at: Pos) -> Option<Node> {
    let text: String = continued.iter().flat_map(|line| [line, "\n"]).collect();
    let root = yaml::parse(&text, at.line.saturating_add(1)).ok()?.root?;
    root.as_scalar().is_none().then_some(root)
}

fn value_of(value: &str, continued: &[&str], at: Pos) -> Node {
    let below = || continued.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    if value.starts_with(['{', '[']) {
        let whole = std::iter::once(value).chain(below()).collect::<Vec<_>>().join("\n");
        if let Ok(mut node) = json::parse(&whole, json::Grammar::Json5, &mut Vec::new()) {
            node.place(&|_| at);
            return node;
        }
    }
    if value.is_empty()
        && let Some(node) = nested(continued, at)
    {
        return node;
    }
    if value.is_empty() && below().next().is_some() && below().all(|line| line.starts_with("- ")) {
        let items = below().map(|line| Node::text(unquoted(line.trim_start_matches("- ")), at));
        return Node { value: Value::List(items.collect()), at };
    }
    let text = match value.chars().next().filter(|_| is_block_header(value)) {
        Some('|') => below().collect::<Vec<_>>().join("\n"),
        Some(_) => below().collect::<Vec<_>>().join(" "),
        None => {
            let whole = std::iter::once(value).chain(below()).collect::<Vec<_>>().join(" ");
            unquoted(&whole).to_owned()
        }
    };
    Node::text(text.trim(), at)
}
