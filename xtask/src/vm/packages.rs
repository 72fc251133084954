//! Debian's packages: installed where a program is absent, or fetched and unpacked into a directory.
//!
//! Only root installs; everybody else is told what is missing. Unpacking runs nothing of the package.

use std::fs;
use std::path::{Path, PathBuf};

use super::text;
use crate::process;

/// Makes sure that `program` can be run, from Debian's `package` if need be.
pub fn need(program: &str, package: &str) -> Result<(), String> {
    let here = Path::new("/");
    if process::capture(here, "sh", &["-c", "command -v \"$1\"", "sh", program]).is_ok() {
        return Ok(());
    }
    if process::capture(here, "id", &["-u"])?.trim() != "0" {
        return Err(format!("`{program}` is not installed: please install the package {package}"));
    }
    println!("==> install {package}");
    apt(here, &["install", "--yes", "--no-install-recommends", package])
}

/// Fetches `package` and unpacks its files below `directory`.
pub fn unpack(package: &str, directory: &Path) -> Result<(), String> {
    println!("==> fetch {package}");
    let fetched = directory.join("fetched");
    fs::create_dir(&fetched).map_err(|error| format!("cannot make {}: {error}", fetched.display()))?;
    apt(&fetched, &["download", package])?;
    let archive = only_file(&fetched, |name| name.ends_with(".deb"))?;
    process::capture(directory, "dpkg-deb", &["--extract", text(&archive)?, text(directory)?])?;
    fs::remove_dir_all(&fetched).map_err(|error| format!("cannot remove {}: {error}", fetched.display()))
}

/// The package that `package` stands for, if it is one of those that only point at the current kernel.
pub fn current_kernel(package: &str) -> Result<String, String> {
    let depends = process::capture(Path::new("/"), "apt-cache", &["depends", package])?;
    Ok(pointed_at(&depends).unwrap_or(package).to_owned())
}

/// The one file in `directory` whose name `is_it`.
pub fn only_file(directory: &Path, is_it: impl Fn(&str) -> bool) -> Result<PathBuf, String> {
    let failed = |error| format!("cannot list {}: {error}", directory.display());
    let entries = fs::read_dir(directory).map_err(failed)?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut found = paths.map_err(failed)?;
    found.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&is_it));
    match found.as_slice() {
        [path] => Ok(path.clone()),
        _ => Err(format!(
            "{} has {} files to choose from, and one was expected",
            directory.display(),
            found.len()
        )),
    }
}

/// Calls apt-get, and once more with fresh lists, which a new container lacks.
fn apt(directory: &Path, arguments: &[&str]) -> Result<(), String> {
    let options = ["-o", "DPkg::Lock::Timeout=300", "-o", "APT::Sandbox::User=root"];
    let call = |arguments: &[&str]| {
        let all = [&["DEBIAN_FRONTEND=noninteractive", "apt-get"], &options[..], arguments].concat();
        process::capture(directory, "env", &all).map(drop)
    };
    call(arguments).or_else(|error| {
        call(&["update"]).map_err(|_| error)?;
        call(arguments)
    })
}

fn pointed_at(depends: &str) -> Option<&str> {
    depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|package| package.starts_with("linux-image-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_points_at_the_current_kernel_is_followed() {
        let points = "linux-image-amd64\n  Depends: linux-image-6.1.0-9-amd64\n";
        assert_eq!(pointed_at(points), Some("linux-image-6.1.0-9-amd64"));
        assert_eq!(pointed_at("linux-image-6.1.0-9-amd64\n  Depends: kmod\n |Depends: linux-base\n"), None);
    }

    #[test]
    fn two_candidates_are_no_answer() {
        let fixture = guild_testkit::Fixture::write("//- /a.deb\n//- /b.deb\n//- /c.txt\n");
        let only = |end: &str| only_file(fixture.path(), |name| name.ends_with(end));
        assert_eq!(only(".txt"), Ok(fixture.join("c.txt")));
        let error = only(".deb").unwrap_err();
        assert!(error.ends_with("has 2 files to choose from, and one was expected"), "{error}");
    }
}
