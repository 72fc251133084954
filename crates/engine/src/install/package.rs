//! Packages of npm as a source: the registry is asked which version is meant, and the archive has to have the digest that it says.

use super::fetch::{Fetched, directory_in, setting};
use super::{Installer, failure};
use crate::{Code, Refusal};
use guild_catalog::Machine;
use guild_source::lock::{Origin, SourceType};
use guild_source::npm::{self, Accounts, NpmError, NpmSpec, REGISTRY};
use guild_source::{archive, http};
use std::fs;
use std::io;
use std::path::PathBuf;

/// What the person's own `.npmrc` says; where there is none, or it cannot be read, they are nobody.
fn accounts(machine: &Machine) -> Accounts {
    let named = machine.env.get("NPM_CONFIG_USERCONFIG").map(PathBuf::from).filter(|path| path.is_absolute());
    let file = named.or_else(|| machine.home.as_ref().map(|home| home.join(".npmrc")));
    let text = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    Accounts::parse(&text, &machine.env)
}

/// Gets a package.
pub async fn package(desk: &Installer<'_>, spec: &NpmSpec) -> Result<Fetched, Refusal> {
    let scratch = desk.store.scratch()?;
    let accounts = accounts(&desk.hall.machine);
    let registry = spec.registry.as_deref().or_else(|| accounts.registry_of(&spec.package));
    let spec = &NpmSpec { registry: registry.map(str::to_owned), ..spec.clone() };
    let usual = setting(&desk.hall.config, "npm")?;
    let address = spec.address(usual.as_deref().or(accounts.registry()).unwrap_or(REGISTRY));
    (desk.progress)(&format!("asking {address}"));
    let unread = |error: io::Error| Refusal::new(Code::ReadFailed, error.to_string());
    let document = scratch.path().join("package.json");
    let as_whom = accounts.authorization(&address);
    http::download_as(&address, as_whom.as_deref(), &document, &|_| {}).await.map_err(failure::of_http)?;
    let release = npm::release(&fs::read(&document).map_err(unread)?, spec.version.as_deref());
    let release = release.map_err(|error| {
        let code = match &error {
            NpmError::NoVersion(_) => Code::SourceRefUnknown,
            NpmError::Form(_) | NpmError::NoDigest(_) => Code::SourceInvalid,
        };
        Refusal::new(code, format!("npm package `{}`: {error}", spec.package))
    })?;
    let file = scratch.path().join("download");
    let told = |count: u64| {
        (desk.progress)(&format!("fetching {} {}: {} KiB", spec.package, release.version, count / 1024));
    };
    let as_whom = accounts.authorization(&release.tarball);
    let downloaded = http::download_as(&release.tarball, as_whom.as_deref(), &file, &told).await;
    downloaded.map_err(failure::of_http)?;
    if !release.is(&file).map_err(unread)? {
        let message = format!(
            "{} is not what the registry says that version {} of `{}` is; nothing of it was kept",
            release.tarball, release.version, spec.package
        );
        return Err(Refusal::new(Code::SourceChanged, message));
    }
    let name = spec.package.rsplit('/').next().unwrap_or_default();
    let unpacked = directory_in(&scratch, name)?;
    archive::unpack(&file, &unpacked).map_err(|error| failure::of_download(&release.tarball, error))?;
    let origin = Origin {
        source: spec.source(),
        source_type: SourceType::Npm,
        path: None,
        reference: spec.version.clone(),
        resolved: Some(release.version),
        offer: None,
    };
    // Everything lies in one directory, `package` as a rule; one skill there is called as the package is.
    let inner: Vec<_> =
        fs::read_dir(&unpacked).map_err(unread)?.flatten().map(|entry| entry.path()).collect();
    let top = match inner.as_slice() {
        [only] if only.is_dir() => {
            let top = scratch.path().join("package").join(name);
            fs::create_dir_all(scratch.path().join("package")).map_err(unread)?;
            fs::rename(only, &top).map_err(unread)?;
            top
        }
        _ => unpacked,
    };
    Ok(Fetched::new(top, origin, scratch))
}
