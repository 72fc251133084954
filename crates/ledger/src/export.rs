//! A chain as a file of JSON lines, and checking such a file without any ledger.
//!
//! The first line says whose chain it is, with the public key and the signed head; each other line is one receipt as it was
//! signed. A file proves nothing about the key in it: whoever checks it says which key they expect.

use std::io::{self, BufRead, Read, Write};

use guild_manifest::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::MAX_TEXT;
use crate::head::SignedHead;
use crate::verify::{Broken, Fault, Link, PAGE, Report, Skim, Walk, check};
use crate::{HeadError, InstallationId, Ledger, PublicKey, StoreError, Timestamp};

const FORMAT: &str = "guild-receipts";
const VERSION: u32 = 1;

// A line with a receipt: `{"receipt":…,"signature":"…"}`.
const RECEIPT: &str = r#"{"receipt":"#;
const SIGNATURE: &str = r#","signature":""#;
const END: &str = r#""}"#;

/// Why a chain was not exported, or a file of one not checked.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file cannot be written or read.
    #[error("cannot write or read the receipts' file")]
    Io(#[from] io::Error),
    /// The ledger cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The head cannot be read.
    #[error(transparent)]
    Head(#[from] HeadError),
    /// There is no chain of this installation, or its key is unknown.
    #[error("there is no chain of {0} here")]
    NoChain(InstallationId),
    /// It is no file of receipts.
    #[error("this is not a file of receipts")]
    NotReceipts,
    /// A newer Guildhall has written it.
    #[error("the file has version {found}, and this program reads {VERSION}")]
    Newer {
        /// Its version.
        found: u32,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    at: Timestamp,
    public_key: PublicKey,
    head: Option<SignedHead>,
}

impl Ledger {
    /// Writes a chain as JSON lines, this installation's or another's, and gives the number of receipts. The head is written
    /// only for this installation's own, as no other is known here.
    ///
    /// # Errors
    /// Where the ledger cannot be read or the file not be written.
    pub async fn export(
        &self,
        now: Timestamp,
        installation: &InstallationId,
        out: &mut (dyn Write + Send),
    ) -> Result<u64, ExportError> {
        let is_ours = installation == self.installation();
        let head = if is_ours { self.head.read(&self.key.public)? } else { None };
        let public_key = self.chain_key(installation).await?;
        let head = head.map(|head| head.sign(&self.key));
        let header = Header { format: FORMAT.to_owned(), version: VERSION, at: now, public_key, head };
        let header = canonical::to_string(&header).map_err(io::Error::from)?;
        writeln!(out, "{header}")?;
        let (mut last, mut count) = (0, 0);
        loop {
            let links = self.page(installation, last).await?;
            let Some(link) = links.last() else { break };
            last = link.seq;
            for link in &links {
                writeln!(out, "{RECEIPT}{}{SIGNATURE}{}{END}", link.text, link.signature)?;
                count += 1;
            }
        }
        Ok(count)
    }

    async fn chain_key(&self, installation: &InstallationId) -> Result<PublicKey, ExportError> {
        if installation == self.installation() {
            return Ok(self.key.public);
        }
        let chains = self.chains().await?;
        let key =
            chains.iter().find(|(id, _)| id == installation.as_str()).and_then(|(_, key)| key.parse().ok());
        key.ok_or_else(|| ExportError::NoChain(installation.clone()))
    }
}

/// Checks a file of receipts, which has to be signed with the `expected` key if one is given. The report names the installation
/// that signed it.
///
/// # Errors
/// Where it cannot be read or is no such file.
pub fn verify_export(file: impl BufRead, expected: Option<&PublicKey>) -> Result<Report, ExportError> {
    let mut lines = Lines { file };
    let header = lines.next_line()?.ok_or(ExportError::NotReceipts)?;
    let header = read_header(&header)?;
    let key = header.public_key;
    let mut report = Report::default();
    let installation = key.installation().to_string();
    if expected.is_some_and(|expected| *expected != key) {
        report.fault(Broken::of_chain(&installation, Fault::KeyUnexpected));
    }
    let head = match header.head {
        Some(head) if head.is_signed_by(&key) => Some(head.head),
        Some(_) => {
            report.fault(Broken::of_chain(&installation, Fault::HeadUnreadable));
            None
        }
        None => {
            report.fault(Broken::of_chain(&installation, Fault::HeadMissing));
            None
        }
    };
    let mut walk = Walk::new(key, head);
    let mut number = 0;
    loop {
        let mut page = Vec::new();
        while page.len() < PAGE
            && let Some(line) = lines.next_line()?
        {
            let link = read_link(&line, number + 1);
            number = link.seq;
            page.push(link);
        }
        if page.is_empty() {
            let chain = walk.finish(&mut report);
            report.chains.push(chain);
            return Ok(report);
        }
        walk.take_all(check(&key, page), &mut report);
    }
}

fn read_header(line: &str) -> Result<Header, ExportError> {
    let value: Value = serde_json::from_str(line).map_err(|_| ExportError::NotReceipts)?;
    let version =
        value.get("version").and_then(Value::as_u64).and_then(|version| u32::try_from(version).ok());
    match (value.get("format").and_then(Value::as_str), version) {
        (Some(FORMAT), Some(found)) if found > VERSION => Err(ExportError::Newer { found }),
        (Some(FORMAT), Some(_)) => serde_json::from_value(value).map_err(|_| ExportError::NotReceipts),
        _ => Err(ExportError::NotReceipts),
    }
}

/// The receipt in a line, exactly as it was signed; its number is the one that it says, or the `next` one where it says none.
fn read_link(line: &str, next: u64) -> Link {
    let parts = || {
        let (receipt, signature) = line.strip_prefix(RECEIPT)?.rsplit_once(SIGNATURE)?;
        Some((receipt, signature.strip_suffix(END)?))
    };
    let (text, signature) = parts().unwrap_or_default();
    let seq = Skim::read(text).map_or(next, |skim| skim.seq);
    Link { seq, text: text.to_owned(), signature: signature.to_owned(), columns: None }
}

/// The lines of a file, none of them longer than a receipt can be.
struct Lines<F> {
    file: F,
}

impl<F: BufRead> Lines<F> {
    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let longest = MAX_TEXT as u64 + 4096;
        let read = self.file.by_ref().take(longest).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        Ok(Some(String::from_utf8_lossy(line).into_owned()))
    }
}
