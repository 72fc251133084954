//! From whoever answers to the call that waits, which may be another process: a file, encrypted, its owner's alone, and read once.
//!
//! It is named after the request and the digest that the receipt has: of several who answer at once, the one counts who was heard.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_ledger::RequestId;
use serde_json::{Map, Value};

use crate::{Books, Code, Refusal};

/// What of a digest tells two answers apart.
const DIGITS: usize = 16;

/// Leaves values for the call that waits for this request.
pub(super) fn put(
    books: &Books,
    (request, digest): (RequestId, &str),
    values: &Map<String, Value>,
) -> Result<(), Refusal> {
    let text = Value::Object(values.clone()).to_string();
    let sealed = books.ledger.seal(&context(request), &text);
    let sealed = sealed.map_err(|error| Refusal::new(Code::SecretUnreadable, error.to_string()))?;
    write(books, &path(books, request, digest), &sealed)
        .map_err(|error| Refusal::new(Code::WriteFailed, error.to_string()))
}

/// The values that were left for a request, which are gone then.
pub(super) fn take(books: &Books, request: RequestId, digest: &str) -> Option<Map<String, Value>> {
    let path = path(books, request, digest);
    let sealed = fs::read_to_string(&path).ok()?;
    fs::remove_file(&path).ok()?;
    let text = books.ledger.unseal(&context(request), &sealed).ok()?;
    serde_json::from_str(&text).ok()
}

/// Removes what nobody waits for any more.
pub(super) fn sweep(books: &Books, patience: Duration) {
    let entries = fs::read_dir(books.answers()).into_iter().flatten().flatten();
    for entry in entries {
        let age =
            entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > patience) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

fn write(books: &Books, path: &Path, sealed: &str) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(books.answers())?;
    // A temporary file is its owner's alone from the beginning.
    let mut file = tempfile::NamedTempFile::new_in(books.answers())?;
    file.write_all(sealed.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

fn path(books: &Books, request: RequestId, digest: &str) -> PathBuf {
    let digits: String = digest.chars().rev().take_while(char::is_ascii_hexdigit).take(DIGITS).collect();
    books.answers().join(format!("{request}-{digits}"))
}

fn context(request: RequestId) -> String {
    format!("answer {request}")
}
