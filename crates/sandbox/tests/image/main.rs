//! Images as they come, the hostile ones first: every archive here is made by the test that reads it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails, and what lacks an expected part is a failure"
)]

mod busybox;
mod formats;
mod hostile;
mod layers;
mod registry;
mod roles;
mod server;
mod store;
mod tree;

use std::io::Write as _;
use std::path::Path;

use guild_sandbox::image::{
    Choice, Image, ImageError, ImportRequest, Limits, Listener, Platform, Source, Store,
};
use tempfile::TempDir;

/// A time, where none matters.
const NOW: &str = "2025-01-02T03:04:05.678Z";

/// A store of its own, in a directory with room beside it.
struct World {
    directory: TempDir,
    store: Store,
}

impl World {
    fn new() -> World {
        World::with_limits(Limits::default())
    }

    fn with_limits(limits: Limits) -> World {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path().join("images"), limits);
        World { directory, store }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file beside the store.
    fn write(&self, name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn import(&self, path: &Path) -> Result<Image, ImageError> {
        self.import_as(path, None, None)
    }

    fn import_as(&self, path: &Path, name: Option<&str>, which: Option<&str>) -> Result<Image, ImageError> {
        let platform = "linux/amd64".parse::<Platform>().unwrap();
        let choice = Choice { name: which, platform: &platform };
        let request = ImportRequest { name, choice, now: NOW, listener: &Listener::default() };
        self.store.import(Source::Path(path), &request)
    }

    /// What was unpacked, or why not, and in that case that nothing is left.
    #[track_caller]
    fn shown(&self, result: Result<Image, ImageError>) -> String {
        match result {
            Ok(image) => tree::tree(&self.store.root_of(&image.digest)),
            Err(error) => {
                assert_eq!(self.residue(), "", "something is left behind");
                told(&error).replace(self.directory.path().to_str().unwrap(), "[DIR]")
            }
        }
    }

    /// Everything in the store that is no image.
    fn residue(&self) -> String {
        let mut left = Vec::new();
        for place in ["tmp", "blobs", "trees"] {
            let Ok(entries) = std::fs::read_dir(self.path("images").join(place)) else { continue };
            for entry in entries {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if place != "trees" || !self.path("images/trees").join(&name).join("image.json").exists() {
                    left.push(format!("{place}/{name}"));
                }
            }
        }
        left.join(" ")
    }
}

/// The kind of an error and its words.
fn told(error: &ImageError) -> String {
    let debug = format!("{error:?}");
    let kind = debug.split([' ', '(', '{']).next().unwrap();
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{kind}: {error}{cause}\n")
}

/// Compressed by xz.
fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}
