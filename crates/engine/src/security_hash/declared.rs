//! What a skill declares in a stored tree, apart from this machine: no image and no policy, for comparing two states of it.

use super::payload::{Payload, Surroundings};
use crate::Code;
use crate::sandbox::Refusal;
use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::{Digest, FileEntry, TreeManifest};
use guild_source::store::Store;

/// A skill that asks for nothing.
const PLAIN: &[u8] = b"---\nname: none\ndescription: none\n---\n";

/// The payload of the skill whose file is `path`; one that is not there, or does not load, declares nothing.
///
/// # Errors
/// Where its file is not in the store.
pub(crate) fn declared(
    store: &Store,
    name: &str,
    tree: &TreeManifest,
    path: &str,
) -> Result<Payload, Refusal> {
    let file = tree.file(path);
    let bytes = file.map(|file| store.get(&file.digest)).transpose()?.unwrap_or_default();
    let read = |bytes| skill::read(&Source::new(path, name, bytes), Profile::Lenient).skill;
    let skill = read(&bytes).or_else(|| read(PLAIN));
    let skill = skill.ok_or_else(|| Refusal::new(Code::Internal, "a plain skill does not load"))?;
    let nothing = || FileEntry { path: path.to_owned(), executable: false, size: 0, digest: Digest::of(b"") };
    let own = file.cloned().unwrap_or_else(nothing);
    Ok(Payload::new(&skill, &own, tree, Surroundings { plugin: None, policy: String::new(), image: None }))
}
