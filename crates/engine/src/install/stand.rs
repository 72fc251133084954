//! Skills that an MCP server offers: listed by its word, read only when they are taken, and held to that word byte by byte.
//!
//! The main file comes first. Where it is not what was offered nothing else is asked for, and nothing is kept.

use super::fetch::{Fetched, directory_in};
use super::{Installer, failure};
use crate::ports::{OfferedFile, OfferedSkill, Shelf, ToolError};
use crate::reply::CandidateLine;
use crate::{Code, Refusal, counted};
use guild_catalog::near;
use guild_manifest::Digest;
use guild_manifest::skill::{self, Profile, Source};
use guild_source::landing::{Bounds, Landing, Strictness};
use guild_source::lock::{Kind, Origin, SourceType, is_name};
use guild_source::spec::ServerSpec;
use std::fs;
use std::path::Path;

/// How much one skill may be: what the extension asks servers to stay below.
const BOUNDS: Bounds = Bounds { names: 512, bytes: 16 * 1024 * 1024 };
/// The file that makes a directory a skill.
const MAIN: &str = "SKILL.md";

/// A server, and what it offers.
pub struct Stand<'a> {
    server: &'a str,
    shelf: &'a dyn Shelf,
    offered: Vec<OfferedSkill>,
}

impl<'a> Stand<'a> {
    /// Asks a server what it offers; no file is read for that.
    pub async fn open(desk: &Installer<'a>, server: &'a str) -> Result<Self, Refusal> {
        let Some(shelf) = desk.shelf else {
            let message = "servers are not reached for this; `guild add` and `guild update` do";
            return Err(Refusal::new(Code::SourceInvalid, message));
        };
        (desk.progress)(&format!("asking {server}"));
        let offered = shelf.skills(server).await.map_err(|error| error.refusal())?;
        Ok(Self { server, shelf, offered })
    }

    /// What it offers, in lines.
    pub fn lines(&self) -> Vec<CandidateLine> {
        let line = |skill: &OfferedSkill| CandidateLine {
            name: skill.name.clone(),
            kind: Kind::Skill.word(),
            path: skill.name.clone(),
            description: skill.description.clone(),
            loaded: skill.files.is_ok(),
        };
        self.offered.iter().map(line).collect()
    }

    /// Where its skills come from, as the lock says it.
    pub fn origin(&self) -> Origin {
        Origin {
            source: ServerSpec { server: self.server.to_owned(), skill: None }.source(),
            source_type: SourceType::Mcp,
            path: None,
            reference: None,
            resolved: None,
            offer: None,
        }
    }

    /// Reads the skills of these names, each into a directory of its name.
    pub async fn take(&self, desk: &Installer<'_>, names: &[String]) -> Result<Fetched, Refusal> {
        let scratch = desk.store.scratch()?;
        let top = directory_in(&scratch, self.server)?;
        for name in names {
            let (skill, files) = self.named(name)?;
            (desk.progress)(&format!("reading {name} from {}", self.server));
            let place = top.join(name);
            fs::create_dir(&place).map_err(|error| Refusal::new(Code::WriteFailed, error.to_string()))?;
            self.read(skill, files, &place).await?;
        }
        Ok(Fetched::new(top, self.origin(), scratch))
    }

    /// The one skill of a name, whose files can be taken.
    fn named(&self, name: &str) -> Result<(&OfferedSkill, &[OfferedFile]), Refusal> {
        let mut named = self.offered.iter().filter(|skill| skill.name == name);
        let (skill, second) = (named.next(), named.next());
        let refused = |code, what: String| Refusal::new(code, format!("server `{}` {what}", self.server));
        match (skill, second) {
            (Some(_), Some(_)) => {
                Err(refused(Code::SkillAmbiguous, format!("offers more than one skill `{name}`")))
            }
            (Some(skill), None) if is_name(name) => match &skill.files {
                Ok(files) => Ok((skill, files)),
                Err(why) => Err(refused(Code::SkillBroken, format!("offers `{name}`, but {why}"))),
            },
            (Some(_), None) => Err(refused(
                Code::InvalidName,
                format!("offers `{name}`, which cannot be a directory's name"),
            )),
            (None, _) => {
                let near = near(name, self.offered.iter().map(|skill| skill.name.clone()));
                let hint = match near.as_slice() {
                    [] => "`--list` shows what it offers".to_owned(),
                    near => format!("did you mean `{}`?", near.join("`, `")),
                };
                Err(refused(Code::SkillNotFound, format!("offers no `{name}`; {hint}")))
            }
        }
    }

    async fn read(&self, skill: &OfferedSkill, files: &[OfferedFile], place: &Path) -> Result<(), Refusal> {
        within_bounds(skill, files)?;
        let mut landing = Landing::new(place, Strictness::Archive, BOUNDS);
        let (main, others): (Vec<&OfferedFile>, Vec<&OfferedFile>) =
            files.iter().partition(|file| file.path == MAIN);
        for file in main.into_iter().chain(others) {
            let bytes = self.shelf.file(self.server, &file.uri).await;
            let bytes = bytes.map_err(|error: ToolError| error.refusal())?;
            verify(skill, file, &bytes).map_err(|what| {
                let message = format!("`{}` of `{}` {what}; nothing of it was kept", file.path, skill.name);
                Refusal::new(Code::SourceChanged, message)
            })?;
            let landed = landing.file(&file.path, false, &mut bytes.as_slice());
            landed.map_err(|error| failure::of_landing(&error))?;
        }
        landing.finish().map_err(|error| failure::of_landing(&error))
    }
}

/// Refuses a skill that says itself that it is too much, before any of it is asked for.
fn within_bounds(skill: &OfferedSkill, files: &[OfferedFile]) -> Result<(), Refusal> {
    let bytes = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if files.len() as u64 <= BOUNDS.names && bytes <= BOUNDS.bytes {
        return Ok(());
    }
    let message = format!(
        "`{}` has {} of {bytes} bytes together, which is more than {} files and {} bytes",
        skill.name,
        counted(files.len(), "file"),
        BOUNDS.names,
        BOUNDS.bytes
    );
    Err(Refusal::new(Code::SourceInvalid, message))
}

/// Whether a file is what was offered; the main file has to say of the skill what the offer says.
fn verify(skill: &OfferedSkill, file: &OfferedFile, bytes: &[u8]) -> Result<(), String> {
    if bytes.len() as u64 != file.size {
        return Err(format!("is {} bytes long, and was offered with {}", bytes.len(), file.size));
    }
    let found = Digest::of(bytes);
    if found != file.digest {
        return Err(format!("is {found}, and was offered as {}", file.digest));
    }
    if file.path == MAIN {
        let source = Source::new(MAIN, &skill.name, bytes);
        let read = skill::read(&source, Profile::Lenient);
        if read.frontmatter.to_data().to_json() != skill.frontmatter {
            return Err("says something else of the skill than the server's list does".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::{Value, json};

    const TEXT: &str =
        "---\nname: greet\ndescription: Greets\nmetadata: {version: '1.10', tags: [a, 1]}\n---\nHello.\n";

    #[track_caller]
    fn check(frontmatter: Value, offered: &str, given: &str, expected: &Expect) {
        let skill = OfferedSkill {
            name: "greet".to_owned(),
            description: String::new(),
            frontmatter,
            files: Ok(Vec::new()),
        };
        let file = OfferedFile {
            path: MAIN.to_owned(),
            uri: String::new(),
            digest: Digest::of(offered.as_bytes()),
            size: offered.len() as u64,
        };
        let told = verify(&skill, &file, given.as_bytes());
        expected.assert_eq(told.err().as_deref().unwrap_or("as offered"));
    }

    fn frontmatter() -> Value {
        json!({"name": "greet", "description": "Greets", "metadata": {"version": "1.10", "tags": ["a", 1]}})
    }

    #[test]
    fn a_file_is_held_to_its_size_its_digest_and_what_was_said_of_the_skill() {
        check(frontmatter(), TEXT, TEXT, &expect!["as offered"]);
        check(
            frontmatter(),
            TEXT,
            &format!("{TEXT}\n"),
            &expect!["is 90 bytes long, and was offered with 89"],
        );
        check(
            frontmatter(),
            TEXT,
            &TEXT.replace("Hello", "Hallo"),
            &expect![
                "is sha256:de81118fc622995d1439cc03c2c7833bafffc9a399d508491122553a8cbc9371, and was offered as sha256:7b84135f12f274ac5f4052dbcc67342ec37c2d6cb4905a5e86148819e0211d2e"
            ],
        );
        for (key, value) in [("description", json!("Exfiltrates")), ("allowed-tools", json!("Bash"))] {
            let mut other = frontmatter();
            other[key] = value;
            check(
                other,
                TEXT,
                TEXT,
                &expect!["says something else of the skill than the server's list does"],
            );
        }
    }

    #[test]
    fn a_skill_that_says_it_is_too_much_is_not_asked_for() {
        let file =
            |size| OfferedFile { path: String::new(), uri: String::new(), digest: Digest::of(b""), size };
        let skill = OfferedSkill {
            name: "big".to_owned(),
            description: String::new(),
            frontmatter: Value::Null,
            files: Ok(Vec::new()),
        };
        let fits = |files: &[OfferedFile]| within_bounds(&skill, files).is_ok();
        assert!(fits(&[file(BOUNDS.bytes)]) && !fits(&[file(BOUNDS.bytes), file(1)]));
        assert!(!fits(&[file(u64::MAX), file(u64::MAX)]) && !fits(&vec![file(0); 513]));
    }
}
