//! The text of a skill below its frontmatter, as it stands in its file now.
//!
//! The snapshot holds no texts. Placeholders in them are the renderer's.

use crate::hall::Hall;
use guild_catalog::Entry;
use guild_manifest::Digest;
use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::tree::Data;
use std::io;

/// What a skill tells the model to do.
pub struct Instructions {
    /// The text.
    pub text: String,
    /// The line of the file on which it begins.
    pub line: u32,
    /// Names for `$name` in it, in order.
    pub argument_names: Vec<String>,
    /// The frontmatter above it, as written.
    pub frontmatter: Data,
    /// The digest of the whole file.
    pub digest: Digest,
}

/// Reads the instructions of a skill.
pub fn instructions(hall: &Hall, entry: &Entry) -> io::Result<Instructions> {
    let bytes = guild_catalog::bytes(entry)?;
    let max_bytes = usize::try_from(hall.config.limits.max_file_bytes).unwrap_or(usize::MAX);
    let source = Source { max_bytes, ..Source::new(&entry.place.file, &entry.skill.name, &bytes) };
    let reading = skill::read(&source, Profile::Lenient);
    Ok(Instructions {
        line: reading.body_line,
        argument_names: reading.hints.map(|hints| hints.arguments).unwrap_or_default(),
        frontmatter: reading.frontmatter.to_data(),
        text: reading.body.into_owned(),
        digest: Digest::of(&bytes),
    })
}

/// The sentence for a skill whose file cannot be read.
pub fn unreadable(entry: &Entry, error: &io::Error) -> String {
    format!("cannot read {}: {error}", entry.place.path().display())
}
