//! `guild.lock`: what is installed, where it came from, and every byte of it by digest.
//!
//! It is TOML, sorted by name, without times, so that two people who install the same get the same file. It is a text that others may
//! have written: what contradicts itself is refused.

mod text;

use guild_manifest::{Digest, FileEntry, NotATree, TreeManifest};
use serde::Deserialize;
use std::fmt;

/// The version of the format.
pub const VERSION: u32 = 1;

/// What something installed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A directory with a `SKILL.md`.
    Skill,
    /// A directory with a manifest.
    Plugin,
}

impl Kind {
    /// The directory that holds those of its kind.
    pub const fn directory(self) -> &'static str {
        match self {
            Self::Skill => "skills",
            Self::Plugin => "plugins",
        }
    }

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Plugin => "plugin",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The way something came here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceType {
    /// A directory of this machine.
    Local,
    /// A repository.
    Git,
    /// An archive, of this machine or at an address.
    Archive,
    /// A `SKILL.md` at an address.
    Skills,
    /// The index that a site publishes.
    WellKnown,
    /// A package of npm.
    Npm,
    /// An artifact of a container registry.
    Oci,
    /// The skills that an MCP server offers.
    Mcp,
}

impl SourceType {
    /// The word that stands in the lock.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Git => "git",
            Self::Archive => "archive",
            Self::Skills => "skills",
            Self::WellKnown => "well-known",
            Self::Npm => "npm",
            Self::Oci => "oci",
            Self::Mcp => "mcp",
        }
    }
}

/// Where something came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The repository's address, or a path: one that is relative is so to the lock.
    pub source: String,
    /// The way it came.
    pub source_type: SourceType,
    /// The directory or file in the source; nothing for all of it.
    pub path: Option<String>,
    /// The ref that was asked for; nothing for the default branch.
    pub reference: Option<String>,
    /// What it was found to be: a commit, or the digest of an archive.
    pub resolved: Option<String>,
    /// The marketplace that offered it, which is asked again for updates.
    pub offer: Option<Offer>,
}

/// What a marketplace offered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The marketplace: an address, or a path as in [`Origin::source`].
    pub marketplace: String,
    /// The ref of it that was asked for.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The plugin's name there.
    pub plugin: String,
}

/// What was installed before, to go back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Previous {
    /// What it was found to be then.
    pub resolved: Option<String>,
    /// Its tree, which is in the store of whoever installed it.
    pub digest: Digest,
    /// Where it came from, where that is not where the entry comes from now; what it was found to be is above.
    pub elsewhere: Option<Box<Origin>>,
}

/// One thing that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, which is that of its directory.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where it came from.
    pub origin: Origin,
    /// Whether updates leave it alone.
    pub pinned: bool,
    /// Whether its directory is a link to the source.
    pub linked: bool,
    /// The digest of its files.
    pub digest: Digest,
    /// Its files.
    pub tree: TreeManifest,
    /// What it was before the last update.
    pub previous: Option<Previous>,
}

/// Everything that is installed in one place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lock {
    /// Sorted by kind and name.
    entries: Vec<Entry>,
}

/// Why a text is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It is no TOML, or lacks something.
    #[error("line {line}: {message}")]
    Syntax {
        /// Where.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// It has the marks of a merge that somebody has to finish.
    #[error(
        "line {line}: a merge of it was not finished; keep of each side what is to be installed, each name once"
    )]
    Unmerged {
        /// Where.
        line: usize,
    },
    /// A newer Guildhall has written it.
    #[error("it is of version {version}, and this program knows {VERSION}; install a newer Guildhall")]
    Newer {
        /// Its version.
        version: u32,
    },
    /// A name that cannot be that of a directory.
    #[error("`{name}` cannot be the name of something installed")]
    Name {
        /// The name.
        name: String,
    },
    /// One name twice.
    #[error("`{name}` is there twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// Files that make no tree.
    #[error("the files of `{name}` make no tree: {source}")]
    Tree {
        /// Whose.
        name: String,
        /// Why.
        source: NotATree,
    },
    /// Files that are not those of the digest.
    #[error("the files of `{name}` are not what its digest says: somebody has edited the lock")]
    Digest {
        /// Whose.
        name: String,
    },
}

impl Previous {
    /// Where it came from, before what comes from `next`.
    pub fn origin(&self, next: &Origin) -> Origin {
        let place = self.elsewhere.as_deref().unwrap_or(next);
        Origin { resolved: self.resolved.clone(), ..place.clone() }
    }
}

impl Origin {
    /// Where that is, whatever it was found to be there.
    fn place(&self) -> Self {
        Self { resolved: None, ..self.clone() }
    }
}

impl Entry {
    /// What is written down of it once something from `next` takes its place. What is linked to lies where it was anyway.
    pub fn before(&self, next: &Origin) -> Option<Previous> {
        let (resolved, digest) = (self.origin.resolved.clone(), self.digest);
        (!self.linked).then(|| Previous { resolved, digest, elsewhere: self.place_unless(next) })
    }

    /// What was before it, once it comes from `next` itself.
    pub fn before_it(&self, next: &Origin) -> Option<Previous> {
        let previous = self.previous.clone()?;
        let elsewhere = previous.elsewhere.clone().or_else(|| self.place_unless(next));
        Some(Previous { elsewhere, ..previous })
    }

    fn place_unless(&self, next: &Origin) -> Option<Box<Origin>> {
        let place = self.origin.place();
        (place != next.place()).then(|| Box::new(place))
    }
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    /// Where it is none, is newer than this program, or contradicts itself.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        text::parse(text)
    }

    /// The lock as it is written.
    pub fn text(&self) -> String {
        text::write(self)
    }

    /// Everything that is installed.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The one of this kind and name.
    pub fn get(&self, kind: Kind, name: &str) -> Option<&Entry> {
        self.entries.get(self.place(kind, name).ok()?)
    }

    /// Puts an entry in the place of the one of its kind and name, or beside the others.
    pub fn put(&mut self, entry: Entry) {
        match self.place(entry.kind, &entry.name) {
            Ok(at) => self.entries.splice(at..=at, [entry]).for_each(drop),
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// Takes one out.
    pub fn remove(&mut self, kind: Kind, name: &str) -> Option<Entry> {
        let at = self.place(kind, name).ok()?;
        Some(self.entries.remove(at))
    }

    /// Where the one of this kind and name is, or would be.
    fn place(&self, kind: Kind, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| (entry.kind, entry.name.as_str()).cmp(&(kind, name)))
    }
}

/// Whether a name can be that of a directory and nothing else.
pub fn is_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
}

/// The files of a tree, as they are written and read one by one.
pub(crate) fn tree_of(name: &str, files: Vec<FileEntry>) -> Result<TreeManifest, LockError> {
    TreeManifest::new(files).map_err(|source| LockError::Tree { name: name.to_owned(), source })
}
