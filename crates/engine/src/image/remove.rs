//! `image remove`: a name of an image, and the image with its last one.

use guild_sandbox::image::{Removed, Store};

use super::{Images, failure};
use crate::reply::ImageRemove;
use crate::sandbox::Refusal;
use crate::{Code, Envelope};

/// Removes an image, unless a role names it and `force` does not say so.
pub fn image_remove(images: &Images, name: &str, force: bool) -> Envelope<ImageRemove> {
    let mut reply = ImageRemove::default();
    match images.store().and_then(|store| remove(images, store, (name, force), &mut reply)) {
        Ok(removed) => {
            reply.removed = removed.left.is_empty();
            reply.freed_bytes = if reply.removed { removed.bytes } else { 0 };
            (reply.names, reply.left) = (removed.names, removed.left);
            Envelope::ok(reply)
        }
        Err(refusal) => Envelope::error(refusal.code, refusal.message, reply),
    }
}

fn remove(
    images: &Images,
    store: &Store,
    (name, force): (&str, bool),
    reply: &mut ImageRemove,
) -> Result<Removed, Refusal> {
    let image = store.find(name).map_err(failure::find)?;
    reply.digest = Some(image.digest.to_string());
    reply.roles = images.roles_of(store, &image.digest);
    if !reply.roles.is_empty() && !force {
        let message = format!(
            "the image `{name}` is that of the role `{}`; remove it with `--force`, or change the role first",
            reply.roles.join("`, `")
        );
        return Err(Refusal::new(Code::ImageInUse, message));
    }
    store.remove(name).map_err(failure::remove)
}
