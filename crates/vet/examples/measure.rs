//! Vets directories one after the other and prints what each cost: `microseconds verdict path`, one line a skill.
//!
//! It is for the benchmark; files are read before the clock starts. Time is the thread's own where the system tells it,
//! so that other programs on the machine do not count.
#![expect(clippy::print_stdout, reason = "this is what an example is for")]

use guild_vet::{Content, File, Input, Policy, vet};
use std::fs;
use std::path::Path;
use std::time::Instant;

fn main() {
    for directory in std::env::args().skip(1) {
        let root = Path::new(&directory);
        let mut files = Vec::new();
        collect(root, root, &mut files);
        files.sort();
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let entries: Vec<File<'_>> =
            files.iter().map(|(path, bytes)| File { path, content: Content::Bytes(bytes) }).collect();
        let input = Input { name: &name, main: "SKILL.md", files: &entries, contract: None, remarks: &[] };
        let (start, spent) = (Instant::now(), own_time());
        let report = vet(&input);
        let passed = own_time().zip(spent).map(|(now, then)| u128::from((now - then) / 1_000));
        let passed = passed.unwrap_or_else(|| start.elapsed().as_micros());
        println!("{passed} {} {directory}", report.verdict(&Policy::default()).as_str());
    }
}

/// The nanoseconds that this thread has run; the kernel's tables tell it only tick by tick.
#[cfg(target_os = "linux")]
fn own_time() -> Option<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, rest) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    Some(seconds * 1_000_000_000 + rest)
}

#[cfg(not(target_os = "linux"))]
fn own_time() -> Option<u64> {
    None
}

fn collect(root: &Path, directory: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && entry.file_name() != ".git" {
            collect(root, &path, files);
        } else if let (true, Ok(relative)) = (kind.is_file(), path.strip_prefix(root)) {
            files.push((relative.to_string_lossy().into_owned(), fs::read(&path).unwrap_or_default()));
        }
    }
}
