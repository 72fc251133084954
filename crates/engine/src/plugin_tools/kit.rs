//! The kit: small files for Python, shells and Node that every tool of a plugin finds at `/kit`, so that none needs an install.
//!
//! They come with the program, and are put into the store like everything that is mounted.

use std::path::PathBuf;

use guild_manifest::Digest;
use guild_source::store::{Content, MemoryFile, Store};

use crate::ports::ToolError;

/// What runs a module of tools.
pub(super) const RUNNER: &str = "/kit/_run.py";

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        [$(MemoryFile {
            path: $path,
            bytes: include_bytes!(concat!("../../kit/", $path)),
            executable: false,
        }),+]
    };
}

static FILES: [MemoryFile<'static>; 11] = files![
    "_run.py",
    "_schema.py",
    "_worker.py",
    "agno/__init__.py",
    "agno/tools/__init__.py",
    "guild.mjs",
    "guild.sh",
    "guildhall.py",
    "mindroom/__init__.py",
    "mindroom/tool_system/__init__.py",
    "mindroom/tool_system/metadata.py",
];

/// The kit in the store.
pub(super) struct Kit {
    /// Where it lies.
    pub root: PathBuf,
    /// What it is.
    pub digest: Digest,
}

impl Kit {
    /// Puts it there.
    pub(super) fn in_store(store: &Store) -> Result<Self, ToolError> {
        let stored = store.stage(&Content::Memory(&FILES));
        let stored = stored.map_err(|error| ToolError::Failed(format!("no kit for the tool: {error}")))?;
        Ok(Self { digest: stored.digest, root: stored.root })
    }
}
