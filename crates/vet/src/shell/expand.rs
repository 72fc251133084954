//! Expansion of words: quotes, escapes, variables, substitutions.
//!
//! A variable that nobody set stays as it is written. Commands in substitutions are read as commands of their own.

use super::command::is_name;
use super::reader::Reader;
use super::word::{UNKNOWN, Word};
use crate::decode::escapes;
use crate::scan::Setting;
use crate::syntax::{MAX_TREE_DEPTH, children, named, text_of};
use tree_sitter::Node;

impl Reader<'_, '_> {
    /// The word that a node expands to.
    pub fn expand(&mut self, node: Node<'_>) -> Word {
        if self.depth > MAX_TREE_DEPTH {
            return Word::unknown();
        }
        self.depth += 1;
        let word = self.expand_within(node);
        self.depth -= 1;
        word
    }

    fn expand_within(&mut self, node: Node<'_>) -> Word {
        let text = text_of(node, self.text);
        match node.kind() {
            "word" | "number" | "regex" | "extglob_pattern" => Word::known(&unescape(text)),
            "raw_string" => Word::known(text.trim_start_matches('\'').trim_end_matches('\'')),
            "ansi_c_string" => {
                let inner = text.strip_prefix("$'").and_then(|text| text.strip_suffix('\'')).unwrap_or(text);
                Word::known(&escapes(inner))
            }
            "string" => self.parts(node, true),
            "concatenation" | "array" | "brace_expression" | "translated_string" => self.parts(node, false),
            "simple_expansion" => {
                let name = named(node).first().map_or("", |name| text_of(*name, self.text)).to_owned();
                self.variable(&name, text, node)
            }
            "expansion" => self.braced(node, text),
            "command_substitution" => {
                let output = self.block(node, None);
                let text = output.text.trim_end_matches('\n');
                // What is not known must not read like nothing: `$(pwd)/` is not the root.
                let text = if output.open && text.is_empty() { UNKNOWN } else { text };
                Word { text: text.to_owned(), ..output }
            }
            "process_substitution" => {
                let output = self.block(node, None);
                // The shell hands over the name of a pipe; what flows through it is what matters.
                Word { text: "/dev/fd/63".to_owned(), open: false, ..output }
            }
            "arithmetic_expansion" => Word { text: UNKNOWN.to_owned(), open: true, ..Word::default() },
            _ => Word::known(text),
        }
    }

    /// The children of a node joined, with what stands between them.
    fn parts(&mut self, node: Node<'_>, quoted: bool) -> Word {
        let mut word = Word::default();
        let mut at = node.start_byte();
        for child in children(node) {
            let gap = self.text.get(at..child.start_byte()).unwrap_or_default();
            word.push(gap);
            at = child.end_byte();
            match child.kind() {
                "\"" | "(" | ")" => {}
                "string_content" if quoted => word.push(&unescape_quoted(text_of(child, self.text))),
                _ if child.is_named() => {
                    let part = self.expand(child);
                    word.append(&part);
                }
                _ => word.push(text_of(child, self.text)),
            }
        }
        word
    }

    fn variable(&mut self, name: &str, written: &str, node: Node<'_>) -> Word {
        if name == "IFS" {
            return Word::known(" ");
        }
        if let Some(held) = self.variables.get(name) {
            return Word { variables: held.variables.saturating_add(1), ..held.clone() };
        }
        let mut word = Word { open: true, ..Word::default() };
        word.push(written);
        if is_name(name) {
            if self.source.setting == Setting::Script {
                let line = self.source.at(node.start_position().row);
                self.scan.needs.variable(name, self.source.path, line);
            }
            if crate::secrets::is_secret_name(name) {
                word.taint.secret = Some(name.to_owned());
            }
        }
        word
    }

    /// `${name}` with what may stand behind the name.
    fn braced(&mut self, node: Node<'_>, written: &str) -> Word {
        let inner = written.trim_start_matches("${").trim_end_matches('}');
        let name: String = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let rest = inner.get(name.len()..).unwrap_or_default();
        let is_set = self.variables.contains_key(&name);
        if let Some(default) = rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-')).filter(|_| !is_set)
        {
            let default = Word::known(default.trim_matches(['"', '\'']));
            let named = self.variable(&name, written, node);
            return Word { open: true, taint: named.taint, ..default };
        }
        let value = self.variable(&name, written, node);
        match rest.strip_prefix(':').and_then(slice) {
            Some((from, length)) if !value.open => {
                let cut: String = value.text.chars().skip(from).take(length).collect();
                Word { text: cut, ..value }
            }
            _ => value,
        }
    }
}

/// The numbers of `${name:from:length}`.
fn slice(text: &str) -> Option<(usize, usize)> {
    let (from, length) = text.split_once(':').map_or((text, None), |(from, length)| (from, Some(length)));
    let length = length.map_or(Some(usize::MAX), |length| length.trim().parse().ok())?;
    Some((from.trim().parse().ok()?, length))
}

/// A bare word without its backslashes.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().filter(|c| *c != '\n')),
            c => out.push(c),
        }
    }
    out
}

/// A text in double quotes, where a backslash escapes four characters only.
fn unescape_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('$' | '`' | '"' | '\\')) => out.extend(chars.next()),
            (c, _) => out.push(c),
        }
    }
    out
}
