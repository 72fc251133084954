//! `cargo xtask vm-test`: runs tests in a small virtual machine with pure cgroup v2, as an unprivileged user.
//!
//! The machine is Debian's kernel under QEMU. Its root is this system's own, shared read-only below a layer in memory,
//! or with `--systemd` a small Debian with a login session. It installs what it needs where it may, keeps the rest in
//! `target/vm`, and changes nothing else. It does not know what the tests are about.

mod binaries;
mod cache;
mod debian;
mod guest;
mod initramfs;
mod kernel;
mod machine;
mod modules;
mod options;
mod packages;
mod plan;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use initramfs::Archive;
use kernel::Kernel;
use machine::Machine;
use options::{Options, USAGE};
use plan::{Pass, Plan};

/// What the first process of the machine does, in the shell of busybox.
const INIT: &str = include_str!("vm/init.sh");

/// Runs the tests that `arguments` select in a machine of their own, or, within it, those of a plan.
pub fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    match arguments {
        [flag, plan] if flag == "--guest" => return guest::run(Path::new(plan)),
        [flag] if crate::asks_for_help(flag) => {
            print!("{USAGE}");
            return Ok(());
        }
        _ => {}
    }
    let start = Instant::now();
    let options = Options::parse(arguments).map_err(|error| format!("{error}\n\n{USAGE}"))?;
    let machine = make(root, &options)?;
    println!("==> the machine is made after {:.1} s", start.elapsed().as_secs_f64());
    let report = machine.run(options.emulate)?;
    println!("==> {report}; {:.1} s with the preparation", start.elapsed().as_secs_f64());
    report.verdict()
}

fn make(root: &Path, options: &Options) -> Result<Machine, String> {
    let running = std::env::current_exe().map_err(|error| format!("cannot find xtask itself: {error}"))?;
    let target = running.parent().and_then(Path::parent).ok_or("xtask lies in no target directory")?;
    let plan = plan(root, options)?;

    let cache = target.join("vm");
    fs::create_dir_all(&cache).map_err(|error| format!("cannot make {}: {error}", cache.display()))?;
    let xtask = own_copy(&cache)?;
    packages::need("qemu-system-x86_64", "qemu-system-x86")?;
    let kernel = kernel::prepare(&cache, &options.kernel)?;
    let disk = if options.systemd { Some(debian::prepare(&cache)?) } else { None };

    let mut shared = vec![root, target];
    shared.extend(plan.binaries.iter().filter_map(|binary| binary.path.parent()));
    shared.dedup();
    let initramfs = cache.join(if options.systemd { "systemd.initramfs" } else { "plain.initramfs" });
    let contents = Contents { shared: &shared, xtask: &xtask, plan: &plan, systemd: options.systemd };
    fs::write(&initramfs, contents.archive(&kernel)?)
        .map_err(|error| format!("cannot write {}: {error}", initramfs.display()))?;
    let passes = plan.passes.len();
    Ok(Machine { kernel: kernel.image, initramfs, disk, limit: options.limit, passes })
}

/// The running program under a name of its own: cargo puts another in its place when it builds the workspace with other features.
fn own_copy(cache: &Path) -> Result<PathBuf, String> {
    let copy = cache.join("xtask");
    fs::remove_file(&copy).ok();
    let copied = fs::copy("/proc/self/exe", &copy);
    copied.map_err(|error| format!("cannot copy xtask to {}: {error}", copy.display()))?;
    Ok(copy)
}

fn plan(root: &Path, options: &Options) -> Result<Plan, String> {
    let binaries =
        if options.binaries.is_empty() { binaries::build(root, options)? } else { binaries::given(options)? };
    let passes = if options.systemd {
        vec![Pass::Root, Pass::Session]
    } else {
        vec![Pass::Delegated, Pass::Undelegated]
    };
    let (filters, skipped) = (options.filters.clone(), options.skipped.clone());
    Ok(Plan { passes, binaries, filters, skipped, is_whole: options.are_whole() })
}

/// What the machine starts with beside its kernel.
struct Contents<'a> {
    /// Directories of this system that tests find at the same path.
    shared: &'a [&'a Path],
    xtask: &'a Path,
    plan: &'a Plan,
    systemd: bool,
}

impl Contents<'_> {
    fn archive(&self, kernel: &Kernel) -> Result<Vec<u8>, String> {
        let mut archive = Archive::default();
        for directory in ["bin", "modules", "vm"] {
            archive.directory(directory);
        }
        archive.file("init", 0o755, INIT.as_bytes());
        archive.file("bin/busybox", 0o755, &read(&kernel.busybox)?);
        for (at, module) in kernel.modules.iter().enumerate() {
            archive.file(&format!("modules/{at:02}.ko"), 0o644, &read(module)?);
        }
        archive.file("vm/plan.json", 0o644, self.plan.to_json()?.as_bytes());
        archive.file("vm/xtask", 0o644, lines(&[self.xtask])?.as_bytes());
        archive.file("vm/shared", 0o644, lines(self.shared)?.as_bytes());
        if self.systemd {
            archive.file("vm/guild-vm.service", 0o644, debian::SERVICE.as_bytes());
        }
        Ok(archive.finish())
    }
}

fn lines(paths: &[&Path]) -> Result<String, String> {
    paths.iter().map(|path| Ok(format!("{}\n", text(path)?))).collect()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn text(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| format!("the path {} is no UTF-8", path.display()))
}
