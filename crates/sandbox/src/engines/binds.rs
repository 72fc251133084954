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
use crate::policy::{Access, Mount, Policy};

/// A directory or file of the host, seen inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bind {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) writable: bool,
}

/// Makes ready what is to be mounted.
pub(super) async fn prepare(policy: &Policy, connection: &Connection) -> Result<Vec<Bind>, LaunchError> {
    let mut binds: Vec<Bind> = Vec::new();
    for mount in &policy.mounts {
        let source = match &mount.access {
            Access::CopyOnWrite { layer } => copy::prepare(mount, layer, policy.user, connection).await?,
            _ => mount.source.clone(),
        };
        refuse_links(&binds, mount)?;
        binds.push(bind(mount, source)?);
    }
    Ok(binds)
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

/// A mount within another one must not be made through a link that lies there: engines would follow it to another place inside.
fn refuse_links(binds: &[Bind], mount: &Mount) -> Result<(), LaunchError> {
    for outer in binds {
        let Ok(within) = mount.target.strip_prefix(&outer.target) else { continue };
        let mut place = PathBuf::from(&outer.source);
        for component in within.components().filter(|component| *component != Component::CurDir) {
            place.push(component);
            if is_link(&place) {
                let step = format!("mount {} at {}", mount.source.display(), mount.target.display());
                let source = io::Error::other(format!("{} is a symbolic link", place.display()));
                return Err(LaunchError::Step { step, source });
            }
        }
    }
    Ok(())
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}
