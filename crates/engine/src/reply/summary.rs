//! A skill in a list.

use super::lossy;
use guild_catalog::{Collision, Entry};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// One skill in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillSummary<'a> {
    /// The name inside its plugin, or its only name.
    pub name: &'a str,
    /// The name that always finds it.
    pub qualified_name: Cow<'a, str>,
    /// Where it came from.
    pub scope: &'static str,
    /// The plugin that ships it.
    pub plugin: Option<&'a str>,
    /// A name for people, where the file's own cannot serve as an identifier.
    pub title: Option<&'a str>,
    /// What it does.
    pub description: &'a str,
    /// When to reach for it.
    pub when_to_use: Option<&'a str>,
    /// Its file.
    pub path: FilePath<'a>,
    /// Other files that hold the same skill.
    #[serde(serialize_with = "lossy::paths", skip_serializing_if = "<[_]>::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub also_at: &'a [PathBuf],
    /// How it runs: `inline`, `subagent`, `script` or `tool`.
    pub kind: &'static str,
    /// Whether it can be used on this machine.
    pub eligible: bool,
    /// Why not, if not.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub unmet: &'a [String],
    /// Whether it is on: neither the configuration nor `guild disable` has switched it off.
    pub enabled: bool,
    /// Why it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<&'a str>,
    /// The agents that it is off for although it is on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub off_for: Vec<&'a str>,
    /// Whether models may be told of it and may run it.
    pub model_invocable: bool,
    /// Whether people may call it by name.
    pub user_invocable: bool,
    /// How many problems its files have.
    pub problems: usize,
    /// The verdict of the vet, where it is known and the skill has not changed since: `allow`, `warn` or `deny`.
    pub verdict: Option<&'static str>,
    /// Whether its activation globs match the given file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches_file: Option<bool>,
    /// How well it matches a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl<'a> SkillSummary<'a> {
    /// The summary of an entry.
    pub fn of(entry: &'a Entry) -> Self {
        let skill = &entry.skill;
        Self {
            name: &skill.name,
            qualified_name: entry.qualified_name(),
            scope: entry.place.scope.as_str(),
            plugin: entry.place.plugin.as_deref(),
            title: skill.title.as_deref(),
            description: &skill.description,
            when_to_use: skill.when_to_use.as_deref(),
            path: FilePath { directory: &entry.place.directory, file: &entry.place.file },
            also_at: &entry.also_at,
            kind: skill.kind.as_str(),
            eligible: entry.is_eligible(),
            unmet: &entry.unmet,
            enabled: entry.enabled,
            off: entry.off(),
            off_for: entry.switched.iter().flat_map(|it| &it.off_for).map(String::as_str).collect(),
            model_invocable: skill.model_invocable,
            user_invocable: skill.user_invocable,
            problems: entry.problems.len(),
            verdict: None,
            matches_file: None,
            score: None,
        }
    }
}

/// A file in a directory, joined only where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePath<'a> {
    /// The directory.
    pub directory: &'a Path,
    /// The file in it.
    pub file: &'a str,
}

impl FilePath<'_> {
    /// The whole path.
    pub fn to_path_buf(self) -> PathBuf {
        self.directory.join(self.file)
    }
}

impl fmt::Display for FilePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.directory.display(), std::path::MAIN_SEPARATOR, self.file)
    }
}

impl Serialize for FilePath<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A path is nearly always text, and joining it as such costs a tenth of formatting it.
        match self.directory.to_str() {
            Some(directory) => {
                let parts = [directory, std::path::MAIN_SEPARATOR_STR, self.file];
                serializer.serialize_str(&parts.concat())
            }
            None => serializer.collect_str(self),
        }
    }
}

impl JsonSchema for FilePath<'_> {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

/// Two of one name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CollisionLine<'a> {
    /// The qualified name, or `plugin:<name>`.
    pub name: &'a str,
    /// The scope of what won.
    pub kept: &'static str,
    /// The scope of what lost.
    pub skipped: &'static str,
    /// What won.
    #[serde(serialize_with = "lossy::path")]
    #[schemars(with = "String")]
    pub kept_path: &'a Path,
    /// What lost.
    #[serde(serialize_with = "lossy::path")]
    #[schemars(with = "String")]
    pub skipped_path: &'a Path,
}

impl<'a> CollisionLine<'a> {
    /// The line of a collision.
    pub fn of(collision: &'a Collision) -> Self {
        Self {
            name: &collision.name,
            kept: collision.kept.0.as_str(),
            skipped: collision.skipped.0.as_str(),
            kept_path: &collision.kept.1,
            skipped_path: &collision.skipped.1,
        }
    }
}
