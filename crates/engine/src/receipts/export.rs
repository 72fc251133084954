//! `receipts export`: this installation's chain as a file that others can check without it.

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Seek as _, Write};
use std::path::Path;

use guild_ledger::{ExportError, Principal, Role, Timestamp};
use tempfile::NamedTempFile;

use crate::cause::with_cause;
use crate::reply::ReceiptsExport;
use crate::{Books, Code, Envelope, Refusal};

/// Writes the chain to a file, which appears whole or not at all and is never overwritten.
pub async fn receipts_export(books: &Books, now: Timestamp, path: &Path) -> Envelope<ReceiptsExport> {
    match export(books, now, path).await {
        Ok(reply) => Envelope::ok(reply),
        Err(refusal) => refusal.into_envelope(),
    }
}

/// The chain as a file without a name, which goes when it is closed; for a person, wherever they are.
///
/// # Errors
/// Where an agent asks, or where the chain cannot be read or written.
pub async fn receipts_exported(books: &Books, now: Timestamp, by: &Principal) -> Result<fs::File, Refusal> {
    books.authorise(now, by, Role::Viewer).await?;
    let unwritten = |error: &dyn Error| {
        Refusal::new(Code::WriteFailed, format!("cannot write the receipts: {}", with_cause(error)))
    };
    let mut file = tempfile::tempfile().map_err(|error| unwritten(&error))?;
    let mut out = BufWriter::new(&mut file);
    written(books, now, &mut out, &unwritten).await?;
    drop(out);
    file.rewind().map_err(|error| unwritten(&error))?;
    Ok(file)
}

/// Writes the chain out, and says how many receipts that were.
async fn written(
    books: &Books,
    now: Timestamp,
    out: &mut (impl Write + Send),
    unwritten: &(dyn Fn(&dyn Error) -> Refusal + Sync),
) -> Result<u64, Refusal> {
    let count = books.ledger.export(now, books.ledger.installation(), out).await;
    let count = count.map_err(|error| match error {
        ExportError::Store(error) => books.refusal(error),
        ExportError::Head(error) => books.refusal(error),
        other => unwritten(&other),
    })?;
    out.flush().map_err(|error| unwritten(&error))?;
    Ok(count)
}

async fn export(books: &Books, now: Timestamp, path: &Path) -> Result<ReceiptsExport, Refusal> {
    let unwritten = |error: &dyn Error| {
        let message = format!("cannot write {}: {}", path.display(), with_cause(error));
        Refusal::new(Code::WriteFailed, message)
    };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Asked first, lest the message be about a file that nobody has named.
    fs::metadata(directory).map_err(|error| unwritten(&error))?;
    let mut file = NamedTempFile::new_in(directory).map_err(|error| unwritten(&error))?;
    let mut out = BufWriter::new(file.as_file_mut());
    let count = written(books, now, &mut out, &unwritten).await?;
    drop(out);
    file.as_file().sync_all().map_err(|error| unwritten(&error))?;
    file.persist_noclobber(path).map_err(|error| unwritten(&error.error))?;
    let public_key = books.ledger.public_key().to_string();
    let (path, installation) = (path.display().to_string(), books.ledger.installation().to_string());
    Ok(ReceiptsExport { path, count, installation, public_key })
}
