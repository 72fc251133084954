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

use crate::scan::{Scan, Source};
use crate::syntax::{self, Grammar};

/// Looks at a program.
pub fn scan(grammar: Grammar, text: &str, source: &Source<'_>, scan: &mut Scan) {
    let tree = match syntax::parse(grammar, text) {
        Ok(tree) => tree,
        Err(refusal) => return scan.limit(source.path, refusal.reason()),
    };
    let mut lowering = expression::Lowering::new(text);
    let statements = match grammar {
        Grammar::JavaScript => javascript::lower(tree.root_node(), &mut lowering),
        _ => python::lower(tree.root_node(), &mut lowering),
    };
    if lowering.is_limited {
        scan.limit(source.path, "the program nests deeper than what is read");
    }
    evaluate::run(grammar, &statements, source, scan);
}
