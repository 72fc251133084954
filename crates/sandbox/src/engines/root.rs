//! Root file systems in an engine's own store: imported once, under a name that is their digest.
//!
//! A directory is imported whole. Of this machine's own programs only the places are, and the programs are mounted there.

mod archive;
mod places;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bollard::query_parameters::{CreateImageOptionsBuilder, RemoveImageOptions};
use futures_util::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};

use super::connection::{Connection, is_absent};
use super::pipe;
use super::{Kind, first};
use crate::backend::LaunchError;
use crate::host_root::Part;

/// Makes sure that a directory is in the engine's store, and gives the name of its image.
pub(super) async fn import(
    connection: &Connection,
    directory: &Path,
    digest: &str,
) -> Result<String, LaunchError> {
    let image = image(connection, digest)?;
    if !is_there(connection, &image).await? {
        let failed = |source| LaunchError::Source { path: directory.to_owned(), source };
        let root: PathBuf = std::fs::canonicalize(directory).map_err(failed)?;
        let first = first::program().ok_or_else(|| failed(io::ErrorKind::Unsupported.into()))?;
        send(connection, directory, &image, move |writer| archive::write(&root, &first, writer)).await?;
    }
    Ok(image)
}

/// Makes sure that the places for this machine's own programs are in the engine's store, and gives the name of their image.
pub(super) async fn import_places(connection: &Connection, parts: &[Part]) -> Result<String, LaunchError> {
    let failed = |source| LaunchError::Source { path: PathBuf::from("/"), source };
    let first = first::program().ok_or_else(|| failed(io::ErrorKind::Unsupported.into()))?;
    let archive = places::archive(parts, &first).map_err(failed)?;
    let digest: String = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
    let image = image(connection, &format!("sha256:{digest}"))?;
    if !is_there(connection, &image).await? {
        let write = move |mut writer: pipe::Writer| writer.write_all(&archive).and_then(|()| writer.flush());
        send(connection, Path::new("/"), &image, write).await?;
    }
    Ok(image)
}

/// Removes a root from the engine's store; whether it was there. A launch that needs it imports it again.
pub(super) async fn forget(connection: &Connection, digest: &str) -> Result<bool, LaunchError> {
    let image = image(connection, digest)?;
    match connection.client.remove_image(&image, None::<RemoveImageOptions>, None).await {
        Ok(_) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(connection.refused()(error)),
    }
}

/// `guild/root:<digest>-<program>`, the latter for the program of ours that is in it; Podman keeps it under the name of this machine.
fn image(connection: &Connection, digest: &str) -> Result<String, LaunchError> {
    let hex = digest.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
    let hex =
        hex.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)));
    let hex = hex.ok_or_else(|| LaunchError::InvalidPolicy {
        reason: format!("`{}` is no digest of a root file system", digest.escape_default()),
    })?;
    let registry = if connection.facts.engine == Kind::Podman { "localhost/" } else { "" };
    let program = first::program().unwrap_or_default();
    let program: String = Sha256::digest(program).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{registry}guild/root:{hex}-{program}"))
}

async fn is_there(connection: &Connection, image: &str) -> Result<bool, LaunchError> {
    match connection.client.inspect_image(image).await {
        Ok(_) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(connection.refused()(error)),
    }
}

/// Streams the archive of what lies at `source`. An engine has the image whole or not at all.
async fn send(
    connection: &Connection,
    source: &Path,
    image: &str,
    write: impl FnOnce(pipe::Writer) -> io::Result<()> + Send + 'static,
) -> Result<(), LaunchError> {
    let failed = |error| LaunchError::Source { path: source.to_owned(), source: error };
    let (writer, chunks) = pipe::writer();
    let writing = tokio::task::spawn_blocking(move || write(writer));
    let body = bollard::body_try_stream(stream::unfold(chunks, |mut chunks| async {
        chunks.recv().await.map(|chunk| (chunk, chunks))
    }));
    // Docker takes the tag apart from the name, Podman reads it in the name alone.
    let options = CreateImageOptionsBuilder::default().from_src("-");
    let options = match (connection.facts.engine, image.rsplit_once(':')) {
        (Kind::Docker, Some((name, tag))) => options.repo(name).tag(tag),
        _ => options.repo(image),
    };
    let client = connection.patient();
    let answers = client.create_image(Some(options.build()), Some(body), None);
    let sent = answers.map(|answer| answer.map(drop)).try_collect::<()>().await;
    let written = writing.await.map_err(|_| LaunchError::Ended)?;
    match (sent, written) {
        // Nobody reads any more what an engine has refused.
        (Err(error), Err(broken)) if broken.kind() == io::ErrorKind::BrokenPipe => {
            return Err(connection.refused()(error));
        }
        (_, Err(error)) => return Err(failed(error)),
        (sent, Ok(())) => sent.map_err(connection.refused())?,
    }
    if is_there(connection, image).await? {
        return Ok(());
    }
    let message = format!("it has imported {} and does not know it", source.display());
    Err(LaunchError::Engine { backend: connection.backend, message })
}
