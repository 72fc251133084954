//! Lock files for other installers, written as they write them: sorted, two blanks deep, and a line's end at the end.

use super::ForeignError;
use serde::Serialize;
use serde_json::Value;
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

/// The same with what the lock that is there says besides: the skills of others, and of ours what this program has no word for.
///
/// # Errors
/// Where it is none, or of another version.
pub fn merged(written: &str, there: &[u8]) -> Result<String, ForeignError> {
    let form = |error: serde_json::Error| ForeignError::Form(error.to_string());
    let ours: Value = serde_json::from_str(written).map_err(form)?;
    let mut lock: Value = serde_json::from_slice(there).map_err(form)?;
    if lock.get("version") != ours.get("version") {
        let version = lock.get("version").and_then(Value::as_u64).unwrap_or_default();
        return Err(ForeignError::Version(version));
    }
    let none = || ForeignError::Form("it has no `skills`".to_owned());
    let mut skills: BTreeMap<String, Value> =
        serde_json::from_value(lock.get("skills").cloned().ok_or_else(none)?).map_err(form)?;
    for (name, entry) in ours.get("skills").and_then(Value::as_object).into_iter().flatten() {
        let old = skills.remove(name).unwrap_or_default();
        skills.insert(name.clone(), renewed(old, entry));
    }
    if let Some(lock) = lock.as_object_mut() {
        lock.insert("skills".to_owned(), serde_json::to_value(skills).map_err(form)?);
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&lock).map_err(form)?))
}

/// An entry as it is now, with what was said of it before and is not said now.
fn renewed(old: Value, new: &Value) -> Value {
    let (Value::Object(mut entry), Value::Object(new)) = (old, new) else { return new.clone() };
    let is_same = entry.get("skillFolderHash") == new.get("skillFolderHash");
    for gone in ["ref", "pinnedRef", "skillPath"] {
        entry.remove(gone);
    }
    for (key, value) in new {
        let stays = key == "installedAt" || key == "updatedAt" && is_same;
        if !(stays && entry.contains_key(key)) {
            entry.insert(key.clone(), value.clone());
        }
    }
    Value::Object(entry)
}

fn text<T: Serialize>(version: u32, skills: BTreeMap<String, T>) -> String {
    let written = serde_json::to_string_pretty(&Lock { version, skills }).unwrap_or_default();
    format!("{written}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn what_others_have_written_into_a_lock_stays() {
        let entry = |name: &str, folder: &str| ForeignEntry {
            name: name.to_owned(),
            source: "acme/skills".to_owned(),
            source_type: "github",
            source_url: "https://github.com/acme/skills".to_owned(),
            reference: None,
            skill_path: Some(format!("skills/{name}/SKILL.md")),
            computed_hash: String::new(),
            folder_hash: folder.to_owned(),
        };
        let there = r#"{"version": 3, "dismissed": {"find": true}, "skills": {
            "theirs": {"source": "x/y", "sourceType": "github", "skillFolderHash": "1"},
            "pdf": {"source": "acme/old", "ref": "v1", "skillFolderHash": "1", "installedAt": "then", "updatedAt": "then", "pluginName": "office"},
            "docx": {"skillFolderHash": "2", "installedAt": "then", "updatedAt": "then"}}}"#;
        let written = skill_lock(&[entry("pdf", "3"), entry("docx", "2")], "now");
        expect![[r#"
            {
              "version": 3,
              "dismissed": {
                "find": true
              },
              "skills": {
                "docx": {
                  "skillFolderHash": "2",
                  "installedAt": "then",
                  "updatedAt": "then",
                  "source": "acme/skills",
                  "sourceType": "github",
                  "sourceUrl": "https://github.com/acme/skills",
                  "skillPath": "skills/docx/SKILL.md"
                },
                "pdf": {
                  "source": "acme/skills",
                  "pluginName": "office",
                  "skillFolderHash": "3",
                  "installedAt": "then",
                  "updatedAt": "now",
                  "sourceType": "github",
                  "sourceUrl": "https://github.com/acme/skills",
                  "skillPath": "skills/pdf/SKILL.md"
                },
                "theirs": {
                  "source": "x/y",
                  "sourceType": "github",
                  "skillFolderHash": "1"
                }
              }
            }
        "#]]
        .assert_eq(&merged(&written, there.as_bytes()).unwrap());
        let refused = |there: &str| merged(&written, there.as_bytes()).unwrap_err().to_string();
        expect![[r#"
            it is of version 1, and `skills-lock.json` 1, `.skill-lock.json` 3 and `.clawhub/lock.json` 1 are known
            it is no lock of skills: it has no `skills`
            it is no lock of skills: expected ident at line 1 column 2"#]].assert_eq(
            &[refused("{\"version\": 1, \"skills\": {}}"), refused("{\"version\": 3}"), refused("no")]
                .join("\n"),
        );
    }
}
