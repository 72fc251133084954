//! The life of a supervisor: it starts the container, answers whoever connects, and ends with it.

use std::error::Error as _;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use super::forward::{first, forward};
use super::frame::{Answer, Frame, Request};
use super::record::Record;
use super::registry::{Registry, RegistryError, at};
use super::socket;
use crate::backend::{Backend, Container, LaunchError, RefusalKind};
use crate::outcome::Outcome;

/// How often it looks whether the container still lives.
const LOOK: Duration = Duration::from_millis(200);

/// The one line that a supervisor writes, when the container is ready or cannot be made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Said {
    Ready,
    Refused { kind: RefusalKind, message: String },
}

/// Supervises the container whose directory this is, until it ends. `backend` gives a runtime by its name; `ready` is where the launcher
/// listens, and is closed once it knows.
pub async fn supervise(
    place: &Path,
    backend: impl AsyncFnOnce(&str) -> Option<Box<dyn Backend>>,
    mut ready: impl Write,
) -> Result<(), RegistryError> {
    let (registry, mut record) = read(place)?;
    let _held = registry.hold(&record.id)?;
    // Where this fails the image is gone, and starting the container tells so.
    let _image = crate::image::Hold::of(&record.policy.root);
    let started = match backend(&record.backend).await {
        Some(backend) => backend.start(&record.policy).await,
        None => Err(LaunchError::Ended),
    };
    let container = match started {
        Ok(container) => container,
        Err(error) => {
            say(&mut ready, &Said::Refused { kind: error.kind(), message: error.explanation() });
            return Ok(());
        }
    };
    record.supervisor = std::process::id();
    let listener = match registry.write(&record).and_then(|()| listen(&registry, &record)) {
        Ok(listener) => listener,
        Err(error) => {
            let message = with_cause(&error);
            say(&mut ready, &Said::Refused { kind: RefusalKind::Step, message });
            return Err(error);
        }
    };
    say(&mut ready, &Said::Ready);
    drop(ready);
    serve(listener, container).await;
    registry.forget(&record.id);
    Ok(())
}

fn read(place: &Path) -> Result<(Registry, Record), RegistryError> {
    let path = place.join("record.json");
    let bytes = fs::read(&path).map_err(|source| at(&path, source))?;
    let record: Record = serde_json::from_slice(&bytes).map_err(|error| at(&path, error.into()))?;
    let directory = place.parent().unwrap_or(place);
    Ok((Registry::open(directory)?, record))
}

fn listen(registry: &Registry, record: &Record) -> Result<UnixListener, RegistryError> {
    let place = registry.place(&record.id);
    let socket = place.join(socket::NAME);
    let listener = socket::listen(&place).map_err(|source| at(&socket, source))?;
    let owner_only = fs::Permissions::from_mode(0o600);
    fs::set_permissions(&socket, owner_only).map_err(|source| at(&socket, source))?;
    Ok(listener)
}

fn with_cause(error: &RegistryError) -> String {
    let cause = error.source().map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}

fn say(to: &mut impl Write, said: &Said) {
    // A launcher that is gone has nobody to tell.
    let _ = serde_json::to_writer(&mut *to, said).map_err(io::Error::from).and_then(|()| writeln!(to));
    let _ = to.flush();
}

async fn serve(listener: UnixListener, container: Box<dyn Container>) {
    let container: Arc<dyn Container> = Arc::from(container);
    let stop = Arc::new(Notify::new());
    loop {
        let next = tokio::time::timeout(LOOK, first(stop.notified(), listener.accept())).await;
        match next {
            Ok(None) => return,
            Ok(Some(Ok((stream, _)))) => {
                tokio::spawn(answer(stream, Arc::clone(&container), Arc::clone(&stop)));
            }
            Ok(Some(Err(_))) | Err(_) => {}
        }
        if !container.alive().await {
            return;
        }
    }
}

async fn answer(mut stream: UnixStream, container: Arc<dyn Container>, stop: Arc<Notify>) {
    let Ok(Some(Frame::Request(bytes))) = Frame::read(&mut stream).await else { return };
    let answer = match serde_json::from_slice(&bytes) {
        Ok(Request::Stop) => {
            stop.notify_one();
            Answer::Stopped
        }
        Ok(Request::Exec { command, mounts, timeout_ms }) => {
            let timeout = Duration::from_millis(timeout_ms);
            match container.exec(&command, &mounts, timeout).await {
                Ok(child) => forward(&mut stream, child).await.map_or_else(refused, ended),
                Err(error) => refused(error),
            }
        }
        Err(_) => refused(LaunchError::InvalidPolicy { reason: "the request cannot be read".to_owned() }),
    };
    if let Ok(bytes) = serde_json::to_vec(&answer) {
        let _ = Frame::Answer(bytes).write(&mut stream).await;
    }
}

fn ended(mut outcome: Outcome) -> Answer {
    // The bytes have been sent already.
    outcome.stdout.bytes.clear();
    outcome.stderr.bytes.clear();
    Answer::Ended(Box::new(outcome))
}

fn refused(error: LaunchError) -> Answer {
    Answer::Refused { kind: error.kind(), message: error.explanation() }
}
