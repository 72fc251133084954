//! `receipts verify`: whether anybody has rewritten history, in the ledger or in a file that was taken out of it.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use guild_ledger::{ExportError, PublicKey, Report, verify_export};

use crate::cause::with_cause;
use crate::counted::counted;
use crate::reply::ReceiptsVerify;
use crate::{Books, Code, Envelope, Refusal};

/// Checks everything that the ledger holds; it fails with `receipts_broken` if anything was changed.
pub async fn receipts_verify(books: &Books) -> Envelope<ReceiptsVerify> {
    match books.ledger.verify().await {
        Ok(report) => envelope(&report, Some(books.ledger.public_key())),
        Err(error) => books.refusal(error).into_envelope(),
    }
}

/// Checks a file of receipts, without any ledger; `key` is the one that has to have signed it, where it is known.
pub fn receipts_verify_file(path: &Path, key: Option<&PublicKey>) -> Envelope<ReceiptsVerify> {
    match verify_file(path, key) {
        Ok(report) => envelope(&report, None),
        Err(refusal) => refusal.into_envelope(),
    }
}

fn verify_file(path: &Path, key: Option<&PublicKey>) -> Result<Report, Refusal> {
    let shown = path.display();
    let unread = |error: &dyn std::error::Error| {
        Refusal::new(Code::ReadFailed, format!("cannot read {shown}: {}", with_cause(error)))
    };
    let file = File::open(path).map_err(|error| unread(&error))?;
    verify_export(BufReader::new(file), key).map_err(|error| match &error {
        ExportError::Newer { .. } => Refusal::new(Code::LedgerNewer, format!("{shown}: {error}")),
        other => unread(other),
    })
}

fn envelope(report: &Report, key: Option<PublicKey>) -> Envelope<ReceiptsVerify> {
    let reply = ReceiptsVerify::of(report, key);
    let receipts = counted(usize::try_from(reply.count).unwrap_or(usize::MAX), "receipt");
    if reply.verified {
        return Envelope::ok(reply).with_message(format!("{receipts} verified"));
    }
    let faults = counted(reply.broken.len() + usize::try_from(report.more).unwrap_or(usize::MAX), "fault");
    Envelope::error(Code::ReceiptsBroken, format!("{faults} in {receipts}"), reply)
}
