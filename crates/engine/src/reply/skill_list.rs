//! The skills of a list.
//!
//! Summaries are made one by one as they are asked for: all of them at once would be the largest thing in memory.

use super::SkillSummary;
use guild_catalog::{Entry, Scope};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Knows the vet's verdict on a skill, or that there is none.
type Verdicts<'a> = Box<dyn Fn(&Entry) -> Option<&'static str> + Send + Sync + 'a>;

/// Skills in the order of a list, each of which is shown as a [`SkillSummary`].
#[derive(Default)]
pub struct SkillList<'a> {
    listed: Vec<Listed<'a>>,
    verdicts: Option<Verdicts<'a>>,
}

/// One of them, with what its entry does not tell.
#[derive(Debug)]
struct Listed<'a> {
    entry: &'a Entry,
    /// Whether its activation globs match the given file, if one was given.
    matches_file: Option<bool>,
}

impl<'a> SkillList<'a> {
    /// The list of these entries; `verdict` is asked only about those that are shown.
    pub fn of(
        entries: impl Iterator<Item = &'a Entry>,
        verdict: impl Fn(&Entry) -> Option<&'static str> + Send + Sync + 'a,
    ) -> Self {
        let listed = entries.map(|entry| Listed { entry, matches_file: None });
        Self { listed: listed.collect(), verdicts: Some(Box::new(verdict)) }
    }

    /// Puts those of one scope together, the nearest scope first.
    pub fn sort_by_scope(&mut self) {
        let rank = |scope: Scope| Scope::ALL.iter().position(|known| *known == scope);
        self.listed.sort_by_key(|listed| rank(listed.entry.place.scope));
    }

    /// Marks each skill by whether it matches a file, and moves those that do to the front.
    pub fn mark(&mut self, matches: impl Fn(&Entry) -> bool) {
        for listed in &mut self.listed {
            listed.matches_file = Some(matches(listed.entry));
        }
        self.listed.sort_by_key(|listed| listed.matches_file != Some(true));
    }

    /// How many are of a scope.
    pub fn count_of(&self, scope: &str) -> usize {
        self.listed.iter().filter(|listed| listed.entry.place.scope.as_str() == scope).count()
    }

    /// Keeps at most so many of those after the one of this name, and says after which one the rest begins. Where that one has gone,
    /// those after its place by name are kept.
    pub fn cut(&mut self, after: Option<&str>, limit: usize) -> Option<String> {
        if let Some(after) = after {
            let is_at = |listed: &Listed<'a>| listed.entry.qualified_name() == after;
            let is_behind = |listed: &Listed<'a>| *listed.entry.qualified_name() > *after;
            let found = self.listed.iter().position(is_at).map(|at| at + 1);
            let from = found.or_else(|| self.listed.iter().position(is_behind));
            self.listed.drain(..from.unwrap_or(self.listed.len()));
        }
        let is_more = self.listed.len() > limit;
        self.listed.truncate(limit);
        let last = self.listed.last().filter(|_| is_more)?;
        Some(last.entry.qualified_name().into_owned())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.listed.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Their summaries.
    pub fn iter(&self) -> impl Iterator<Item = SkillSummary<'a>> {
        self.listed.iter().map(|listed| self.summary(listed))
    }

    /// The summaries of so many, from a place on; nothing is asked about the others.
    pub fn part(&self, from: usize, count: usize) -> impl Iterator<Item = SkillSummary<'a>> {
        let part = self.listed.get(from..).unwrap_or_default();
        part.iter().take(count).map(|listed| self.summary(listed))
    }

    fn summary(&self, listed: &Listed<'a>) -> SkillSummary<'a> {
        SkillSummary {
            matches_file: listed.matches_file,
            verdict: self.verdicts.as_ref().and_then(|verdicts| verdicts(listed.entry)),
            ..SkillSummary::of(listed.entry)
        }
    }
}

impl fmt::Debug for SkillList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.listed).finish()
    }
}

impl Serialize for SkillList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl JsonSchema for SkillList<'_> {
    fn schema_name() -> Cow<'static, str> {
        Vec::<SkillSummary<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<SkillSummary<'_>>::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}
