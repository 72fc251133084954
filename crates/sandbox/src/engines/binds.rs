//! What a container sees of the host, as paths that an engine can mount.
//!
//! Engines make no copy-on-write mounts. A bounded copy is mounted in the source's place, and written to; what differs from the source
//! afterwards is [`crate::changes`]'s to say, which is where the copy's layout is told too.

mod copy;

use std::io;
use std::path::{Component, Path, PathBuf};

use super::connection::Connection;
use super::plan::inside;
use crate::backend::LaunchError;
use crate::host_root::Part;
use crate::policy::{Access, Mount, Policy, Root};

/// A directory or file of the host, seen inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bind {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) writable: bool,
}

/// Makes ready what is to be mounted, over a root of these parts or, without any, over that of the policy.
pub(super) async fn prepare(
    policy: &Policy,
    parts: &[Part],
    connection: &Connection,
) -> Result<Vec<Bind>, LaunchError> {
    let mut binds: Vec<Bind> = parts.iter().filter_map(shown).collect();
    for mount in &policy.mounts {
        let source = match &mount.access {
            Access::CopyOnWrite { layer } => copy::prepare(mount, layer, policy.user, connection).await?,
            _ => mount.source.clone(),
        };
        if let Some(link) = link_on_the_way(policy, parts, &binds, &mount.target) {
            let step = format!("mount {} at {}", mount.source.display(), mount.target.display());
            let source = io::Error::other(format!("{} is a symbolic link", link.display()));
            return Err(LaunchError::Step { step, source });
        }
        binds.push(bind(mount, source)?);
    }
    Ok(binds)
}

/// What of this machine's own root is mounted.
fn shown(part: &Part) -> Option<Bind> {
    let Part::Shown { path, .. } = part else { return None };
    let place = format!("/{}", path.to_str()?);
    Some(Bind { source: place.clone(), target: place, writable: false })
}

/// The real path of what is mounted: engines would follow links in it at another moment than we do.
fn bind(mount: &Mount, source: PathBuf) -> Result<Bind, LaunchError> {
    let failed = |source| LaunchError::Source { path: mount.source.clone(), source };
    let source = std::fs::canonicalize(source).map_err(failed)?;
    let source = source.into_os_string().into_string().map_err(|_| {
        failed(io::Error::new(io::ErrorKind::InvalidInput, "engines take no path that is not UTF-8"))
    })?;
    Ok(Bind { source, target: inside(&mount.target)?, writable: mount.access != Access::ReadOnly })
}

/// A mount must not be made through a link that lies in the root or in another mount: engines would follow it to another place inside.
fn link_on_the_way(policy: &Policy, parts: &[Part], binds: &[Bind], target: &Path) -> Option<PathBuf> {
    let made = parts.iter().filter_map(|part| match part {
        Part::Link { path, .. } => Some(Path::new("/").join(path)),
        _ => None,
    });
    let root = match &policy.root {
        Root::Directory { path, .. } => Some((path.as_path(), Path::new("/"))),
        Root::Host => None,
    };
    let mounted = binds.iter().map(|bind| (Path::new(&bind.source), Path::new(&bind.target)));
    made.into_iter()
        .find(|link| target.starts_with(link))
        .or_else(|| root.into_iter().chain(mounted).find_map(|(source, at)| link_within(source, at, target)))
}

/// The first link on the way to a place in a directory that is seen at another place.
fn link_within(source: &Path, at: &Path, target: &Path) -> Option<PathBuf> {
    let mut place = source.to_owned();
    let within = target.strip_prefix(at).ok()?.components();
    within.filter(|component| *component != Component::CurDir).find_map(|component| {
        place.push(component);
        is_link(&place).then(|| place.clone())
    })
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}
