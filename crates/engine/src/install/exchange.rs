//! `import` and `export`: what is installed, taken to other machines and installers and brought from them. What a file is, its content says.

use super::Installer;
use super::bundle::{export_bundle, import_bundle, is_bundle};
use super::foreign::{ForeignForm, ImportRequest, export_lock, import_lock};
use super::place::Scope;
use crate::cause::with_cause;
use crate::reply::{Export, Import};
use crate::{Code, Envelope, Refusal, counted};
use guild_ledger::Timestamp;
use guild_source::bounded;
use guild_source::foreign::{self, is_lock};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// No lock is longer.
const MOST_BYTES: u64 = 16 << 20;

/// What to write, and where.
pub struct ExportRequest<'a> {
    /// The file.
    pub path: &'a Path,
    /// What is written into it.
    pub form: ExportForm,
    /// Whose installation.
    pub scope: Scope,
    /// What becomes of a file that is there.
    pub there: There,
    /// The moment.
    pub now: Timestamp,
}

/// What becomes of a file that is there where one is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum There {
    /// It stays, and nothing is written.
    Stays,
    /// Another one takes its place.
    Goes,
    /// It is a lock, and keeps what it says of others.
    Merged,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// Everything, for a machine without a network.
    Bundle {
        /// Whether the chain of receipts comes with it.
        receipts: bool,
    },
    /// A lock for another installer.
    Lock(ForeignForm),
}

/// Installs what a file says that others have.
pub async fn import(desk: &Installer<'_>, request: &ImportRequest<'_>) -> Envelope<Import> {
    let mut reply = Import { scope: request.scope.word(), ..Import::default() };
    match imported(desk, request, &mut reply).await {
        Ok(message) => Envelope::ok(reply).with_message(message),
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

async fn imported(
    desk: &Installer<'_>,
    request: &ImportRequest<'_>,
    reply: &mut Import,
) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    let is_no_file = || io::Error::other("it is no file");
    let seen =
        fs::metadata(request.path).and_then(|seen| seen.is_file().then_some(()).ok_or_else(is_no_file));
    let read = seen.and_then(|()| File::open(request.path)?.take(MOST_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| {
        let code =
            if error.kind() == io::ErrorKind::NotFound { Code::PathNotFound } else { Code::ReadFailed };
        Refusal::new(code, format!("cannot read {}: {error}", request.path.display()))
    })?;
    if is_lock(&bytes) {
        return import_lock(desk, request, &bytes, reply).await;
    }
    if is_bundle(&bytes) {
        return import_bundle(desk, request, reply).await;
    }
    if bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"<<<<<<< ")) {
        let message =
            format!("a merge of {} was not finished; keep what is to be installed", request.path.display());
        return Err(Refusal::new(Code::LockInvalid, message));
    }
    let message = format!("{} is neither a bundle nor a lock of skills", request.path.display());
    Err(Refusal::new(Code::LockInvalid, message))
}

/// Writes what is installed into a file for others.
pub async fn export(desk: &Installer<'_>, request: &ExportRequest<'_>) -> Envelope<Export> {
    let mut reply = Export { scope: request.scope.word(), ..Export::default() };
    match exported(desk, request, &mut reply).await {
        Ok(()) => {
            let left = match reply.skipped.len() {
                0 => String::new(),
                count => format!(", {} left out", counted(count, "skill")),
            };
            let more = match reply.form {
                "bundle" => {
                    let receipts = counted(usize::try_from(reply.receipts).unwrap_or(usize::MAX), "receipt");
                    format!(", with {} and {receipts}", counted(reply.grants, "approval"))
                }
                _ => String::new(),
            };
            let message = format!("{} exported{left}{more}", reply.exported.len());
            Envelope::ok(reply).with_message(message)
        }
        // Nothing was exported, whatever had been gathered for it.
        Err(Refusal { code, message }) => {
            let reply = Export { scope: reply.scope, form: reply.form, ..Export::default() };
            Envelope::error(code, message, reply)
        }
    }
}

async fn exported(
    desk: &Installer<'_>,
    request: &ExportRequest<'_>,
    reply: &mut Export,
) -> Result<(), Refusal> {
    let bytes = match request.form {
        ExportForm::Bundle { .. } if request.there == There::Merged => {
            return Err(Refusal::new(
                Code::LockInvalid,
                "a bundle is signed as a whole; only a lock is merged with",
            ));
        }
        ExportForm::Bundle { receipts } => export_bundle(desk, request.scope, receipts, reply).await?,
        ExportForm::Lock(form) => {
            let text = export_lock(desk, request.scope, form, request.now, reply).await?;
            merged(request, text)?.into_bytes()
        }
    };
    write(request.path, request.there != There::Stays, |file| file.write_all(&bytes))?;
    reply.path = Some(request.path.to_string_lossy().into_owned());
    Ok(())
}

/// The lock to write, with what the one that is there says of others where that is to stay.
fn merged(request: &ExportRequest<'_>, text: String) -> Result<String, Refusal> {
    if request.there != There::Merged {
        return Ok(text);
    }
    match bounded::read(request.path, MOST_BYTES) {
        Ok(there) => foreign::merged(&text, &there).map_err(|error| {
            let message = format!("{} cannot be merged with: {error}", request.path.display());
            Refusal::new(Code::LockInvalid, message)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(text),
        Err(error) => {
            let message = format!("cannot read {}: {error}", request.path.display());
            Err(Refusal::new(Code::ReadFailed, message))
        }
    }
}

/// Writes a file whole or not at all, and over another one only where that is asked for.
fn write(
    path: &Path,
    replace: bool,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Refusal> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = || -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".guild-export-").tempfile_in(directory)?;
        content(file.as_file_mut())?;
        file.as_file().sync_all()?;
        let placed = if replace { file.persist(path) } else { file.persist_noclobber(path) };
        placed.map(drop).map_err(|error| error.error)
    };
    written().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let message = format!(
                "{} is there already; `--replace` writes over it, and `--merge` adds to a lock",
                path.display()
            );
            Refusal::new(Code::AlreadyExists, message)
        }
        _ => Refusal::new(
            Code::WriteFailed,
            format!("cannot write {}: {}", path.display(), with_cause(&error)),
        ),
    })
}
