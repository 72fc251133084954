//! Whoever offers skills to take: MCP servers, by the skills extension.
//!
//! What is offered is a stranger's word. Whether a file is what was offered is for whoever takes it to say.

use guild_manifest::Digest;
use serde_json::Value;

use super::{Pending, ToolError};
use crate::workshop::Workshop;

/// The provider whose servers offer skills.
const PROVIDER: &str = "mcp";

/// A skill that a server offers, of which nothing has been read yet.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedSkill {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Everything that stands above its instructions.
    pub frontmatter: Value,
    /// Its files, or why they cannot be taken.
    pub files: Result<Vec<OfferedFile>, String>,
}

/// A file of a skill that a server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFile {
    /// Where it lies in the skill.
    pub path: String,
    /// What it is asked for by.
    pub uri: String,
    /// What it has to be.
    pub digest: Digest,
    /// How long it has to be.
    pub size: u64,
}

/// Reaches the servers that offer skills.
pub trait Shelf: Send + Sync {
    /// What a server offers.
    fn skills<'a>(&'a self, server: &'a str) -> Pending<'a, Result<Vec<OfferedSkill>, ToolError>>;

    /// The bytes of a file, as they come.
    fn file<'a>(&'a self, server: &'a str, uri: &'a str) -> Pending<'a, Result<Vec<u8>, ToolError>>;
}

impl Shelf for Workshop<'_> {
    fn skills<'a>(&'a self, server: &'a str) -> Pending<'a, Result<Vec<OfferedSkill>, ToolError>> {
        Box::pin(async move {
            match self.providers.iter().find(|provider| provider.id() == PROVIDER) {
                Some(provider) => provider.skills(self, server).await,
                None => Err(unknown()),
            }
        })
    }

    fn file<'a>(&'a self, server: &'a str, uri: &'a str) -> Pending<'a, Result<Vec<u8>, ToolError>> {
        Box::pin(async move {
            match self.providers.iter().find(|provider| provider.id() == PROVIDER) {
                Some(provider) => provider.skill_file(self, server, uri).await,
                None => Err(unknown()),
            }
        })
    }
}

/// The answer of those who know no servers.
pub(super) fn unknown() -> ToolError {
    ToolError::Unavailable("nobody here reaches servers that offer skills".to_owned())
}
