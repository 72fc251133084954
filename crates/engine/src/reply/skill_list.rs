//! The skills of a list.
//!
//! Summaries are made one by one as they are asked for: all of them at once would be the largest thing in memory.

use super::SkillSummary;
use guild_catalog::Entry;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// Skills in the order of a list, each of which is shown as a [`SkillSummary`].
#[derive(Debug, Default)]
pub struct SkillList<'a> {
    /// The entries, and whether their activation globs match the given file, if one was given.
    listed: Vec<(&'a Entry, Option<bool>)>,
}

impl<'a> SkillList<'a> {
    /// The list of these entries.
    pub fn of(entries: impl Iterator<Item = &'a Entry>) -> Self {
        Self { listed: entries.map(|entry| (entry, None)).collect() }
    }

    /// Marks each skill by whether it matches a file, and moves those that do to the front.
    pub fn mark(&mut self, matches: impl Fn(&Entry) -> bool) {
        for (entry, matches_file) in &mut self.listed {
            *matches_file = Some(matches(entry));
        }
        self.listed.sort_by_key(|(_, matches_file)| *matches_file != Some(true));
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
        let summary = |&(entry, matches_file): &(&'a Entry, _)| SkillSummary {
            matches_file,
            ..SkillSummary::of(entry)
        };
        self.listed.iter().map(summary)
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
