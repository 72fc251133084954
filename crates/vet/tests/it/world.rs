//! Skills written as text: fixtures with `\u{…}` for what cannot be seen, and `a.zip!b` for members of archives.

use guild_manifest::skill::{self, Contract, Profile, Source};
use guild_testkit::{Content as Kind, Fixture};
use guild_vet::{Content, File, Input, Report, vet};
use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

/// The files of one skill.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Path and content, in the order of the text.
    pub files: Vec<(String, Owned)>,
}

/// What stands at a path.
#[derive(Debug, Clone)]
pub enum Owned {
    Bytes(Vec<u8>),
    Link(String),
    Special,
}

impl World {
    /// Reads a fixture; a text without a header is the body of a skill.
    pub fn read(text: &str) -> Self {
        let text = seen(text);
        let whole = if text.starts_with("//- ") {
            text
        } else {
            format!("//- /SKILL.md\n---\nname: sample\ndescription: A sample.\n---\n{text}")
        };
        let mut files = Vec::new();
        let mut archives: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
        for entry in Fixture::parse(&whole) {
            let content = match entry.content {
                Kind::File(bytes) => Owned::Bytes(bytes),
                Kind::Link(target) => Owned::Link(target),
                Kind::Pipe => Owned::Special,
                Kind::Directory => continue,
            };
            match (entry.path.split_once('!'), &content) {
                (Some((archive, member)), Owned::Bytes(bytes)) => {
                    archives.entry(archive.to_owned()).or_default().push((member.to_owned(), bytes.clone()));
                }
                _ => files.push((entry.path, content)),
            }
        }
        files.extend(archives.into_iter().map(|(path, members)| (path, Owned::Bytes(zipped(&members)))));
        Self { files }
    }

    /// Vets the skill.
    pub fn vet(&self) -> Report {
        let files: Vec<File<'_>> = self
            .files
            .iter()
            .map(|(path, content)| File {
                path,
                content: match content {
                    Owned::Bytes(bytes) => Content::Bytes(bytes),
                    Owned::Link(target) => Content::Link(target),
                    Owned::Special => Content::Special("a pipe"),
                },
            })
            .collect();
        let (name, contract) = self.declared();
        let contract = contract.as_ref();
        vet(&Input { name: &name, main: "SKILL.md", files: &files, contract, remarks: &[] })
    }

    fn declared(&self) -> (String, Option<Contract>) {
        let main = self.files.iter().find(|(path, _)| path == "SKILL.md");
        let Some((_, Owned::Bytes(bytes))) = main else { return ("sample".to_owned(), None) };
        let reading = skill::read(&Source::new("SKILL.md", "sample", bytes), Profile::Lenient);
        let name = reading.skill.as_ref().map_or("sample".to_owned(), |skill| skill.name.clone());
        (name, reading.skill.and_then(|skill| skill.contract).map(|contract| *contract))
    }
}

/// A text with `\u{…}` put in place.
fn seen(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('}').expect("`\\u{` is closed");
        let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).expect("a code point");
        out.push(c);
        out.push_str(rest);
    }
    out
}

fn zipped(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).expect("a member");
        writer.write_all(bytes).expect("its bytes");
    }
    writer.finish().expect("an archive").into_inner()
}
