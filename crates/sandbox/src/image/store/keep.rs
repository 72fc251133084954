//! Bringing an image in: unpacked aside, written to the disk for good, moved into its place, named.

use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use super::staging::Staging;
use super::{Store, StoreError, names};
use crate::image::compression::decompress;
use crate::image::content::{self, Content};
use crate::image::digest::{Digest, Digesting};
use crate::image::error::ImageError;
use crate::image::event::{Event, Listener};
use crate::image::flush::flush;
use crate::image::import::{self, Choice};
use crate::image::limits::Limits;
use crate::image::lock::{Lock, Mode};
use crate::image::plan::{LayerPlan, Plan};
use crate::image::platform::Platform;
use crate::image::record::{self, Image, Kind, Layer, RecordError, Target};
use crate::image::unpack::Unpacker;

/// Where an image comes from.
pub enum Source<'a> {
    /// A file, or the directory of an OCI layout.
    Path(&'a Path),
    /// What a stream gives.
    Stream(&'a mut dyn Read),
}

/// How to bring an image in.
#[derive(Clone, Copy, Debug)]
pub struct ImportRequest<'a> {
    /// What to call it; else what its source calls it, else what the file is called.
    pub name: Option<&'a str>,
    /// Which one, where there are several.
    pub choice: Choice<'a>,
    /// What time it is, as it will be written down.
    pub now: &'a str,
    /// Who is told.
    pub listener: &'a Listener,
}

/// What is written down beside the image itself.
#[derive(Clone, Copy, Debug)]
pub(in crate::image) struct Keeping<'a> {
    pub names: &'a [String],
    pub source: &'a str,
    pub now: &'a str,
    pub listener: &'a Listener,
}

impl Store {
    /// Brings an image in from a file, a directory or a stream. One that is there already is only named.
    pub fn import(&self, source: Source<'_>, request: &ImportRequest<'_>) -> Result<Image, ImageError> {
        request.name.map(names::check).transpose()?;
        self.prepare()?;
        let spool = || tempfile::tempfile_in(self.temporary());
        let (plan, label, stem) = match source {
            Source::Path(path) => {
                let plan = import::plan(path, request.choice, self.limits, &spool)?;
                (plan, path.display().to_string(), names::of_file(path))
            }
            Source::Stream(stream) => {
                let what = "standard input";
                let file = import::spooled(what, stream, self.limits, &spool)?;
                let plan = import::plan_file(what, file, request.choice, self.limits, &spool)?;
                (plan, what.to_owned(), None)
            }
        };
        let names = match request.name {
            Some(name) => vec![name.to_owned()],
            None => suggested(&plan, stem.as_deref()),
        };
        let keeping = Keeping { names: &names, source: &label, now: request.now, listener: request.listener };
        self.keep(&plan, &keeping)
    }

    /// Unpacks an image, unless it is there, and gives it its names.
    pub(in crate::image) fn keep(&self, plan: &Plan, keeping: &Keeping<'_>) -> Result<Image, ImageError> {
        // Others who bring in the same image wait here, and then find it.
        let _lock = plan.digest.map(|digest| self.lock_making(&digest)).transpose()?;
        if let Some(digest) = plan.digest
            && self.is_intact(&digest)?
        {
            return self.name(&digest, keeping);
        }
        let staging = Staging::new(&self.temporary()).map_err(StoreError::io("make", &self.temporary()))?;
        let image = self.unpack(plan, &staging, keeping)?;
        self.settle(Some(staging), &image.digest, keeping)
    }

    /// Gives an image that is there its names.
    pub(in crate::image) fn name(&self, digest: &Digest, keeping: &Keeping<'_>) -> Result<Image, ImageError> {
        self.settle(None, digest, keeping)
    }

    fn unpack(&self, plan: &Plan, staging: &Staging, keeping: &Keeping<'_>) -> Result<Image, ImageError> {
        let root = staging.path().join("root");
        DirBuilder::new().mode(0o755).create(&root).map_err(ImageError::io("make", &root))?;
        let directory = File::open(&root).map_err(ImageError::io("open", &root))?;
        let mut unpacker = Unpacker::new(directory.into(), self.limits);
        let mut layers = Vec::new();
        for (index, layer) in plan.layers.iter().enumerate() {
            keeping.listener.tell(&Event::Unpacking { layer: index + 1, of: plan.layers.len() });
            layers.push(apply(&mut unpacker, layer, self.limits)?);
        }
        keeping.listener.tell(&Event::Settling);
        let content = content::digest(&root, self.unbounded())?;
        if content.entries == 0 {
            return Err(ImageError::invalid(keeping.source, "there is no file in it"));
        }
        let image = describe(plan, &content, layers, unpacker.skipped, keeping.now);
        let path = staging.path().join(super::RECORD);
        record::write(&path, &image).map_err(ImageError::io("write", &path))?;
        flush(&root, content.entries).map_err(ImageError::io("write", &root))?;
        Ok(image)
    }

    /// Moves what was made into its place and gives it its names.
    fn settle(
        &self,
        staging: Option<Staging>,
        digest: &Digest,
        keeping: &Keeping<'_>,
    ) -> Result<Image, ImageError> {
        let _lock = self.lock()?;
        let tree = self.tree(digest);
        if let Some(staging) = &staging
            && !self.is_intact(digest)?
        {
            std::fs::rename(staging.path(), &tree).map_err(StoreError::io("make", &tree))?;
            let trees = self.directory.join("trees");
            File::open(&trees).and_then(|trees| trees.sync_all()).map_err(StoreError::io("write", &trees))?;
        }
        let mut names = self.names()?;
        for name in keeping.names {
            let target =
                Target { digest: *digest, source: keeping.source.to_owned(), at: keeping.now.to_owned() };
            names.insert(name.clone(), target);
        }
        self.write_names(names.clone())?;
        let image = self.load(digest, &names)?;
        image.ok_or_else(|| ImageError::invalid(keeping.source, "it was removed while it was brought in"))
    }

    /// Whether an image is there; one whose record is gone or damaged is cleared away.
    fn is_intact(&self, digest: &Digest) -> Result<bool, StoreError> {
        match self.load(digest, &record::Names::new()) {
            Ok(Some(_)) => return Ok(true),
            Ok(None) | Err(StoreError::Record { source: RecordError::Damaged(_), .. }) => {}
            Err(error) => return Err(error),
        }
        let tree = self.tree(digest);
        match std::fs::remove_dir_all(&tree) {
            Ok(()) => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("remove", &tree)(error)),
        }
    }

    fn lock_making(&self, digest: &Digest) -> Result<Lock, StoreError> {
        let path = self.temporary().join(format!("{}{}", digest.hex(), super::staging::LOCK));
        let lock = Lock::take(&path, Mode::Alone).map_err(StoreError::io("lock", &path))?;
        let lock = lock.ok_or_else(|| StoreError::io("lock", &path)(io::ErrorKind::WouldBlock.into()))?;
        Ok(lock.temporary())
    }
}

/// Unpacks one layer and holds it to its digests.
fn apply(unpacker: &mut Unpacker, layer: &LayerPlan, limits: Limits) -> Result<Layer, ImageError> {
    let reading = |error| ImageError::reading(&layer.what, error);
    let mut raw = Digesting::new(layer.bytes.clone());
    let mut plain = Digesting::new(decompress(&mut raw, limits).map_err(reading)?);
    let is_closed = unpacker.apply(&layer.what, &mut plain)?;
    let (diff_id, _) = plain.finish();
    io::copy(&mut raw, &mut io::sink()).map_err(reading)?;
    let (digest, bytes) = raw.finish();
    let unpacked = format!("{}, unpacked,", layer.what);
    for (what, expected, found) in [(&layer.what, layer.digest, digest), (&unpacked, layer.diff_id, diff_id)]
    {
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(ImageError::Mismatch { what: what.clone(), expected, found });
        }
    }
    // Where no digest tells, only its own end says that an archive is whole.
    if layer.digest.is_none() && layer.diff_id.is_none() && !is_closed {
        return Err(ImageError::invalid(&layer.what, "it is cut short"));
    }
    Ok(Layer { digest, diff_id, bytes, media_type: layer.media_type.clone() })
}

fn describe(plan: &Plan, content: &Content, layers: Vec<Layer>, skipped: u64, now: &str) -> Image {
    let config = &plan.config;
    let platform = (!config.os.is_empty() && !config.architecture.is_empty()).then(|| Platform {
        os: config.os.clone(),
        architecture: config.architecture.clone(),
        variant: config.variant.clone(),
    });
    Image {
        digest: plan.digest.unwrap_or(content.digest),
        kind: plan.kind,
        content: content.digest,
        platform,
        config: config.config.clone(),
        created: config.created.clone(),
        imported: now.to_owned(),
        bytes: content.bytes,
        entries: content.entries,
        skipped,
        layers,
        names: Vec::new(),
    }
}

/// The names that an image brings along, as far as they can be names, else that of its file.
fn suggested(plan: &Plan, stem: Option<&str>) -> Vec<String> {
    let whole = |name: &String| match (plan.kind, stem) {
        // Layouts often say the tag alone, which says nothing.
        (Kind::Manifest, Some(stem)) if !name.contains(['/', ':']) => format!("{stem}:{name}"),
        _ => name.clone(),
    };
    let names: Vec<String> = plan.names.iter().map(whole).filter(|name| names::check(name).is_ok()).collect();
    if names.is_empty() { stem.map(str::to_owned).into_iter().collect() } else { names }
}
