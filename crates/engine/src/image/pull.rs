//! `image pull`: an image out of a registry.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use guild_catalog::Machine;
use guild_sandbox::image::{self, Credentials, Listener, Patience};

use super::import::{platform, timestamp};
use super::{Images, failure};
use crate::Envelope;
use crate::reply::ImageKept;
use crate::sandbox::Refusal;

/// What to pull.
#[derive(Debug)]
pub struct PullRequest<'a> {
    /// `name`, `name:tag` or `name@sha256:…`.
    pub reference: &'a str,
    /// What to call it; else the whole form of the reference.
    pub name: Option<&'a str>,
    /// For which platform, as `linux/amd64`; else for this machine.
    pub platform: Option<&'a str>,
    /// Docker's configuration file, with names and passwords in it; it need not be there.
    pub credentials: Option<PathBuf>,
    /// How long to wait and how often to try.
    pub patience: Patience,
    /// What time it is.
    pub now: SystemTime,
    /// Who is told what happens.
    pub listener: Listener,
}

/// Brings an image in from a registry. One that is there already is only named.
pub async fn image_pull(images: &Images, request: PullRequest<'_>) -> Envelope<ImageKept> {
    match pull(images, request).await {
        Ok(kept) => Envelope::ok(kept),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, ImageKept::default()),
    }
}

async fn pull(images: &Images, request: PullRequest<'_>) -> Result<ImageKept, Refusal> {
    let store = images.store()?;
    let platform = platform(request.platform)?;
    let credentials = credentials(request.credentials.as_deref())?;
    let _ = store.reap(request.now);
    let now = timestamp(request.now);
    let request = image::PullRequest {
        reference: request.reference,
        name: request.name,
        platform: &platform,
        credentials: &credentials,
        insecure: &images.settings.images.insecure_registries,
        patience: request.patience,
        now: &now,
        listener: &request.listener,
    };
    let image = store.pull(&request).await.map_err(|error| failure::pull(&error))?;
    Ok(ImageKept::of(&image, images.line(store, &image), &now))
}

/// Docker's configuration file, where Docker itself looks for it.
pub fn docker_config(machine: &Machine) -> Option<PathBuf> {
    let own = machine.env.get("DOCKER_CONFIG").filter(|path| path.starts_with('/')).map(PathBuf::from);
    let directory = own.or_else(|| machine.home.as_ref().map(|home| home.join(".docker")));
    directory.map(|directory| directory.join("config.json"))
}

/// The names and passwords in Docker's configuration file.
pub fn credentials(file: Option<&Path>) -> Result<Credentials, Refusal> {
    let read = file.map(Credentials::read).transpose();
    Ok(read.map_err(|error| failure::credentials(&error))?.unwrap_or_default())
}
