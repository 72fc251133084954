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

/// Looks at a program.
pub fn scan(grammar: Grammar, text: &str, source: &Source<'_>, scan: &mut Scan) {
    match statements(grammar, text) {
        Ok((statements, is_limited)) => {
            if is_limited {
                scan.limit(source.path, "the program nests deeper than what is read");
            }
            evaluate::run(grammar, &statements, source, scan);
        }
        Err(refusal) => scan.limit(source.path, refusal.reason()),
    }
}

/// What the functions of a program return that its other files may call, where they return what is private.
pub fn returns(grammar: Grammar, text: &str, source: &Source<'_>) -> BTreeMap<String, Taint> {
    let read = statements(grammar, text);
    read.map(|(statements, _)| evaluate::returns(grammar, &statements, source)).unwrap_or_default()
}

/// A program in the small form, and whether something in it nests too deep.
fn statements(grammar: Grammar, text: &str) -> Result<(Vec<Statement>, bool), Refusal> {
    let tree = syntax::parse(grammar, text)?;
    let mut lowering = expression::Lowering::new(text);
    let statements = match grammar {
        Grammar::JavaScript => javascript::lower(tree.root_node(), &mut lowering),
        _ => python::lower(tree.root_node(), &mut lowering),
    };
    Ok((statements, lowering.is_limited))
}
