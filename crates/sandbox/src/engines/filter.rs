//! The filter of system calls as a file, which is how Podman takes it. Docker takes it with the container.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::backend::LaunchError;
use crate::policy::Network;
use crate::seccomp;

/// Writes the filter for this network into `directory`, unless it is there, and gives its path.
pub(super) fn write(directory: Option<&Path>, network: Network) -> Result<PathBuf, LaunchError> {
    let directory = directory.ok_or_else(|| LaunchError::Step {
        step: "write the filter of system calls for Podman".to_owned(),
        source: io::Error::new(io::ErrorKind::NotFound, "there is no directory for it"),
    })?;
    let content = seccomp::docker_profile(network).to_string();
    let name = if network == Network::Host { "filter-with-network.json" } else { "filter.json" };
    let path = directory.join(name);
    // What is there may be another version's, or damaged.
    if fs::read(&path).is_ok_and(|found| found == content.as_bytes()) {
        return Ok(path);
    }
    replace(directory, &path, content.as_bytes())
        .map_err(|source| LaunchError::Step { step: format!("write {}", path.display()), source })?;
    Ok(path)
}

fn replace(directory: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
