//! Artifacts: what a registry keeps that need not be a container image, fetched as files and held to its digests.
//!
//! What is in the files is not asked here.

use std::fs::File;

use super::{PullError, PullRequest, Session};
use crate::image::digest::Digest;
use crate::image::documents::MAX_LAYERS;
use crate::image::error::ImageError;
use crate::image::store::Store;

/// The name that whoever pushed a file gave it.
const TITLE: &str = "org.opencontainers.image.title";

/// An artifact that is here.
#[derive(Debug)]
pub struct Artifact {
    /// What its reference stands for: the digest of its manifest, or of the list that this is in.
    pub digest: Digest,
    /// Its files, in their order.
    pub parts: Vec<ArtifactPart>,
}

/// One file of an artifact.
#[derive(Debug)]
pub struct ArtifactPart {
    /// What the artifact calls it, where it does: a stranger's text.
    pub title: Option<String>,
    /// Its bytes, in a file without a name.
    pub file: File,
}

impl Store {
    /// Fetches an artifact of at most so many bytes. What has come of one that was interrupted is gone on with.
    pub async fn fetch_artifact(&self, request: &PullRequest<'_>, most: u64) -> Result<Artifact, PullError> {
        self.prepare().map_err(ImageError::from)?;
        let session = Session::open(self, request)?;
        let whole = request.patience.whole;
        let fetched = tokio::time::timeout(whole, session.artifact(most)).await;
        fetched.map_err(|_| PullError::TimedOut { seconds: whole.as_secs() })?
    }
}

impl Session<'_> {
    async fn artifact(&self, most: u64) -> Result<Artifact, PullError> {
        let (digest, manifest) = self.any_manifest().await?;
        if manifest.layers.len() > MAX_LAYERS {
            return Err(ImageError::TooLarge { what: "layers", limit: MAX_LAYERS as u64 }.into());
        }
        let sizes = manifest.layers.iter().map(|layer| layer.size);
        if sizes.fold(0, u64::saturating_add) > most {
            return Err(ImageError::TooLarge { what: "bytes", limit: most }.into());
        }
        let mut parts = Vec::new();
        for layer in &manifest.layers {
            let file = self.blob(layer).await?;
            parts.push(ArtifactPart { title: layer.annotations.get(TITLE).cloned(), file });
        }
        // The files stay open, and nobody else needs them.
        let blobs: Vec<Digest> = manifest.layers.iter().map(|layer| layer.digest).collect();
        self.store.forget_blobs(&blobs);
        Ok(Artifact { digest, parts })
    }
}
