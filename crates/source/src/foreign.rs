//! The lock files of other installers: what they say was installed from where, and the same written for them.
//!
//! `skills-lock.json` version 1 and `.skill-lock.json` version 3 are read and written, `.clawhub/lock.json` is read. They are texts that others
//! wrote: an entry that says nothing that could be fetched is told, and never guessed at.

mod hash;
mod write;

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

pub use hash::{FolderHash, computed_hash, git_tree};
pub use write::{ForeignEntry, merged, skill_lock, skills_lock};

/// Whose lock a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `skills-lock.json` of a project.
    Skills,
    /// `.skill-lock.json` of a person.
    Skill,
    /// `.clawhub/lock.json`.
    ClawHub,
}

impl Form {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Skills => "skills-lock",
            Self::Skill => "skill-lock",
            Self::ClawHub => "clawhub",
        }
    }
}

/// Where a wished skill comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// What a person would type: `owner/repo`, or an address.
    Source(String),
    /// A path of this machine; one that is relative is so to the lock.
    Path(String),
}

/// A skill that a lock says was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub from: From,
    /// The branch, tag or commit.
    pub reference: Option<String>,
    /// Its directory in the source.
    pub path: Option<String>,
    /// What its files were.
    pub hash: Option<FolderHash>,
}

/// What a lock says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Whose it is.
    pub form: Form,
    /// What was installed, by name.
    pub wishes: Vec<Wish>,
    /// What of it cannot be had, and why.
    pub skipped: Vec<(String, &'static str)>,
}

/// Why a file says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForeignError {
    /// It is no JSON, or not of that form.
    #[error("it is no lock of skills: {0}")]
    Form(String),
    /// It is of a version that is not known.
    #[error(
        "it is of version {0}, and `skills-lock.json` 1, `.skill-lock.json` 3 and `.clawhub/lock.json` 1 are known"
    )]
    Version(u64),
    /// A hash is none, so that nothing could be held to it.
    #[error(
        "`{key}` of `{name}` is not {digits} hexadecimal digits, so that nothing can be held to it; let its installer write the lock anew"
    )]
    Hash {
        /// Whose it is.
        name: String,
        /// What it is called there.
        key: &'static str,
        /// How many digits it has to have.
        digits: usize,
    },
}

#[derive(Deserialize)]
struct Written {
    version: u64,
    skills: BTreeMap<String, WrittenSkill>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenSkill {
    source: Option<String>,
    source_type: Option<String>,
    source_url: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    pinned_ref: Option<String>,
    skill_path: Option<String>,
    computed_hash: Option<String>,
    skill_folder_hash: Option<String>,
    source_repository: Option<String>,
    source_path: Option<String>,
    source_ref: Option<String>,
}

/// Whether a text may be such a lock, and not something else: it has skills by name, and a version.
pub fn is_lock(bytes: &[u8]) -> bool {
    let read: Option<Value> = serde_json::from_slice(bytes).ok();
    read.is_some_and(|value| {
        value.get("skills").is_some_and(Value::is_object) && value.get("version").is_some()
    })
}

/// Reads a lock. Version 1 is written by two installers, which `name`, the file's path, tells apart.
///
/// # Errors
/// Where it is none, is of a version that is not known, or has a hash that cannot be read: what was pinned is not to be had unpinned.
pub fn parse(bytes: &[u8], name: &str) -> Result<Foreign, ForeignError> {
    let form = |error: serde_json::Error| ForeignError::Form(error.to_string());
    let Written { version, skills } = serde_json::from_slice(bytes).map_err(form)?;
    let is_clawhub = skills.values().any(|skill| skill.source.is_none()) || name.contains(".clawhub/");
    let form = match version {
        1 if is_clawhub => Form::ClawHub,
        1 => Form::Skills,
        3 => Form::Skill,
        other => return Err(ForeignError::Version(other)),
    };
    let mut foreign = Foreign { form, wishes: Vec::new(), skipped: Vec::new() };
    for (name, skill) in skills {
        let hash = pinned(&name, &skill)?;
        match wish(form, &name, &skill, hash) {
            Ok(wish) => foreign.wishes.push(wish),
            Err(why) => foreign.skipped.push((name, why)),
        }
    }
    Ok(foreign)
}

fn wish(
    form: Form,
    name: &str,
    skill: &WrittenSkill,
    hash: Option<FolderHash>,
) -> Result<Wish, &'static str> {
    let from = match form {
        Form::ClawHub => clawhub(name, skill),
        Form::Skills | Form::Skill => source(skill)?,
    };
    let directory = |path: &String| match path.rsplit_once('/') {
        Some((directory, file)) if file.eq_ignore_ascii_case("SKILL.md") => directory.to_owned(),
        None if path.eq_ignore_ascii_case("SKILL.md") => String::new(),
        _ => path.clone(),
    };
    let path = skill.skill_path.as_ref().or(skill.source_path.as_ref()).map(directory);
    let reference = skill.pinned_ref.as_ref().or(skill.reference.as_ref()).or(skill.source_ref.as_ref());
    let is_path = matches!(from, From::Path(_));
    Ok(Wish {
        name: name.to_owned(),
        from,
        reference: reference.filter(|reference| !reference.is_empty() && !is_path).cloned(),
        path: path.filter(|path| !path.is_empty()),
        hash,
    })
}

/// What an entry is held to. An empty one is what installers write where they have none.
fn pinned(name: &str, skill: &WrittenSkill) -> Result<Option<FolderHash>, ForeignError> {
    let read = |value: &Option<String>, key, digits, read: fn(&str) -> Option<FolderHash>| {
        let unreadable = || ForeignError::Hash { name: name.to_owned(), key, digits };
        let value = value.as_deref().filter(|value| !value.is_empty());
        value.map(|value| read(value).ok_or_else(unreadable)).transpose()
    };
    let computed = read(&skill.computed_hash, "computedHash", 64, hash::read_computed)?;
    let git = read(&skill.skill_folder_hash, "skillFolderHash", 40, hash::read_git)?;
    Ok(computed.or(git))
}

/// Where an entry of `skills` comes from.
fn source(skill: &WrittenSkill) -> Result<From, &'static str> {
    let source = skill.source.clone().filter(|source| !source.is_empty()).ok_or("it names no source")?;
    let url = skill.source_url.clone().filter(|url| url.contains("://") || url.contains('@'));
    match skill.source_type.as_deref().unwrap_or("github") {
        "github" => Ok(From::Source(source)),
        "gitlab" if source.contains("://") => Ok(From::Source(source)),
        "gitlab" => Ok(From::Source(url.unwrap_or_else(|| format!("https://gitlab.com/{source}")))),
        "git" | "azure" => Ok(From::Source(url.unwrap_or(source))),
        "well-known" | "mintlify" => {
            let address = if source.contains("://") { source } else { format!("https://{source}") };
            Ok(From::Source(url.unwrap_or(address)))
        }
        "local" => Ok(From::Path(source)),
        "node_modules" => Err("it came out of `node_modules`; install it from its repository"),
        _ => Err("its source is of a kind that is not fetched"),
    }
}

/// Where an entry of ClawHub comes from: its repository, or else the directory that ClawHub has put it in.
fn clawhub(name: &str, skill: &WrittenSkill) -> From {
    let repository = skill.source_repository.clone().or_else(|| skill.source_url.clone());
    repository.map_or_else(|| From::Path(format!("../skills/{name}")), From::Source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(name: &str, json: &str, expected: &Expect) {
        let shown = match parse(json.as_bytes(), name) {
            Ok(Foreign { form, wishes, skipped }) => {
                let wish = |wish: &Wish| {
                    let Wish { name, from, reference, path, hash } = wish;
                    format!("{name}: {from:?} ref={reference:?} path={path:?} hash={hash:?}\n")
                };
                let skipped = skipped.iter().map(|(name, why)| format!("{name}: {why}\n"));
                let lines: String = wishes.iter().map(wish).chain(skipped).collect();
                format!("{}\n{lines}", form.word())
            }
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_projects_lock_of_skills() {
        let hash = "0".repeat(64);
        check(
            "skills-lock.json",
            &format!(
                r#"{{"version": 1, "skills": {{
                "pdf": {{"source": "acme/skills", "ref": "v1", "sourceType": "github", "computedHash": "{hash}"}},
                "lab": {{"source": "group/repo", "sourceType": "gitlab", "computedHash": ""}},
                "own": {{"source": "./own", "sourceType": "local", "computedHash": "{hash}"}},
                "docs": {{"source": "docs.example", "sourceType": "well-known", "computedHash": "{hash}"}},
                "pack": {{"source": "pack", "sourceType": "node_modules", "computedHash": "{hash}"}},
                "odd": {{"source": "x", "sourceType": "carrier-pigeon"}}
            }}}}"#
            ),
            &expect![[r#"
                skills-lock
                docs: Source("https://docs.example") ref=None path=None hash=Some(Computed(Digest([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])))
                lab: Source("https://gitlab.com/group/repo") ref=None path=None hash=None
                own: Path("./own") ref=None path=None hash=Some(Computed(Digest([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])))
                pdf: Source("acme/skills") ref=Some("v1") path=None hash=Some(Computed(Digest([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])))
                odd: its source is of a kind that is not fetched
                pack: it came out of `node_modules`; install it from its repository
            "#]],
        );
    }

    /// It is held to what the digits say, however they are written, and to nothing less.
    #[test]
    fn a_hash_that_cannot_be_read_is_not_taken_for_none() {
        let lock = |key: &str, value: &str| {
            format!(r#"{{"version": 1, "skills": {{"pdf": {{"source": "a/b", "{key}": "{value}"}}}}}}"#)
        };
        let hashed = |key, value: &str| {
            let foreign = parse(lock(key, value).as_bytes(), "skills-lock.json").unwrap();
            foreign.wishes.into_iter().next().unwrap().hash
        };
        let small = "ab".repeat(32);
        for value in [small.to_uppercase(), format!("sha256:{small}"), format!("sha256-{small}")] {
            assert_eq!(hashed("computedHash", &value), hashed("computedHash", &small), "{value}");
        }
        let id = "4B825DC642CB6EB9A060E54BF8D69288FBEE4904";
        assert_eq!(hashed("skillFolderHash", id), Some(FolderHash::Git(id.to_lowercase())));
        for (key, value) in [
            ("computedHash", "deadbeef"),
            ("computedHash", " "),
            ("computedHash", id),
            ("skillFolderHash", small.as_str()),
            ("skillFolderHash", "main"),
        ] {
            let refused = parse(lock(key, value).as_bytes(), "skills-lock.json").unwrap_err();
            assert!(matches!(refused, ForeignError::Hash { .. }), "{value}: {refused}");
        }
    }

    #[test]
    fn a_persons_lock_of_skills() {
        check(
            "/home/ada/.agents/.skill-lock.json",
            r#"{"version": 3, "dismissed": {}, "skills": {
                "pdf": {"source": "acme/skills", "sourceType": "github", "sourceUrl": "https://github.com/acme/skills.git",
                        "skillPath": "skills/pdf/SKILL.md", "skillFolderHash": "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "installedAt": "x", "updatedAt": "x"},
                "root": {"source": "acme/root", "sourceType": "git", "sourceUrl": "git@git.example:root.git", "skillPath": "SKILL.md", "skillFolderHash": "", "ref": "main", "pinnedRef": "v2"}
            }}"#,
            &expect![[r#"
                skill-lock
                pdf: Source("acme/skills") ref=None path=Some("skills/pdf") hash=Some(Git("4b825dc642cb6eb9a060e54bf8d69288fbee4904"))
                root: Source("git@git.example:root.git") ref=Some("v2") path=None hash=None
            "#]],
        );
    }

    #[test]
    fn clawhubs_lock() {
        check(
            "/p/.clawhub/lock.json",
            r#"{"version": 1, "skills": {
                "weather": {"version": "1.0.0", "installedAt": 1700000000000},
                "pdf": {"version": null, "installedAt": 1, "sourceKind": "skills-sh", "sourceRepository": "acme/skills", "sourcePath": "skills/pdf", "sourceRef": "main"}
            }}"#,
            &expect![[r#"
                clawhub
                pdf: Source("acme/skills") ref=Some("main") path=Some("skills/pdf") hash=None
                weather: Path("../skills/weather") ref=None path=None hash=None
            "#]],
        );
    }

    #[test]
    fn what_is_no_lock_says_so() {
        check(
            "x",
            r#"{"version": 2, "skills": {}}"#,
            &expect![
                "it is of version 2, and `skills-lock.json` 1, `.skill-lock.json` 3 and `.clawhub/lock.json` 1 are known"
            ],
        );
        check(
            "x",
            r#"{"version": 1}"#,
            &expect!["it is no lock of skills: missing field `skills` at line 1 column 14"],
        );
        check("x", "<<<<<<< HEAD", &expect!["it is no lock of skills: expected value at line 1 column 1"]);
        assert!(
            is_lock(br#"{"version": 1, "skills": {}}"#) && !is_lock(b"PK") && !is_lock(br#"{"skills": []}"#)
        );
    }
}
