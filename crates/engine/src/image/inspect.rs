//! `image inspect`: everything about one image.

use guild_sandbox::image::FindError;

use super::{Images, failure};
use crate::Envelope;
use crate::reply::{ImageDetail, ImageInspect};
use crate::sandbox::Refusal;

/// Looks at one image. Where `verify` is asked for, its whole tree is read and compared with what was unpacked.
pub fn image_inspect(images: &Images, name: &str, verify: bool) -> Envelope<ImageInspect> {
    match inspect(images, name, verify) {
        Ok(inspected) => Envelope::ok(inspected),
        Err((refusal, candidates)) => {
            let reply = ImageInspect { found: false, image: None, candidates };
            Envelope::error(refusal.code, refusal.message, reply)
        }
    }
}

fn inspect(images: &Images, name: &str, verify: bool) -> Result<ImageInspect, (Refusal, Vec<String>)> {
    let plain = |refusal| (refusal, Vec::new());
    let store = images.store().map_err(plain)?;
    let image = store.find(name).map_err(|error| {
        let candidates = match &error {
            FindError::Ambiguous { candidates, .. } => candidates.clone(),
            FindError::NotFound { known, .. } => known.clone(),
            FindError::Store(_) => Vec::new(),
        };
        (failure::find(error), candidates)
    })?;
    let intact = if verify {
        Some(store.verify(&image).map_err(|error| plain(failure::image(&error)))?)
    } else {
        None
    };
    let root = store.root_of(&image.digest).display().to_string();
    let detail = ImageDetail::of(&image, images.roles_of(store, &image.digest), root, intact);
    Ok(ImageInspect { found: true, image: Some(detail), candidates: Vec::new() })
}
