//! Syntax trees within bounds: how large a text is parsed, how much work that may cost, how deep a tree is walked.
//!
//! It knows the grammars and nothing of what trees mean.

use std::cell::RefCell;
use std::ops::ControlFlow;
use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

/// The largest text that is parsed.
pub const MAX_BYTES: usize = 512 * 1024;
/// How deep trees are walked; programs that people write stay far below.
pub const MAX_TREE_DEPTH: usize = 150;
/// How often the parser may report progress for any text.
const STEPS: usize = 5_000;
/// How many bytes of a text allow one report more.
const BYTES_PER_STEP: usize = 8;

/// The languages that are parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grammar {
    /// Shells that read like Bash.
    Shell,
    /// Python.
    Python,
    /// JavaScript, and TypeScript as far as it reads like it.
    JavaScript,
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The text is too large.
    Size,
    /// Parsing would cost too much.
    Work,
}

impl Refusal {
    /// The reason, for people.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Size => "the code is larger than what is parsed",
            Self::Work => "parsing the code costs more than the limit",
        }
    }
}

thread_local! {
    /// One parser a thread: a skill has hundreds of small texts, and what a parser allocates serves the next one.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses a text.
pub fn parse(grammar: Grammar, text: &str) -> Result<Tree, Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::Size);
    }
    let language: Language = match grammar {
        Grammar::Shell => tree_sitter_bash::LANGUAGE.into(),
        Grammar::Python => tree_sitter_python::LANGUAGE.into(),
        Grammar::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
    };
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&language).map_err(|_| Refusal::Work)?;
        parse_within(parser, text, STEPS.saturating_add(text.len() / BYTES_PER_STEP)).ok_or(Refusal::Work)
    })
}

/// Parses a text, unless that takes more steps.
fn parse_within(parser: &mut Parser, text: &str, mut steps: usize) -> Option<Tree> {
    let mut progress = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        // Else the next text would be taken for the rest of this one.
        parser.reset();
    }
    tree
}

/// The text of a node.
pub fn text_of<'a>(node: Node<'_>, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// All children of a node, in order.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The named children of a node, in order.
pub fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_given_up_leaves_nothing_for_the_next() {
        let tree = |given_up: Option<&str>| {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("a language");
            if let Some(text) = given_up {
                assert!(parse_within(&mut parser, text, 1).is_none());
            }
            parse_within(&mut parser, "ls -l", STEPS).expect("a tree").root_node().to_sexp()
        };
        assert_eq!(tree(Some(&"if true; then echo x; fi\n".repeat(10_000))), tree(None));
    }
}
