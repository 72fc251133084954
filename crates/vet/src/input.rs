//! What is vetted: the files of one skill as bytes, and what its contract declares.
//!
//! The caller reads files; nothing here opens any.

use crate::codes::Code;
use guild_manifest::Digest;
use guild_manifest::skill::Contract;

/// One skill as the caller read it.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The name that lists show.
    pub name: &'a str,
    /// Which of the files is the skill's own, such as `SKILL.md`.
    pub main: &'a str,
    /// Everything in the skill's directory, in any order.
    pub files: &'a [File<'a>],
    /// What the skill declares it needs; `None` where it declares nothing.
    pub contract: Option<&'a Contract>,
    /// What other checks have to say of the skill.
    pub remarks: &'a [Remark],
}

/// One file of a skill.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its path below the skill's directory, with `/` between the parts.
    pub path: &'a str,
    /// What stands there.
    pub content: Content<'a>,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// A regular file.
    Bytes(&'a [u8]),
    /// A symbolic link to this target.
    Link(&'a str),
    /// Neither file, directory nor link; the word says what.
    Special(&'a str),
    /// A file that was not read, and why.
    Unread(&'a str),
}

/// What another check found, told with the findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Under which code.
    pub code: Code,
    /// In which file.
    pub path: String,
    /// On which line.
    pub line: u32,
    /// What was found.
    pub message: String,
}

impl Input<'_> {
    /// The digest of the content: paths, kinds and bytes, whatever their order.
    ///
    /// Everything that changes a finding is in it, the contract being part of the main file.
    pub fn digest(&self) -> Digest {
        let mut files: Vec<&File<'_>> = self.files.iter().collect();
        files.sort_by_key(|file| file.path);
        let own = [self.name.as_bytes(), self.main.as_bytes()];
        let parts = files.into_iter().flat_map(|file| {
            let (kind, bytes): (&[u8], &[u8]) = match file.content {
                Content::Bytes(bytes) => (b"file", bytes),
                Content::Link(target) => (b"link", target.as_bytes()),
                Content::Special(what) => (b"special", what.as_bytes()),
                Content::Unread(why) => (b"unread", why.as_bytes()),
            };
            [file.path.as_bytes(), kind, bytes]
        });
        Digest::of_parts(own.into_iter().chain(parts))
    }
}
