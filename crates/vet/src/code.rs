//! Programs in Python and JavaScript, lowered to one small form, evaluated as far as constants go, then measured.
//!
//! Nothing is executed. Branches are walked once, functions twice: the second time with what they are called with.

mod compute;
mod evaluate;
mod expression;
mod javascript;
mod known;
mod python;
mod rules;
mod value;

use crate::flow::Taint;
use crate::scan::{Scan, Source};
use crate::syntax::{self, Grammar, Refusal};
use expression::Statement;
use std::collections::BTreeMap;

/// A program in the small form.
#[derive(Debug, Default)]
pub struct Statements {
    all: Vec<Statement>,
    /// Whether something in it nests too deep.
    is_limited: bool,
}

/// Looks at a program.
pub fn scan(grammar: Grammar, text: &str, source: &Source<'_>, scan: &mut Scan) {
    let known = if source.depth == 0 { scan.programs.known.remove(source.path) } else { None };
    match known.map_or_else(|| read(grammar, text), Ok) {
        Ok(statements) => {
            if statements.is_limited {
                scan.limit(source.path, "the program nests deeper than what is read");
            }
            evaluate::run(grammar, text, &statements.all, source, scan);
        }
        Err(refusal) => scan.limit(source.path, refusal.reason()),
    }
}

/// What the functions of a program return that its other files may call, where they return what is private.
pub fn returns(grammar: Grammar, statements: &Statements, source: &Source<'_>) -> BTreeMap<String, Taint> {
    evaluate::returns(grammar, &statements.all, source)
}

/// Reads a program into the small form.
pub fn read(grammar: Grammar, text: &str) -> Result<Statements, Refusal> {
    let tree = syntax::parse(grammar, text)?;
    let mut lowering = expression::Lowering::new(text);
    let all = match grammar {
        Grammar::JavaScript => javascript::lower(tree.root_node(), &mut lowering),
        _ => python::lower(tree.root_node(), &mut lowering),
    };
    Ok(Statements { all, is_limited: lowering.is_limited })
}
