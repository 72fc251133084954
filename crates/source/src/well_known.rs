//! The index of skills that a site publishes below `/.well-known/`, in both of its versions.
//!
//! It reads the index and says what to fetch; fetching is another's business. What it says is a stranger's: names are those of
//! directories or nothing, and addresses are fetched as any other.

use crate::lock::is_name;
use guild_manifest::Digest;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

/// The index of today.
const CURRENT: &str = ".well-known/agent-skills/index.json";
/// The index of before.
const EARLIER: &str = ".well-known/skills/index.json";
/// What today's index says that it is.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// How many skills an index may name.
const MAX_SKILLS: usize = 500;
/// How many files one skill may have.
const MAX_FILES: usize = 200;

/// One skill of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name, which is that of its directory.
    pub name: String,
    /// How to get it.
    pub content: Content,
}

/// How to get a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// One file, its `SKILL.md`.
    File {
        /// Its address.
        url: String,
        /// What it has to be.
        digest: Digest,
    },
    /// An archive with `SKILL.md` at its root.
    Archive {
        /// Its address.
        url: String,
        /// What it has to be.
        digest: Digest,
    },
    /// Files, each with its path and its address.
    Files(Vec<(String, String)>),
}

/// Why an index says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// It is no JSON of the form that an index has.
    #[error("it is no index of skills: {0}")]
    Form(String),
    /// It is of a version that this program does not know.
    #[error("it is of a version that this program does not know: `{0}`")]
    Version(String),
    /// A skill of it cannot be one.
    #[error("`{name}` in it {why}")]
    Skill {
        /// The skill.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// There is too much of it.
    #[error("it names more than {MAX_SKILLS} skills")]
    TooMany,
}

/// Where the index of a site may be, the most likely first.
pub fn places(site: &str) -> Vec<String> {
    let Ok(site) = Url::parse(site) else { return Vec::new() };
    if site.path().contains("/.well-known/") {
        return vec![site.to_string()];
    }
    let mut base = site.clone();
    base.set_query(None);
    base.set_path(&format!("{}/", site.path().trim_end_matches('/')));
    let bases = [Some(base), site.join("/").ok()];
    let mut places: Vec<String> = Vec::new();
    for path in [CURRENT, EARLIER] {
        for base in bases.iter().flatten() {
            let place = base.join(path).map(String::from).unwrap_or_default();
            if !place.is_empty() && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

#[derive(Deserialize)]
struct Index {
    #[serde(rename = "$schema")]
    schema: Option<String>,
    skills: Vec<WrittenSkill>,
}

#[derive(Deserialize)]
struct WrittenSkill {
    name: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    url: Option<String>,
    digest: Option<String>,
    files: Option<Vec<String>>,
}

/// Whether a text says that it is an index, whatever else is wrong with it.
pub fn is_index(text: &[u8]) -> bool {
    let is_json = text.trim_ascii_start().starts_with(b"{");
    match serde_json::from_slice::<Value>(text) {
        Ok(value) => value.get("skills").or(value.get("$schema")).is_some(),
        Err(_) => is_json,
    }
}

/// Reads the index at an address. Skills of a kind that nobody knows are passed over.
///
/// # Errors
/// Where it is none, is newer than this program, or names what cannot be a skill.
pub fn parse(text: &[u8], at: &str) -> Result<Vec<Listed>, IndexError> {
    let written: Index = serde_json::from_slice(text).map_err(|error| IndexError::Form(error.to_string()))?;
    let base = Url::parse(at).map_err(|error| IndexError::Form(error.to_string()))?;
    if let Some(schema) = written.schema.as_deref().filter(|schema| *schema != SCHEMA) {
        return Err(IndexError::Version(schema.chars().take(100).collect()));
    }
    if written.skills.len() > MAX_SKILLS {
        return Err(IndexError::TooMany);
    }
    let is_current = written.schema.is_some();
    let mut listed = Vec::new();
    for skill in written.skills {
        let refused = |why| IndexError::Skill { name: skill.name.chars().take(80).collect(), why };
        if !is_name(&skill.name) {
            return Err(refused("cannot be the name of a directory"));
        }
        let content = if is_current { current(&skill, &base) } else { earlier(&skill, &base).map(Some) };
        if let Some(content) = content.map_err(refused)? {
            listed.push(Listed { name: skill.name, content });
        }
    }
    Ok(listed)
}

/// A skill of today's index; nothing for a kind that nobody knows.
fn current(skill: &WrittenSkill, base: &Url) -> Result<Option<Content>, &'static str> {
    let is_file = match skill.kind.as_deref() {
        Some("skill-md") => true,
        Some("archive") => false,
        _ => return Ok(None),
    };
    let url = skill.url.as_deref().ok_or("has no address")?;
    let url = base.join(url).map_err(|_| "has no address")?.to_string();
    let digest = skill.digest.as_deref().ok_or("has no digest")?.parse().map_err(|_| "has no digest")?;
    Ok(Some(if is_file { Content::File { url, digest } } else { Content::Archive { url, digest } }))
}

/// A skill of the earlier index: files below a directory of its name.
fn earlier(skill: &WrittenSkill, base: &Url) -> Result<Content, &'static str> {
    let files = skill.files.as_deref().unwrap_or_default();
    if !files.iter().any(|file| file == "SKILL.md") {
        return Err("has no SKILL.md");
    }
    if files.len() > MAX_FILES {
        return Err("has too many files");
    }
    let directory = base.join(&format!("{}/", skill.name)).map_err(|_| "has no address")?;
    let mut found = Vec::new();
    for file in files {
        let is_plain =
            |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', '?', '#', ':', '%']);
        if !file.split('/').all(is_plain) {
            return Err("has a file whose path leads elsewhere");
        }
        found.push((file.clone(), directory.join(file).map_err(|_| "has no address")?.to_string()));
    }
    Ok(Content::Files(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(json: &str, expected: &Expect) {
        let listed = parse(json.as_bytes(), "https://x.example/a/.well-known/agent-skills/index.json");
        let shown = match listed {
            Ok(listed) => {
                listed.iter().map(|skill| format!("{}: {:?}\n", skill.name, skill.content)).collect()
            }
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn an_index_may_lie_below_the_address_or_at_the_root() {
        expect![[r#"
            https://x.example/a/.well-known/agent-skills/index.json
            https://x.example/.well-known/agent-skills/index.json
            https://x.example/a/.well-known/skills/index.json
            https://x.example/.well-known/skills/index.json"#]]
        .assert_eq(&places("https://x.example/a?b").join("\n"));
        expect![[r#"
            https://x.example/.well-known/agent-skills/index.json
            https://x.example/.well-known/skills/index.json"#]]
        .assert_eq(&places("https://x.example").join("\n"));
    }

    #[test]
    fn both_versions_are_read() {
        let digest = Digest::of(b"");
        check(
            &format!(
                r#"{{"$schema": "{SCHEMA}", "skills": [
                {{"name": "a", "type": "skill-md", "description": "d", "url": "a/SKILL.md", "digest": "{digest}"}},
                {{"name": "b", "type": "archive", "description": "d", "url": "/b.zip", "digest": "{digest}"}},
                {{"name": "c", "type": "hologram", "description": "d", "url": "c", "digest": "{digest}"}}]}}"#
            ),
            &expect![[r#"
                a: File { url: "https://x.example/a/.well-known/agent-skills/a/SKILL.md", digest: Digest([227, 176, 196, 66, 152, 252, 28, 20, 154, 251, 244, 200, 153, 111, 185, 36, 39, 174, 65, 228, 100, 155, 147, 76, 164, 149, 153, 27, 120, 82, 184, 85]) }
                b: Archive { url: "https://x.example/b.zip", digest: Digest([227, 176, 196, 66, 152, 252, 28, 20, 154, 251, 244, 200, 153, 111, 185, 36, 39, 174, 65, 228, 100, 155, 147, 76, 164, 149, 153, 27, 120, 82, 184, 85]) }
            "#]],
        );
        check(
            r#"{"skills": [{"name": "a", "description": "d", "files": ["SKILL.md", "more/b.md"]}]}"#,
            &expect![[r#"
                a: Files([("SKILL.md", "https://x.example/a/.well-known/agent-skills/a/SKILL.md"), ("more/b.md", "https://x.example/a/.well-known/agent-skills/a/more/b.md")])
            "#]],
        );
    }

    #[test]
    fn what_a_stranger_could_write_there_is_refused() {
        check(
            "[]",
            &expect![
                "it is no index of skills: invalid length 0, expected struct Index with 2 elements at line 1 column 2"
            ],
        );
        check(
            r#"{"$schema": "https://schemas.agentskills.io/discovery/9.0.0/schema.json", "skills": []}"#,
            &expect![
                "it is of a version that this program does not know: `https://schemas.agentskills.io/discovery/9.0.0/schema.json`"
            ],
        );
        check(
            r#"{"skills": [{"name": "../a", "files": ["SKILL.md"]}]}"#,
            &expect!["`../a` in it cannot be the name of a directory"],
        );
        check(
            r#"{"skills": [{"name": "a", "files": ["SKILL.md", "../b"]}]}"#,
            &expect!["`a` in it has a file whose path leads elsewhere"],
        );
        check(
            r#"{"skills": [{"name": "a", "files": ["SKILL.md", "https://evil.example/b"]}]}"#,
            &expect!["`a` in it has a file whose path leads elsewhere"],
        );
        check(r#"{"skills": [{"name": "a", "files": []}]}"#, &expect!["`a` in it has no SKILL.md"]);
        check(
            &format!(
                r#"{{"$schema": "{SCHEMA}", "skills": [{{"name": "a", "type": "archive", "url": "a.zip"}}]}}"#
            ),
            &expect!["`a` in it has no digest"],
        );
    }
}
