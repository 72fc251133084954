//! OCI image layouts: an index, and the blobs that it leads to by digest.

use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::{Blobs, Choice};
use crate::image::digest::Digest;
use crate::image::documents::{
    CONFIG_BYTES, Config, Descriptor, Index, Leads, MANIFEST_BYTES, Manifest, parse,
};
use crate::image::error::ImageError;
use crate::image::plan::{LayerPlan, Plan, diff_ids};
use crate::image::record::Kind;
use crate::image::section::Section;

/// How deep indexes may be nested.
const DEEPEST: usize = 4;

/// A layout that lies in a directory.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Looks whether there is a layout.
    pub fn open(path: &Path) -> Result<Directory, ImageError> {
        let directory = Directory { path: path.to_owned() };
        if directory.file("oci-layout")?.is_none() || directory.file("index.json")?.is_none() {
            let reason = "the directory is no OCI layout: it has no `oci-layout` and `index.json`";
            return Err(ImageError::invalid(path.display().to_string(), reason));
        }
        Ok(directory)
    }
}

impl Blobs for Directory {
    fn file(&self, path: &str) -> Result<Option<Section>, ImageError> {
        let path = self.path.join(path);
        let failed = |error: std::io::Error| ImageError::io("read", &path)(error);
        // The path is made of fixed words and digits. A link in its place may lead anywhere, and a pipe never end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(file) => std::fs::File::from(file),
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(None),
            Err(error) => return Err(failed(error.into())),
        };
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(ImageError::invalid(path.display().to_string(), "it is no regular file"));
        }
        Section::whole(file).map(Some).map_err(|error| ImageError::io("read", &path)(error))
    }
}

/// Finds the image that is meant in a layout.
pub fn plan(layout: &dyn Blobs, choice: Choice<'_>) -> Result<Plan, ImageError> {
    let bytes = required(layout, "index.json")?.read_document("index.json", MANIFEST_BYTES)?;
    let index: Index = parse("index.json", &bytes)?;
    let meant = named(&index, choice)?;
    let names = meant.first().and_then(|first| first.name()).map(str::to_owned).into_iter().collect();
    let Some(descriptor) = matching(layout, &meant, choice, DEEPEST)? else {
        let what = format!("there is no image for {} in it", choice.platform);
        return Err(ImageError::Unsupported { what });
    };
    let plan = plan_manifest(layout, &descriptor, names)?;
    plan.check_platform(choice.platform)?;
    Ok(plan)
}

/// The entries of the index that bear the name asked for; they may not differ in name.
fn named<'a>(index: &'a Index, choice: Choice<'_>) -> Result<Vec<&'a Descriptor>, ImageError> {
    let is_meant = |descriptor: &&Descriptor| choice.name.is_none_or(|name| descriptor.name() == Some(name));
    let meant: Vec<&Descriptor> = index.manifests.iter().filter(is_meant).collect();
    let mut names: Vec<String> =
        index.manifests.iter().filter_map(Descriptor::name).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    if let (Some(name), []) = (choice.name, meant.as_slice()) {
        let reason = format!("no image in it is named `{name}`; there are: {}", names.join(", "));
        return Err(ImageError::invalid("the archive", reason));
    }
    if choice.name.is_none() && names.len() > 1 {
        return Err(ImageError::Ambiguous { candidates: names });
    }
    Ok(meant)
}

/// The first entry that leads to an image for the platform, through nested indexes.
fn matching(
    layout: &dyn Blobs,
    entries: &[&Descriptor],
    choice: Choice<'_>,
    depth: usize,
) -> Result<Option<Descriptor>, ImageError> {
    for entry in entries {
        if entry.platform.as_ref().is_some_and(|platform| !choice.platform.takes(platform)) {
            continue;
        }
        match entry.leads() {
            Leads::Manifest => return Ok(Some((*entry).clone())),
            Leads::Index if depth > 0 => {
                let bytes = blob(layout, entry)?.read_named("an index", &entry.digest, MANIFEST_BYTES)?;
                let nested: Index = parse("an index", &bytes)?;
                let nested: Vec<&Descriptor> = nested.manifests.iter().collect();
                if let Some(found) = matching(layout, &nested, choice, depth - 1)? {
                    return Ok(Some(found));
                }
            }
            Leads::Index | Leads::Elsewhere => {}
        }
    }
    Ok(None)
}

fn plan_manifest(
    layout: &dyn Blobs,
    descriptor: &Descriptor,
    names: Vec<String>,
) -> Result<Plan, ImageError> {
    let bytes = blob(layout, descriptor)?.read_named("the manifest", &descriptor.digest, MANIFEST_BYTES)?;
    let manifest: Manifest = parse("the manifest", &bytes)?;
    manifest.check()?;
    let what = "the configuration";
    let bytes = blob(layout, &manifest.config)?.read_named(what, &manifest.config.digest, CONFIG_BYTES)?;
    let config: Config = parse(what, &bytes)?;
    let ids = diff_ids(&config, manifest.layers.len())?;
    let layers = manifest.layers.into_iter().zip(ids).map(|(layer, diff_id)| {
        Ok(LayerPlan {
            what: format!("layer {}", layer.digest),
            bytes: blob(layout, &layer)?,
            digest: Some(layer.digest),
            diff_id,
            media_type: Some(layer.media_type),
        })
    });
    let layers = layers.collect::<Result<_, ImageError>>()?;
    Ok(Plan { digest: Some(descriptor.digest), kind: Kind::Manifest, config, layers, names })
}

/// The blob that a descriptor names, which has the size that it says.
fn blob(layout: &dyn Blobs, descriptor: &Descriptor) -> Result<Section, ImageError> {
    let section = required(layout, &blob_path(&descriptor.digest))?;
    if section.size != descriptor.size {
        let reason = format!("it has {} bytes and not {}", section.size, descriptor.size);
        return Err(ImageError::invalid(format!("blob {}", descriptor.digest), reason));
    }
    Ok(section)
}

fn required(layout: &dyn Blobs, path: &str) -> Result<Section, ImageError> {
    layout.file(path)?.ok_or_else(|| ImageError::invalid("the layout", format!("`{path}` is missing")))
}

fn blob_path(digest: &Digest) -> String {
    format!("blobs/sha256/{}", digest.hex())
}
