//! Skills of a site that publishes an index of them, each held to its digest where the index has one.

use super::fetch::{Fetched, digest_of, directory_in};
use super::{Installer, failure};
use crate::{Code, Refusal};
use guild_manifest::Digest;
use guild_source::http::{self, HttpError};
use guild_source::landing::{Bounds, Landing, Strictness};
use guild_source::lock::{Origin, SourceType};
use guild_source::well_known::{Content, Listed, is_index, parse, places};
use guild_source::{archive, store::Scratch};
use std::fs::{self, File};
use std::path::Path;

/// How much one skill of loose files may be.
const BOUNDS: Bounds = Bounds { names: 1_000, bytes: 64 * 1024 * 1024 };

/// What a site has.
pub enum Site {
    /// Skills of its index.
    Fetched(Box<Fetched>),
    /// No index.
    Bare,
    /// No answer.
    Silent,
}

/// What was found where an index may be.
enum Found {
    Index(Vec<Listed>),
    Nothing,
    Silence,
}

/// Fetches the skills of these names, or all where none is named.
pub async fn fetch_site(desk: &Installer<'_>, url: &str, wanted: &[String]) -> Result<Site, Refusal> {
    let scratch = desk.store.scratch()?;
    let listed = match index(desk, url, &scratch).await? {
        Found::Index(listed) => listed,
        Found::Nothing => return Ok(Site::Bare),
        Found::Silence => return Ok(Site::Silent),
    };
    let top = directory_in(&scratch, "site")?;
    let is_wanted = |skill: &&Listed| wanted.is_empty() || wanted.contains(&skill.name);
    for skill in listed.iter().filter(is_wanted) {
        (desk.progress)(&format!("fetching {}", skill.name));
        let place = top.join(&skill.name);
        fs::create_dir_all(&place).map_err(|error| Refusal::new(Code::WriteFailed, error.to_string()))?;
        get(skill, &place, &scratch).await?;
    }
    let origin = Origin {
        source: url.to_owned(),
        source_type: SourceType::WellKnown,
        path: None,
        reference: None,
        resolved: None,
        offer: None,
    };
    Ok(Site::Fetched(Box::new(Fetched::new(top, origin, scratch))))
}

/// The index, at the first place that has one. Why a site cannot be reached is said by whoever asks next.
async fn index(desk: &Installer<'_>, url: &str, scratch: &Scratch) -> Result<Found, Refusal> {
    let file = scratch.path().join("index.json");
    for place in places(url) {
        (desk.progress)(&format!("asking {place}"));
        match http::download(&place, &file, &|_| {}).await {
            Ok(()) => {}
            Err(HttpError::Denied { .. }) => continue,
            Err(HttpError::Failed { .. }) => return Ok(Found::Silence),
            Err(error) => return Err(failure::of_http(error)),
        }
        let text = fs::read(&file).map_err(|error| Refusal::new(Code::ReadFailed, error.to_string()))?;
        // Many a site answers with a page of its own, to log in at for one, whatever is asked for.
        if !is_index(&text) {
            continue;
        }
        let listed = parse(&text, &place);
        let refused = |error| Refusal::new(Code::SourceInvalid, format!("{place} cannot be read: {error}"));
        return listed.map(Found::Index).map_err(refused);
    }
    Ok(Found::Nothing)
}

async fn get(skill: &Listed, place: &Path, scratch: &Scratch) -> Result<(), Refusal> {
    let file = scratch.path().join("download");
    match &skill.content {
        Content::File { url, digest } => {
            exactly(url, digest, &file).await?;
            let placed = fs::rename(&file, place.join("SKILL.md"));
            placed.map_err(|error| Refusal::new(Code::WriteFailed, error.to_string()))
        }
        Content::Archive { url, digest } => {
            exactly(url, digest, &file).await?;
            archive::unpack(&file, place).map_err(failure::of_archive)
        }
        Content::Files(files) => {
            let mut landing = Landing::new(place, Strictness::Archive, BOUNDS);
            for (path, url) in files {
                http::download(url, &file, &|_| {}).await.map_err(failure::of_http)?;
                let mut bytes =
                    File::open(&file).map_err(|error| Refusal::new(Code::ReadFailed, error.to_string()))?;
                landing.file(path, false, &mut bytes).map_err(|error| failure::of_landing(&error))?;
            }
            landing.finish().map_err(|error| failure::of_landing(&error))
        }
    }
}

/// Downloads what has to have a digest.
async fn exactly(url: &str, digest: &Digest, file: &Path) -> Result<(), Refusal> {
    http::download(url, file, &|_| {}).await.map_err(failure::of_http)?;
    let found = digest_of(file).map_err(|error| Refusal::new(Code::ReadFailed, error.to_string()))?;
    if found == *digest {
        return Ok(());
    }
    let message = format!("{url} is {found}, which is not what the index says; nothing of it was kept");
    Err(Refusal::new(Code::SourceChanged, message))
}
