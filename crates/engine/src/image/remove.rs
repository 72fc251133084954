//! `image remove`: a name of an image, and the image with its last one.

use guild_sandbox::RefusalKind;
use guild_sandbox::image::{Removed, Store};

use super::{Images, failure};
use crate::reply::ImageRemove;
use crate::sandbox::{Backends, Refusal};
use crate::{Code, Envelope};

/// Removes an image, unless a role names it and `force` does not say so, and the copies that container engines have of it.
pub async fn image_remove(
    images: &Images,
    backends: &Backends,
    name: &str,
    force: bool,
) -> Envelope<ImageRemove> {
    let mut reply = ImageRemove::default();
    match images.store().and_then(|store| remove(images, store, (name, force), &mut reply)) {
        Ok(removed) => {
            reply.removed = removed.left.is_empty();
            reply.freed_bytes = if reply.removed { removed.bytes } else { 0 };
            (reply.names, reply.left) = (removed.names, removed.left);
            if reply.removed {
                forget_copies(backends, &mut reply).await;
            }
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

/// An engine that does not run has nothing to say; its copy, if there is one, serves nobody who does not import the image again.
async fn forget_copies(backends: &Backends, reply: &mut ImageRemove) {
    let Some(digest) = reply.digest.as_deref() else { return };
    for backend in backends.iter() {
        match backend.forget_root(digest).await {
            Ok(true) => reply.forgotten.push(backend.name()),
            Ok(false) => {}
            Err(error) if error.kind() == RefusalKind::Unavailable => {}
            Err(error) => reply.copies_left.push(format!("{}: {}", backend.name(), error.explanation())),
        }
    }
}
