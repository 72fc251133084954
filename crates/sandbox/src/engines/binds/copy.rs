//! The copy that takes the writes of a copy-on-write mount.

use std::path::{Path, PathBuf};

use super::Mount;
use crate::backend::LaunchError;
use crate::engines::connection::Connection;
use crate::probe::{Feature, Finding};

/// Gives the copy in a layer, which is made unless whoever made the layer has made it. The container's user must be able to write to it.
#[cfg(target_os = "linux")]
pub(super) async fn prepare(
    mount: &Mount,
    layer: &Path,
    user: u32,
    connection: &Connection,
) -> Result<PathBuf, LaunchError> {
    use std::os::unix::fs::MetadataExt;
    if !mount.source.is_dir() {
        return Err(LaunchError::InvalidPolicy {
            reason: "only directories can be copy-on-write".to_owned(),
        });
    }
    let copy = layer.join(COPY);
    if layer.join(OVERLAY).exists() {
        let cause = format!("{} is for an overlay, which engines cannot mount", layer.display());
        return Err(refused(connection, cause, "let the layer be a copy"));
    }
    if !copy.is_dir() {
        let (source, layer) = (mount.source.clone(), layer.to_owned());
        let made = tokio::task::spawn_blocking(move || make(&source, &layer, user)).await;
        made.map_err(|_| LaunchError::Ended)?.map_err(|error| {
            let cause = format!("cannot copy {}: {error}", mount.source.display());
            refused(connection, cause, "mount less, or use the embedded runtime, which copies nothing")
        })?;
    }
    // An engine without root makes the person who runs it the container's user.
    let owner = copy.metadata().map_err(|source| LaunchError::Source { path: copy.clone(), source })?.uid();
    if owner != user && !connection.facts.rootless {
        let cause = format!("the copy belongs to user {owner}, and the container's user is {user}");
        return Err(refused(connection, cause, "use the embedded runtime, or Podman without root"));
    }
    Ok(copy)
}

/// As [`crate::changes::Layer`] lays them out.
#[cfg(target_os = "linux")]
const COPY: &str = "copy";
#[cfg(target_os = "linux")]
const OVERLAY: &str = "upper";

#[cfg(target_os = "linux")]
fn make(source: &Path, layer: &Path, user: u32) -> Result<(), String> {
    use crate::changes::{Bounds, Layer, Owner};
    let owner = Owner::inside(user);
    let told = |error: crate::changes::LayerError| {
        let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
        format!("{error}{}", source.unwrap_or_default())
    };
    Layer::copy_from(layer, source, Bounds::default(), owner).map(drop).map_err(told)
}

/// Layers are Linux's alone.
#[cfg(not(target_os = "linux"))]
pub(super) async fn prepare(
    _mount: &Mount,
    _layer: &Path,
    _user: u32,
    connection: &Connection,
) -> Result<PathBuf, LaunchError> {
    let cause = "changes can be told apart on Linux alone".to_owned();
    Err(refused(connection, cause, "mount it read-only"))
}

fn refused(connection: &Connection, cause: String, fix: &str) -> LaunchError {
    let (backend, feature) = (connection.backend, Feature::CopyOnWrite);
    LaunchError::Unsupported { backend, feature, finding: Finding::new(cause, fix) }
}
