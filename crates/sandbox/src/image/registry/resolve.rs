//! From a reference to the manifest of one image, through lists of platforms.

use oci_client::Reference;

use super::failure::with_retries;
use super::{PullError, Session};
use crate::image::digest::Digest;
use crate::image::documents::{Descriptor, Index, Leads, MANIFEST_BYTES, Manifest, parse};
use crate::image::error::ImageError;
use crate::image::event::Event;

/// What a registry may answer with when it is asked for an image.
const MANIFESTS: &[&str] = &[
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
];

/// A document that says what it is.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    #[serde(default)]
    media_type: String,
    manifests: Option<serde::de::IgnoredAny>,
}

impl Session<'_> {
    /// The manifest that the reference leads to, through lists of platforms.
    pub(super) async fn manifest(&self) -> Result<(Digest, Manifest), PullError> {
        let (digest, bytes) = self.document(&self.reference, self.pinned).await?;
        let said: Said = parse("the manifest", &bytes)?;
        if !said.is_index() {
            return Ok((digest, parse("the manifest", &bytes)?));
        }
        let index: Index = parse("the index", &bytes)?;
        let platform = self.request.platform;
        let takes = |entry: &&Descriptor| {
            entry.leads() == Leads::Manifest
                && entry.platform.as_ref().is_some_and(|offered| platform.takes(offered))
        };
        let Some(entry) = index.manifests.iter().find(takes) else {
            let offered: Vec<String> = index
                .manifests
                .iter()
                .filter_map(|entry| entry.platform.as_ref())
                .map(ToString::to_string)
                .collect();
            let what = format!("there is no image for {platform}; there are: {}", offered.join(", "));
            return Err(ImageError::Unsupported { what }.into());
        };
        self.entry(entry).await
    }

    /// What the reference stands for, and the manifest that it leads to: the files of an artifact are the same on every platform, so
    /// that the first of a list will do.
    pub(super) async fn any_manifest(&self) -> Result<(Digest, Manifest), PullError> {
        let (digest, bytes) = self.document(&self.reference, self.pinned).await?;
        let said: Said = parse("the manifest", &bytes)?;
        if !said.is_index() {
            return Ok((digest, parse("the manifest", &bytes)?));
        }
        let index: Index = parse("the index", &bytes)?;
        let known = |entry: &&Descriptor| {
            let is_unknown = entry.platform.as_ref().is_some_and(|platform| platform.os == "unknown");
            entry.leads() == Leads::Manifest && !is_unknown
        };
        let Some(entry) = index.manifests.iter().find(known) else {
            return Err(ImageError::Unsupported { what: "the list has nothing in it".to_owned() }.into());
        };
        Ok((digest, self.entry(entry).await?.1))
    }

    /// The manifest that an entry of a list leads to.
    async fn entry(&self, entry: &Descriptor) -> Result<(Digest, Manifest), PullError> {
        let pinned = self.reference.clone_with_digest(entry.digest.to_string());
        let (digest, bytes) = self.document(&pinned, Some(entry.digest)).await?;
        Ok((digest, parse("the manifest", &bytes)?))
    }

    /// A document by its reference, held to the digest that is expected.
    async fn document(
        &self,
        reference: &Reference,
        expected: Option<Digest>,
    ) -> Result<(Digest, Vec<u8>), PullError> {
        let request = || self.client.pull_manifest_raw(reference, &self.auth, MANIFESTS);
        let (bytes, _) = with_retries(self.request, reference, request).await?;
        if bytes.len() as u64 > MANIFEST_BYTES {
            return Err(ImageError::TooLarge { what: "bytes in a document", limit: MANIFEST_BYTES }.into());
        }
        let found = Digest::of(&bytes);
        match expected.filter(|expected| *expected != found) {
            Some(expected) => {
                Err(ImageError::Mismatch { what: "the manifest".to_owned(), expected, found }.into())
            }
            None => Ok((found, bytes.to_vec())),
        }
    }

    /// Says what is to come, unless it is too much.
    pub(super) fn announce(&self, digest: Digest, manifest: &Manifest) -> Result<(), ImageError> {
        let blobs = std::iter::once(&manifest.config).chain(&manifest.layers);
        let bytes = blobs.map(|blob| blob.size).try_fold(0u64, u64::checked_add);
        let limits = self.store.limits();
        match bytes {
            Some(bytes) if bytes <= limits.stream() => {
                let blobs = manifest.layers.len() + 1;
                self.request.listener.tell(&Event::Resolved { digest, blobs, bytes });
                Ok(())
            }
            _ => Err(ImageError::TooLarge { what: "bytes", limit: limits.bytes }),
        }
    }
}

impl Said {
    /// By what it says, else by what it holds.
    fn is_index(&self) -> bool {
        if self.media_type.is_empty() {
            return self.manifests.is_some();
        }
        Leads::of(&self.media_type) == Leads::Index
    }
}
