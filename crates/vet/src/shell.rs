//! Shell commands, seen for what they do: expanded, followed through pipes, files and variables, then measured.
//!
//! Nothing is executed. What cannot be known beforehand stays unknown and is never guessed.

mod command;
mod expand;
mod output;
mod reader;
mod rules;
mod word;

use crate::scan::{Scan, Source};
use crate::syntax::{self, Grammar};

/// Looks at a text of shell commands.
pub fn scan(text: &str, source: &Source<'_>, scan: &mut Scan) {
    match syntax::parse(Grammar::Shell, text) {
        Ok(tree) => reader::Reader::new(text, source, scan).read(tree.root_node()),
        Err(refusal) => scan.limit(source.path, refusal.reason()),
    }
}
