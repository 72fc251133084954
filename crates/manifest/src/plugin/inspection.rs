//! One plugin directory under inspection: its files, the file being read, and the problems found so far.
//!
//! It reads bytes into trees and checks that declared paths are there; what keys mean is left to the readers.

use super::{Files, Found, path};
use crate::text::decode;
use crate::tree::{
    Map, Node, Value,
    json::{self, Grammar},
};
use crate::{Code, Pos, Problem};
use std::cell::RefCell;

/// The largest manifest or server file that is read.
pub(super) const MANIFEST_LIMIT: usize = 256 * 1024;

/// What a reader needs at hand; cheap to copy, so that a second file is read with the same list of problems.
#[derive(Clone, Copy)]
pub(super) struct Inspection<'a> {
    /// The name of the plugin's directory.
    pub directory_name: &'a str,
    /// Its files.
    pub files: &'a dyn Files,
    /// The file being read.
    pub file: &'a str,
    /// What was found, by every reader.
    pub problems: &'a RefCell<Vec<Problem>>,
}

/// How the bytes of a file are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// The grammar they are held to.
    pub grammar: Grammar,
    /// How many bytes there may be.
    pub limit: usize,
    /// The code under which they are refused.
    pub code: Code,
}

/// A mapping and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// The pairs.
    pub map: Map,
    /// Where it begins.
    pub at: Pos,
}

impl<'a> Inspection<'a> {
    /// The same inspection, at another file.
    pub(super) fn at_file(self, file: &'a str) -> Self {
        Self { file, ..self }
    }

    /// Adds a problem of the file being read.
    pub(super) fn report(self, problem: Problem) {
        self.problems.borrow_mut().push(problem.in_file(self.file));
    }

    /// The bytes as a mapping; anything else is reported under the form's code.
    pub(super) fn document(self, bytes: &[u8], form: Form) -> Option<Document> {
        let refuse = |problem: Problem| self.report(problem.with_code(form.code));
        // What excludes a plugin anyway may say so under a code of its own.
        let is_fatal = form.code.excludes();
        let text = match decode(bytes, form.limit) {
            Ok(text) => text,
            Err(mut problem) => {
                if problem.code == Code::FileTooLarge {
                    problem.hint = "shorten the file".to_owned();
                }
                if is_fatal {
                    self.report(problem);
                } else {
                    refuse(problem);
                }
                return None;
            }
        };
        text.problems.into_iter().for_each(|problem| self.report(problem));
        let mut problems = Vec::new();
        let root = json::parse(&text.text, form.grammar, &mut problems);
        problems.into_iter().for_each(|problem| self.report(problem));
        match root {
            Err(problem) => refuse(problem),
            Ok(Node { value: Value::Map(map), at }) => return Some(Document { map, at }),
            Ok(other) => {
                let message = format!("the file holds {}, not an object", other.what());
                refuse(Problem::new(form.code, other.at, message, "write an object: {}"));
            }
        }
        None
    }

    /// The declared path in its one spelling; a path that leaves the plugin is reported.
    pub(super) fn contained(self, label: &str, path: &str, at: Pos) -> Option<String> {
        match path::contained(path) {
            Ok(path) => Some(path),
            Err(wrong) => {
                let message = format!("`{label}`: the path `{}` {wrong}; it was ignored", shown(path));
                let hint = "write a path below the plugin's directory, such as `./skills`";
                self.report(Problem::new(Code::PluginPath, at, message, hint));
                None
            }
        }
    }

    /// A declared path that `exists`, in its one spelling; one that does not is reported.
    pub(super) fn existing(
        self,
        label: &str,
        path: (&str, Pos),
        exists: impl Fn(&dyn Files, &str) -> bool,
    ) -> Option<String> {
        let found = self.contained(label, path.0, path.1)?;
        if exists(self.files, &found) {
            return Some(found);
        }
        let message = format!("`{label}`: nothing of that kind is at `{}`; it was ignored", shown(&found));
        let hint = "correct the path, or add what it names to the plugin";
        self.report(Problem::new(Code::PluginPath, path.1, message, hint));
        None
    }

    /// Whether the plugin has anything at `path`.
    pub(super) fn has(self, path: &str) -> bool {
        self.files.is_dir(path) || !matches!(self.files.file(path), Found::Missing)
    }
}

/// Text of a manifest, short and without control characters, to be quoted in a message.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_short_and_tame() {
        assert_eq!(shown("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(shown(&"x".repeat(100_000)).chars().count(), 61);
    }
}
