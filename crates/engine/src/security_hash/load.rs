//! From a security hash back to what it stands for: the same copy, the same contract, the same image.

use super::payload::{ImageIdentity, Payload};
use super::stage::Staged;
use crate::Code;
use crate::hall::Hall;
use crate::image::Images;
use crate::sandbox::Refusal;
use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::{Digest, TreeManifest};
use guild_sandbox::image::Resolved;
use guild_source::store::{Store, Stored};

/// What was staged under a hash on this machine, as long as its files and its image are still there.
///
/// # Errors
/// Where any of it is gone, damaged or another.
pub fn load(hall: &Hall, images: &Images, store: &Store, security_hash: &Digest) -> Result<Staged, Refusal> {
    let payload = Payload::load(store, security_hash)?;
    let tree = TreeManifest::new(payload.files.clone()).map_err(|error| gone(error.to_string()))?;
    let Stored { tree, root, .. } = store.tree(&Digest::of(tree.text().as_bytes()))?;
    let bytes = store.get(&payload.skill.digest)?;
    let (directory, file) = match payload.skill.file.rsplit_once('/') {
        Some((directory, file)) => (directory, file),
        None => ("", payload.skill.file.as_str()),
    };
    let stem = payload.skill.name.rsplit('/').next().unwrap_or_default();
    let max_bytes = usize::try_from(hall.config.limits.max_file_bytes).unwrap_or(usize::MAX);
    let source = Source { max_bytes, form: payload.form(), ..Source::new(file, stem, &bytes) };
    let reading = skill::read(&source, Profile::Lenient);
    let skill = reading.skill.ok_or_else(|| gone("it does not load any more".to_owned()))?;
    let image = payload.image.as_ref().map(|image| same_image(images, image)).transpose()?;
    Ok(Staged {
        root,
        directory: directory.to_owned(),
        body: reading.body.into_owned(),
        argument_names: reading.hints.as_ref().map(|hints| hints.arguments.clone()).unwrap_or_default(),
        hints: reading.hints.unwrap_or_default(),
        image,
        tree,
        skill,
        payload,
        security_hash: *security_hash,
    })
}

/// The image of the role, if it is the one that was hashed.
fn same_image(images: &Images, hashed: &ImageIdentity) -> Result<Resolved, Refusal> {
    let resolved = images.resolve(Some(&hashed.role))?;
    if resolved.digest.to_string() == hashed.digest {
        return Ok(resolved);
    }
    Err(gone(format!("the image role `{}` is another image now", hashed.role)))
}

fn gone(why: String) -> Refusal {
    Refusal::new(Code::ReplayImpossible, format!("what was run then cannot be had any more: {why}"))
}
