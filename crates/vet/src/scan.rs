//! What collects findings while a skill is looked at, and how deep anything may nest.
//!
//! Limits hold per file, never for all of them together: one more file cannot push out what another has shown.

use crate::codes::{Code, Tier};
use crate::evidence;
use crate::finding::Finding;
use crate::needs::Needs;
use crate::programs::Programs;
use std::collections::{BTreeMap, BTreeSet};

/// How many findings of one code are kept for one file.
const MOST_PER_CODE: usize = 8;
/// How deep text may be wrapped: a command in a string in a decoded payload in an archive.
pub const MAX_DEPTH: u8 = 6;

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// It runs as it is: a script, a hook.
    Script,
    /// A person or a model is told to do it.
    Instruction,
    /// It is shown as something bad, or as something to look for.
    Example,
}

/// Where a piece of text stands, and how it is meant.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file.
    pub path: &'a str,
    /// The line of the file on which the piece begins.
    pub line: u32,
    /// How it is meant.
    pub setting: Setting,
    /// How often it was unwrapped.
    pub depth: u8,
}

impl<'a> Source<'a> {
    /// A piece of a file.
    pub const fn new(path: &'a str, line: u32, setting: Setting) -> Self {
        Self { path, line, setting, depth: 0 }
    }

    /// Something that was wrapped in a line of this piece; `None` where it was wrapped too often.
    pub fn inner(self, line: u32) -> Option<Self> {
        (self.depth < MAX_DEPTH).then_some(Self { line, depth: self.depth + 1, ..self })
    }

    /// The line of the file for a line of the piece, which counts from zero.
    pub fn at(&self, row: usize) -> u32 {
        // What was decoded has no lines of its own in the file.
        if self.depth > 0 {
            self.line
        } else {
            self.line.saturating_add(u32::try_from(row).unwrap_or(u32::MAX))
        }
    }
}

/// Everything that was found so far.
#[derive(Debug, Default)]
pub struct Scan {
    findings: BTreeSet<Finding>,
    counts: BTreeMap<(String, Code), usize>,
    partial: BTreeSet<String>,
    /// What the scripts evidently need.
    pub needs: Needs,
    /// What is known of the programs before they are looked at.
    pub programs: Programs,
}

impl Scan {
    /// Nothing found yet, with what is known of the programs.
    pub fn with(programs: Programs) -> Self {
        Self { programs, ..Self::default() }
    }

    /// Adds a finding, unless the file has enough of its kind.
    pub fn add(&mut self, finding: Finding) {
        if self.findings.contains(&finding) {
            return;
        }
        let count = self.counts.entry((finding.path.clone(), finding.code)).or_default();
        if *count < MOST_PER_CODE {
            *count += 1;
            self.findings.insert(finding);
        }
    }

    /// Adds what was found on a line of a piece; what is shown as an example is no denial.
    pub fn report(&mut self, source: &Source<'_>, row: usize, code: Code, text: &str) {
        self.report_at(source, source.at(row), code, text);
    }

    /// The same, for a line of the file.
    pub fn report_at(&mut self, source: &Source<'_>, line: u32, code: Code, text: &str) {
        if source.setting == Setting::Example {
            if code.tier() == Tier::Deny {
                let message = format!("Shown as an example or a warning: {}", code.about());
                let finding = Finding::new(Code::DangerousExample, source.path, line, text);
                self.add(finding.saying(&message));
            }
            return;
        }
        self.add(Finding::new(code, source.path, line, text));
    }

    /// Says that something was left unread.
    pub fn limit(&mut self, path: &str, reason: &str) {
        self.partial.insert(format!("{}: {reason}", evidence::path(path)));
        self.add(Finding::new(Code::Partial, path, 1, reason));
    }

    /// The findings in order, and what was left unread.
    pub fn finish(self) -> (Vec<Finding>, Vec<String>) {
        (self.findings.into_iter().collect(), self.partial.into_iter().collect())
    }
}
