//! Debian's kernel with the modules that the machine needs, and busybox to load them: fetched once, never installed.
//!
//! What the package has beyond that is thrown away.

use std::fs;
use std::path::{Path, PathBuf};

use super::{cache, modules, packages};

/// The modules that are loaded, beside those that they need: the devices and file systems of the machine.
const WANTED: &[&str] = &["virtio_pci", "virtio_blk", "9pnet_virtio", "9p", "overlay", "squashfs"];

/// A kernel that can be booted.
pub struct Kernel {
    pub image: PathBuf,
    pub busybox: PathBuf,
    /// In the order in which they are loaded.
    pub modules: Vec<PathBuf>,
}

/// Gets the kernel of `package`, from `cache` where it is there.
pub fn prepare(cache: &Path, package: &str) -> Result<Kernel, String> {
    let directory = cache.join(package);
    let recipe = format!("busybox-static {package} {}\n", WANTED.join(" "));
    cache::keep(&directory, &recipe, |directory| make(directory, package))?;
    let mut modules = Vec::new();
    loop {
        let module = directory.join(numbered(modules.len()));
        if !module.exists() {
            break;
        }
        modules.push(module);
    }
    Ok(Kernel { image: directory.join("vmlinuz"), busybox: directory.join("busybox"), modules })
}

fn make(directory: &Path, package: &str) -> Result<(), String> {
    let unpacked = directory.join("unpacked");
    create(&unpacked)?;
    packages::need("xz", "xz-utils")?;
    packages::unpack("busybox-static", &unpacked)?;
    packages::unpack(&packages::current_kernel(package)?, &unpacked)?;

    let image = packages::only_file(&unpacked.join("boot"), |name| name.starts_with("vmlinuz-"))?;
    copy(&image, &directory.join("vmlinuz"))?;
    copy(&first_of(&unpacked, &["bin/busybox", "usr/bin/busybox"])?, &directory.join("busybox"))?;
    let modules = first_of(&unpacked, &["lib/modules", "usr/lib/modules"])?;
    for (at, module) in modules::in_load_order(&modules, WANTED)?.iter().enumerate() {
        let path = directory.join(numbered(at));
        fs::write(&path, module).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    fs::remove_dir_all(&unpacked).map_err(|error| format!("cannot remove {}: {error}", unpacked.display()))
}

fn numbered(at: usize) -> String {
    format!("module-{at:02}.ko")
}

/// The first of `paths` that exists: newer packages have everything below `/usr`.
fn first_of(directory: &Path, paths: &[&str]) -> Result<PathBuf, String> {
    let found = paths.iter().map(|path| directory.join(path)).find(|path| path.exists());
    found.ok_or_else(|| format!("the package has none of {}", paths.join(", ")))
}

fn create(directory: &Path) -> Result<(), String> {
    fs::create_dir(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| format!("cannot copy {}: {error}", from.display()))
}
