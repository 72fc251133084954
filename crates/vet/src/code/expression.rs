//! The small form that programs are lowered to: what is called with what, and which name holds it.

use crate::decode;
use crate::syntax::{MAX_TREE_DEPTH, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// How many characters of a call serve as evidence.
const MAX_TEXT: usize = 300;

/// An expression.
#[derive(Debug, Clone)]
pub enum Expression {
    /// Text that stands in the program.
    Text(String),
    /// A number.
    Number(i64),
    /// A name.
    Name(String),
    /// `of.name`
    Member(Box<Expression>, String),
    /// `of[index]`
    Index(Box<Expression>, Box<Expression>),
    /// `of[::-1]`
    Reversed(Box<Expression>),
    /// A call.
    Call(Box<Call>),
    /// Texts joined, with what stands between them.
    Join(Vec<Expression>, &'static str),
    /// Several values, with the names they are given.
    Group(Vec<(Option<String>, Expression)>),
    /// A function without a name.
    Function(Vec<String>, Vec<Statement>),
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is called.
    pub callee: Expression,
    /// With what; keywords by name.
    pub arguments: Vec<(Option<String>, Expression)>,
    /// The row it stands on.
    pub row: usize,
    /// Where its text stands in the program, shortened.
    pub text: Range<usize>,
}

/// A statement; conditions and loops are flattened.
#[derive(Debug, Clone)]
pub enum Statement {
    /// Names take a value; with `true` it is added to what they hold.
    Assign(Vec<String>, Expression, bool),
    /// Names take the members of a value one after the other.
    Each(Vec<String>, Expression, Vec<Statement>),
    /// An expression on its own.
    Evaluate(Expression),
    /// A name stands for something of a module.
    Import(String, String),
    /// A function with a name.
    Define(String, Vec<String>, Vec<Statement>),
    /// A function's result.
    Return(Expression),
}

/// What lowering needs to know.
pub struct Lowering<'a> {
    /// The program.
    pub text: &'a str,
    /// How deep it is.
    pub depth: usize,
    /// Whether something was too deep.
    pub is_limited: bool,
}

impl<'a> Lowering<'a> {
    /// Lowers a program.
    pub fn new(text: &'a str) -> Self {
        Self { text, depth: 0, is_limited: false }
    }

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        text_of(node, self.text)
    }

    /// Goes one level deeper, or gives `None` where it is too deep.
    pub fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth > MAX_TREE_DEPTH {
            self.is_limited = true;
            return None;
        }
        self.depth += 1;
        let lowered = lower(self);
        self.depth -= 1;
        Some(lowered)
    }

    /// A call of a node.
    pub fn call(
        &self,
        node: Node<'_>,
        callee: Expression,
        arguments: Vec<(Option<String>, Expression)>,
    ) -> Expression {
        let text = self.text(node);
        let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(end, _)| end);
        let text = node.start_byte()..node.start_byte() + end;
        Expression::Call(Box::new(Call { callee, arguments, row: node.start_position().row, text }))
    }
}

/// The text between quotes, escapes put in place unless it is raw.
pub fn unquoted(content: &str, raw: bool) -> String {
    if raw || !content.contains('\\') { content.to_owned() } else { decode::escapes(content) }
}
