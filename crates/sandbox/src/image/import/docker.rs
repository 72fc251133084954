//! What `docker save` wrote before it wrote OCI layouts, and what crane, ko, kaniko and Jib still write: a list of images, each with
//! its configuration and its layers as archives, under names of the writer's choice.
//!
//! There is no manifest, so the image is named by the digest of its configuration, which holds the digests of the layers.

use super::archive::Members;
use super::{Blobs, Choice};
use crate::image::digest::Digest;
use crate::image::documents::{CONFIG_BYTES, Config, MANIFEST_BYTES, MAX_LAYERS, Saved, parse};
use crate::image::error::{ImageError, shown};
use crate::image::plan::{LayerPlan, Plan};
use crate::image::record::Kind;
use crate::image::section::Section;

const LIST: &str = "manifest.json";

/// Finds the image that is meant in a `docker save` archive.
pub fn plan(members: &Members, choice: Choice<'_>) -> Result<Plan, ImageError> {
    let bytes = required(members, LIST)?.read_document(LIST, MANIFEST_BYTES)?;
    let saved: Vec<Saved> = parse(LIST, &bytes)?;
    let meant = named(members, &saved, choice)?;
    let bytes = required(members, &meant.config)?.read_document("the configuration", CONFIG_BYTES)?;
    let digest = Digest::of(&bytes);
    check_name(&meant.config, digest)?;
    let config: Config = parse("the configuration", &bytes)?;
    let layers = layers(members, meant, &config)?;
    let names = meant.repo_tags.clone();
    let plan = Plan { digest: Some(digest), kind: Kind::Config, config, layers, names };
    plan.check_platform(choice.platform)?;
    Ok(plan)
}

fn named<'a>(members: &Members, saved: &'a [Saved], choice: Choice<'_>) -> Result<&'a Saved, ImageError> {
    let names = || saved.iter().flat_map(|image| image.repo_tags.iter().cloned()).collect::<Vec<_>>();
    match (choice.name, saved) {
        (_, []) => Err(ImageError::invalid(members.what(), "it holds no image")),
        (None, [only]) => Ok(only),
        (None, _) => Err(ImageError::Ambiguous { candidates: names() }),
        (Some(name), _) => {
            let found = saved.iter().find(|image| image.repo_tags.iter().any(|tag| tag == name));
            found.ok_or_else(|| {
                let reason = format!("no image in it is named `{name}`; there are: {}", names().join(", "));
                ImageError::invalid(members.what(), reason)
            })
        }
    }
}

/// A configuration whose name is a digest has that digest.
fn check_name(path: &str, found: Digest) -> Result<(), ImageError> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_prefix("sha256:").unwrap_or(name);
    match Digest::from_hex(name.strip_suffix(".json").unwrap_or(name)) {
        Some(expected) if expected != found => {
            Err(ImageError::Mismatch { what: "the configuration".to_owned(), expected, found })
        }
        _ => Ok(()),
    }
}

fn layers(members: &Members, saved: &Saved, config: &Config) -> Result<Vec<LayerPlan>, ImageError> {
    let ids = &config.rootfs.diff_ids;
    if saved.layers.len() > MAX_LAYERS {
        return Err(ImageError::TooLarge { what: "layers", limit: MAX_LAYERS as u64 });
    }
    // Without them nothing would hold the layers to the image's name.
    if ids.len() != saved.layers.len() {
        let reason =
            format!("the image has {} layers, and its configuration names {}", saved.layers.len(), ids.len());
        return Err(ImageError::invalid(members.what(), reason));
    }
    let plan = |(path, diff_id): (&String, &Digest)| {
        Ok(LayerPlan {
            what: format!("layer {diff_id}"),
            digest: None,
            diff_id: Some(*diff_id),
            media_type: None,
            bytes: required(members, path)?,
        })
    };
    saved.layers.iter().zip(ids).map(plan).collect()
}

fn required(members: &Members, path: &str) -> Result<Section, ImageError> {
    let missing = || ImageError::invalid(members.what(), format!("`{}` is missing", shown(path.as_bytes())));
    members.file(path)?.ok_or_else(missing)
}
