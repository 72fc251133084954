//! `image import`: an image out of a file, a directory or standard input.

use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use guild_sandbox::image::{self, Choice, Listener, Platform, Source};

use super::{Images, failure};
use crate::reply::ImageKept;
use crate::sandbox::Refusal;
use crate::{Code, Envelope};

/// What to import.
pub struct ImportRequest<'a> {
    /// Where it comes from.
    pub source: ImportSource<'a>,
    /// What to call it; else what its source calls it, else what the file is called.
    pub name: Option<&'a str>,
    /// Which one, where an archive holds several.
    pub image: Option<&'a str>,
    /// For which platform, as `linux/amd64`; else for this machine.
    pub platform: Option<&'a str>,
    /// What time it is.
    pub now: SystemTime,
    /// Who is told what happens.
    pub listener: Listener,
}

/// Where an image comes from.
pub enum ImportSource<'a> {
    /// A file, or the directory of an OCI layout.
    Path(&'a Path),
    /// A stream, such as standard input.
    Stream(&'a mut dyn Read),
}

/// Brings an image in. One that is there already is only named.
pub fn image_import(images: &Images, request: ImportRequest<'_>) -> Envelope<ImageKept> {
    match import(images, request) {
        Ok(kept) => Envelope::ok(kept),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, ImageKept::default()),
    }
}

fn import(images: &Images, request: ImportRequest<'_>) -> Result<ImageKept, Refusal> {
    let store = images.store()?;
    let platform = platform(request.platform)?;
    let now = timestamp(request.now);
    // What others left half done is no use to anybody. That it cannot be tidied up is no reason not to go on.
    let _ = store.reap(request.now);
    let source = match request.source {
        ImportSource::Path(path) => Source::Path(path),
        ImportSource::Stream(stream) => Source::Stream(stream),
    };
    let request = image::ImportRequest {
        name: request.name,
        choice: Choice { name: request.image, platform: &platform },
        now: &now,
        listener: &request.listener,
    };
    let image = store.import(source, &request).map_err(|error| failure::image(&error))?;
    Ok(ImageKept::of(&image, images.line(store, &image), &now))
}

/// The platform that was named, else this machine's.
pub fn platform(named: Option<&str>) -> Result<Platform, Refusal> {
    let Some(named) = named else { return Ok(Platform::here()) };
    named.parse().map_err(|error: image::NoPlatform| Refusal::new(Code::Usage, error.to_string()))
}

/// A time as it is written down.
pub fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}
