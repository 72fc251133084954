//! One blob: fetched to its end, in several attempts where it must be, and held to its digest.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use oci_client::client::BlobResponse;
use oci_client::errors::OciDistributionError;

use super::failure::{failed, innermost, is_passing, wait};
use super::{PullError, Session};
use crate::image::digest::{Digest, Digesting};
use crate::image::documents::Descriptor;
use crate::image::error::ImageError;
use crate::image::event::Event;
use crate::image::lock::{Lock, Mode};

/// How an attempt ended.
enum Attempt {
    Whole,
    /// It may go on from where it stopped.
    Stopped(OciDistributionError),
    /// The registry sends something else than it said.
    Wrong(ImageError),
}

impl Session<'_> {
    /// The bytes of a blob in a file of the store: what is there already, else what is fetched.
    pub(super) async fn blob(&self, blob: &Descriptor) -> Result<File, PullError> {
        let path = self.store.blobs().join(blob.digest.hex());
        if let Some(file) = self.found(&path, blob).await {
            return Ok(file);
        }
        let part = lock(path.with_extension("part")).await?;
        // Whoever held it before may have brought it to its end.
        if let Some(file) = self.found(&path, blob).await {
            drop(part.temporary());
            return Ok(file);
        }
        if let Err(error) = self.fill(&part, blob).await {
            // Nothing to go on from.
            if part.file().metadata().is_ok_and(|metadata| metadata.len() == 0) {
                drop(part.temporary());
            }
            return Err(error);
        }
        let storing = ImageError::io("write", &path);
        std::fs::rename(path.with_extension("part"), &path).map_err(storing)?;
        self.request.listener.tell(&Event::Fetched {
            digest: blob.digest,
            bytes: blob.size,
            was_there: false,
        });
        Ok(File::open(&path).map_err(ImageError::io("read", &path))?)
    }

    /// A blob that is there and is what it should be.
    async fn found(&self, path: &Path, blob: &Descriptor) -> Option<File> {
        let file = File::open(path).ok()?;
        check(&file, blob.digest).await.ok()?;
        let event = Event::Fetched { digest: blob.digest, bytes: blob.size, was_there: true };
        self.request.listener.tell(&event);
        Some(file)
    }

    /// Fetches what a part lacks, until it is whole and what it should be.
    async fn fill(&self, part: &Lock, blob: &Descriptor) -> Result<(), PullError> {
        let writing = |error| PullError::Image(ImageError::reading(&format!("blob {}", blob.digest), error));
        let mut attempt = 1;
        loop {
            let was_resumed = part.file().metadata().map_err(writing)?.len() > 0;
            let patience = self.request.patience;
            match self.attempt(part, blob).await.map_err(writing)? {
                Attempt::Whole => match check(part.file(), blob.digest).await {
                    Ok(()) => return Ok(()),
                    // What was there before may have been the wrong part.
                    Err(PullError::Image(ImageError::Mismatch { .. })) if was_resumed => {
                        part.file().set_len(0).map_err(writing)?;
                    }
                    Err(error) => {
                        part.file().set_len(0).map_err(writing)?;
                        return Err(error);
                    }
                },
                Attempt::Stopped(error) if is_passing(&error) && attempt < patience.attempts => {
                    wait(self.request, attempt, &innermost(&error)).await;
                }
                Attempt::Stopped(error) => return Err(failed(&self.reference, error)),
                Attempt::Wrong(error) => {
                    part.file().set_len(0).map_err(writing)?;
                    return Err(error.into());
                }
            }
            attempt += 1;
        }
    }

    /// Fetches from where the part ends.
    async fn attempt(&self, part: &Lock, blob: &Descriptor) -> io::Result<Attempt> {
        let mut file = part.file();
        let mut size = file.metadata()?.len();
        if size > blob.size {
            file.set_len(0)?;
            size = 0;
        }
        if size == blob.size {
            return Ok(Attempt::Whole);
        }
        let digest = blob.digest.to_string();
        let response = match size {
            0 => self.client.pull_blob_stream(&self.reference, digest.as_str()).await.map(BlobResponse::Full),
            _ => self.client.pull_blob_stream_partial(&self.reference, digest.as_str(), size, None).await,
        };
        let mut stream = match response {
            Ok(BlobResponse::Partial(stream)) => stream.stream,
            Ok(BlobResponse::Full(stream)) => {
                file.set_len(0)?;
                size = 0;
                stream.stream
            }
            Err(error) => return Ok(Attempt::Stopped(error)),
        };
        while let Some(bytes) = stream.next().await {
            let bytes = match bytes {
                Ok(bytes) => bytes,
                Err(error) => return Ok(stopped(error, size, blob)),
            };
            size += bytes.len() as u64;
            if size > blob.size {
                let reason = format!("the registry sends more than the {} bytes that it has", blob.size);
                return Ok(Attempt::Wrong(ImageError::invalid(format!("blob {digest}"), reason)));
            }
            file.write_all(&bytes)?;
            self.request.listener.tell(&Event::Received { bytes: bytes.len() as u64 });
        }
        if size < blob.size {
            return Ok(Attempt::Stopped(io::Error::from(io::ErrorKind::UnexpectedEof).into()));
        }
        Ok(Attempt::Whole)
    }
}

/// A stream that broke off. One that has come to its end and complains of its digest is judged by the check of the whole.
fn stopped(error: io::Error, size: u64, blob: &Descriptor) -> Attempt {
    if size == blob.size { Attempt::Whole } else { Attempt::Stopped(error.into()) }
}

/// Digests a blob beside the thread that waits for it.
async fn check(file: &File, expected: Digest) -> Result<(), PullError> {
    let what = format!("blob {expected}");
    let reading = |error| ImageError::reading(&what, error);
    let file = file.try_clone().map_err(reading)?;
    let section = crate::image::section::Section::whole(file).map_err(reading)?;
    let digested = tokio::task::spawn_blocking(move || {
        let mut reader = Digesting::new(section);
        io::copy(&mut reader, &mut io::sink()).map(|_| reader.finish().0)
    });
    let found = digested.await.map_err(|error| reading(io::Error::other(error)))?.map_err(reading)?;
    if found == expected {
        return Ok(());
    }
    Err(ImageError::Mismatch { what, expected, found }.into())
}

/// Locks a part beside the thread that waits for it: somebody else may be fetching the same blob.
async fn lock(path: PathBuf) -> Result<Lock, PullError> {
    let taking = path.clone();
    let lock = tokio::task::spawn_blocking(move || Lock::take(&taking, Mode::Alone));
    let lock = lock.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    let lock = lock.and_then(|lock| lock.ok_or_else(|| io::ErrorKind::WouldBlock.into()));
    Ok(lock.map_err(ImageError::io("lock", &path))?)
}
