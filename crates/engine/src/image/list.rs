//! `image list`: every image, and every role with what stands behind it.

use guild_sandbox::image::{RoleRoot, Store};

use super::{Images, failure};
use crate::Envelope;
use crate::reply::{ImageList, RoleLine};
use crate::sandbox::Refusal;

/// Lists images and roles.
pub fn image_list(images: &Images) -> Envelope<ImageList> {
    match list(images) {
        Ok(list) => Envelope::ok(list),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, ImageList::default()),
    }
}

fn list(images: &Images) -> Result<ImageList, Refusal> {
    let store = images.store()?;
    let found = store.list().map_err(|error| failure::store(&error))?;
    let lines: Vec<_> = found.iter().map(|image| images.line(store, image)).collect();
    let roles = images.roles.iter().map(|(name, root)| role(images, store, name, root)).collect();
    Ok(ImageList { count: lines.len(), images: lines, roles })
}

fn role(images: &Images, store: &Store, name: &str, root: &Result<RoleRoot, String>) -> RoleLine {
    let description = images.settings.roles.get(name).and_then(|role| role.description.clone());
    let (kind, value, digest) = match root {
        Ok(RoleRoot::Host) => ("host", None, None),
        Ok(RoleRoot::Directory(path)) => ("directory", Some(path.display().to_string()), None),
        Ok(RoleRoot::Image(image)) => {
            let digest = store.find(image).ok().map(|image| image.digest.to_string());
            ("image", Some(image.clone()), digest)
        }
        Err(reason) => ("unusable", Some(reason.clone()), None),
    };
    let is_default = images.settings.role == name;
    RoleLine { name: name.to_owned(), root: kind, value, digest, description, is_default }
}
