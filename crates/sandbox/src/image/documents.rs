//! The JSON documents of images, as much of them as is used: OCI indexes, manifests and configurations, and Docker's own.
//!
//! They are a stranger's text: everything is optional here, and what is missing is told by whoever needs it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use super::digest::Digest;
use super::error::ImageError;
use super::platform::Platform;

/// Bytes that a manifest or an index may have; registries take no larger ones.
pub const MANIFEST_BYTES: u64 = 4 << 20;

/// Bytes that a configuration may have.
pub const CONFIG_BYTES: u64 = 8 << 20;

/// Layers that an image may have; overlay file systems take about as many.
pub const MAX_LAYERS: usize = 128;

/// Names a blob of a registry or layout.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    #[serde(default)]
    pub media_type: String,
    pub digest: Digest,
    pub size: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub annotations: BTreeMap<String, String>,
    pub platform: Option<Platform>,
}

/// A list of images, one a platform, or one a name.
#[derive(Clone, Debug, Deserialize)]
pub struct Index {
    pub manifests: Vec<Descriptor>,
}

/// One image: its configuration and its layers, lowest first.
#[derive(Clone, Debug, Deserialize)]
pub struct Manifest {
    pub config: Descriptor,
    #[serde(default, deserialize_with = "or_default")]
    pub layers: Vec<Descriptor>,
}

/// What an image says of itself.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Config {
    pub created: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub architecture: String,
    #[serde(default, deserialize_with = "or_default")]
    pub os: String,
    pub variant: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub config: Settings,
    #[serde(default, deserialize_with = "or_default")]
    pub rootfs: RootFs,
}

/// How an image wants to be run. It is kept as data; nothing here runs by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all(deserialize = "PascalCase"))]
pub struct Settings {
    /// Variables, as `NAME=value`.
    #[serde(default, alias = "env", deserialize_with = "or_default")]
    pub env: Vec<String>,
    /// The program and its first arguments.
    #[serde(default, alias = "entrypoint", deserialize_with = "or_default")]
    pub entrypoint: Vec<String>,
    /// Further arguments.
    #[serde(default, alias = "cmd", deserialize_with = "or_default")]
    pub cmd: Vec<String>,
    /// The directory to start in.
    #[serde(default, alias = "working_dir", deserialize_with = "or_default")]
    pub working_dir: String,
    /// Who to be.
    #[serde(default, alias = "user", deserialize_with = "or_default")]
    pub user: String,
    /// Notes for people and programs.
    #[serde(default, alias = "labels", deserialize_with = "or_default")]
    pub labels: BTreeMap<String, String>,
}

/// The digests of the layers before compression.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct RootFs {
    #[serde(default, deserialize_with = "or_default")]
    pub diff_ids: Vec<Digest>,
}

/// One image of a `docker save` archive.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Saved {
    pub config: String,
    #[serde(default, deserialize_with = "or_default")]
    pub repo_tags: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub layers: Vec<String>,
}

/// What a descriptor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To an index.
    Index,
    /// To a manifest.
    Manifest,
    /// To something that is no image.
    Elsewhere,
}

/// Reads a document.
pub fn parse<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, ImageError> {
    serde_json::from_slice(bytes).map_err(|error| ImageError::invalid(what, error.to_string()))
}

impl Descriptor {
    /// What it leads to.
    pub fn leads(&self) -> Leads {
        Leads::of(&self.media_type)
    }

    /// The name that an archive gives the image, where it gives one; the longer kind is Docker's.
    pub fn name(&self) -> Option<&str> {
        let keys = ["io.containerd.image.name", "org.opencontainers.image.ref.name"];
        keys.iter().find_map(|key| self.annotations.get(*key)).map(String::as_str)
    }
}

impl Leads {
    /// By media type; old documents have none and are manifests.
    pub fn of(media_type: &str) -> Leads {
        match media_type {
            "application/vnd.oci.image.index.v1+json"
            | "application/vnd.docker.distribution.manifest.list.v2+json" => Leads::Index,
            ""
            | "application/vnd.oci.image.manifest.v1+json"
            | "application/vnd.docker.distribution.manifest.v2+json" => Leads::Manifest,
            _ => Leads::Elsewhere,
        }
    }
}

impl Manifest {
    /// Refuses what is no container image, or one that cannot be unpacked here.
    pub fn check(&self) -> Result<(), ImageError> {
        let config = self.config.media_type.as_str();
        let configs = [
            "",
            "application/vnd.oci.image.config.v1+json",
            "application/vnd.docker.container.image.v1+json",
        ];
        if !configs.contains(&config) {
            let what = format!("it is no container image: its configuration is `{}`", short(config));
            return Err(ImageError::Unsupported { what });
        }
        if self.layers.len() > MAX_LAYERS {
            return Err(ImageError::TooLarge { what: "layers", limit: MAX_LAYERS as u64 });
        }
        match self.layers.iter().find(|layer| !is_layer(&layer.media_type)) {
            Some(layer) => {
                let what =
                    format!("a layer is `{}`, which cannot be unpacked here", short(&layer.media_type));
                Err(ImageError::Unsupported { what })
            }
            None => Ok(()),
        }
    }
}

/// Whether a media type is that of an archive of files; how it is compressed its bytes say.
fn is_layer(media_type: &str) -> bool {
    let oci = media_type.strip_prefix("application/vnd.oci.image.layer.v1.tar");
    let docker = media_type.strip_prefix("application/vnd.docker.image.rootfs.diff.tar");
    matches!(oci.or(docker), Some("" | "+gzip" | "+zstd" | ".gzip" | ".zstd"))
}

/// The beginning of a stranger's word.
fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// A value, or the default where there is null.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
