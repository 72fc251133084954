//! Lock files for other installers, written as they write them: sorted, two blanks deep, and a line's end at the end.

use serde::Serialize;
use std::collections::BTreeMap;

/// A skill, as other installers' locks say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignEntry {
    /// Its name.
    pub name: String,
    /// `owner/repo`, an address or a path.
    pub source: String,
    /// `github`, `gitlab`, `git`, `local` or `well-known`.
    pub source_type: &'static str,
    /// The whole address.
    pub source_url: String,
    /// The ref that was asked for.
    pub reference: Option<String>,
    /// The skill's file in the source.
    pub skill_path: Option<String>,
    /// The digest over its files.
    pub computed_hash: String,
    /// The id of git's tree of them.
    pub folder_hash: String,
}

#[derive(Serialize)]
struct Lock<T> {
    version: u32,
    skills: BTreeMap<String, T>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProjectSkill<'a> {
    source: &'a str,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    source_type: &'a str,
    computed_hash: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PersonsSkill<'a> {
    source: &'a str,
    source_type: &'a str,
    source_url: &'a str,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill_path: Option<&'a str>,
    skill_folder_hash: &'a str,
    installed_at: &'a str,
    updated_at: &'a str,
}

/// `skills-lock.json`, version 1.
pub fn skills_lock(entries: &[ForeignEntry]) -> String {
    text(1, entries.iter().map(|entry| (entry.name.clone(), entry.of_a_project())).collect())
}

/// `.skill-lock.json`, version 3; `now` is when it says that everything was installed.
pub fn skill_lock(entries: &[ForeignEntry], now: &str) -> String {
    text(3, entries.iter().map(|entry| (entry.name.clone(), entry.of_a_person(now))).collect())
}

impl ForeignEntry {
    fn of_a_project(&self) -> ProjectSkill<'_> {
        let Self { source, source_type, reference, computed_hash, .. } = self;
        ProjectSkill { source, reference: reference.as_deref(), source_type, computed_hash }
    }

    fn of_a_person<'a>(&'a self, now: &'a str) -> PersonsSkill<'a> {
        PersonsSkill {
            source: &self.source,
            source_type: self.source_type,
            source_url: &self.source_url,
            reference: self.reference.as_deref(),
            skill_path: self.skill_path.as_deref(),
            skill_folder_hash: &self.folder_hash,
            installed_at: now,
            updated_at: now,
        }
    }
}

fn text<T: Serialize>(version: u32, skills: BTreeMap<String, T>) -> String {
    let written = serde_json::to_string_pretty(&Lock { version, skills }).unwrap_or_default();
    format!("{written}\n")
}
