//! Artifacts of container registries as a source: skills in the layers of one, by whichever tool they were pushed.

use super::fetch::{Fetched, directory_in};
use super::{Installer, failure};
use crate::image::{credentials, docker_config};
use crate::{Code, Images, Refusal};
use guild_sandbox::image::{Artifact, Event, Listener, Patience, Platform, PullRequest};
use guild_source::archive::{self, ArchiveError, Part};
use guild_source::http::MAX_BYTES;
use guild_source::lock::{Origin, SourceType};
use guild_source::oci::OciSpec;
use std::fs::File;
use std::io::{self, Seek as _};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often it is told how much has come.
const TOLD: Duration = Duration::from_millis(200);

/// Gets an artifact.
pub async fn artifact(desk: &Installer<'_>, spec: &OciSpec) -> Result<Fetched, Refusal> {
    let fetched = fetch(desk, &spec.whole()).await?;
    let unkept = |error: io::Error| Refusal::new(Code::WriteFailed, error.to_string());
    let scratch = desk.store.scratch()?;
    let top = directory_in(&scratch, spec.last_part())?;
    let mut files = Vec::new();
    for (at, mut part) in fetched.parts.into_iter().enumerate() {
        let path = scratch.path().join(format!("part-{at}"));
        part.file.rewind().map_err(unkept)?;
        let copied = File::create(&path).and_then(|mut file| io::copy(&mut part.file, &mut file));
        copied.map_err(unkept)?;
        files.push((path, part.title));
    }
    let parts: Vec<Part<'_>> =
        files.iter().map(|(path, title)| Part { path, title: title.as_deref() }).collect();
    archive::unpack_parts(&parts, &top).map_err(|error| match error {
        ArchiveError::NoArchive { .. } => {
            let message =
                format!("something in {} is neither an archive nor a file with a name", spec.whole());
            Refusal::new(Code::ArchiveInvalid, message)
        }
        error => failure::of_archive(error),
    })?;
    let origin = Origin {
        source: spec.name.clone(),
        source_type: SourceType::Oci,
        path: None,
        reference: spec.reference.clone(),
        resolved: Some(fetched.digest.to_string()),
        offer: None,
    };
    Ok(Fetched::new(top, origin, scratch))
}

/// Its files, with the person's own account at the registry.
async fn fetch(desk: &Installer<'_>, reference: &str) -> Result<Artifact, Refusal> {
    let (machine, settings) = (&desk.hall.machine, &desk.hall.config.sandbox);
    let images = Images::open(desk.places, machine, settings);
    let credentials = credentials(docker_config(machine).as_deref())?;
    let count = Arc::new(AtomicU64::new(0));
    let counting = Arc::clone(&count);
    let listener = Listener::new(move |event| {
        if let Event::Received { bytes } = event {
            counting.fetch_add(*bytes, Ordering::Relaxed);
        }
    });
    let request = PullRequest {
        reference,
        name: None,
        platform: &Platform::here(),
        credentials: &credentials,
        insecure: &settings.images.insecure_registries,
        patience: Patience::default(),
        now: "",
        listener: &listener,
    };
    let mut fetching = pin!(images.store()?.fetch_artifact(&request, MAX_BYTES));
    loop {
        (desk.progress)(&format!("fetching {reference}: {} KiB", count.load(Ordering::Relaxed) / 1024));
        if let Ok(fetched) = tokio::time::timeout(TOLD, &mut fetching).await {
            return fetched.map_err(|error| failure::of_registry(&error));
        }
    }
}
