//! Writing a bundle: out of the store, and not out of the directories, so that it is what the lock says.

use super::{FORMAT, GRANTS, HEAD, Head, LOCK, RECEIPTS, SIGNATURE, VERSION, blob, grants};
use crate::install::place::{Scope, site};
use crate::install::refetch::Refetch;
use crate::install::{Installer, Registrar, failure};
use crate::reply::{Export, ExportLine, SkippedLine};
use crate::{Code, Refusal};
use guild_ledger::ExportError;
use guild_manifest::{Digest, canonical};
use guild_source::archive::Packer;
use guild_source::lock::{Entry, Lock};
use std::collections::BTreeSet;
use std::io;

/// The bytes of a bundle with everything that is installed in a scope.
///
/// # Errors
/// Where something of it is not in the store, or the books cannot be read.
pub async fn export_bundle(
    desk: &Installer<'_>,
    scope: Scope,
    with_receipts: bool,
    reply: &mut Export,
) -> Result<Vec<u8>, Refusal> {
    reply.form = "bundle";
    let registrar = desk.registrar.as_ref().ok_or_else(|| Refusal::new(Code::Internal, "nobody signs"))?;
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let (mut lock, mut refetch) = (Lock::default(), Refetch::new(desk, &site));
    for entry in site.read_lock().map_err(failure::of_site)?.entries() {
        if entry.linked {
            let reason = "it is a link to a directory of this machine".to_owned();
            reply.skipped.push(SkippedLine { name: entry.name.clone(), reason });
        } else {
            refetch.ensure(entry).await?;
            reply.exported.push(ExportLine::of(entry));
            lock.put(Entry { previous: None, ..entry.clone() });
        }
    }
    let workspace = desk.hall.machine.workspace().to_string_lossy().into_owned();
    let grants = grants::given(registrar, &lock, &workspace).await?;
    reply.grants = grants.len();
    let grants =
        canonical::to_string(&grants).map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
    let receipts = if with_receipts { Some(receipts(registrar, reply).await?) } else { None };
    let lock_text = lock.text();
    let head = Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        at: registrar.now,
        public_key: registrar.books.ledger.public_key(),
        workspace,
        lock: Digest::of(lock_text.as_bytes()),
        grants: Digest::of(grants.as_bytes()),
        receipts: receipts.as_deref().map(Digest::of),
    };
    let head =
        canonical::to_string(&head).map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
    let signature = registrar.books.ledger.sign_bundle(&Digest::of(head.as_bytes()));
    let mut parts: Vec<(&str, &[u8])> = vec![
        (HEAD, head.as_bytes()),
        (SIGNATURE, signature.as_bytes()),
        (LOCK, lock_text.as_bytes()),
        (GRANTS, grants.as_bytes()),
    ];
    parts.extend(receipts.as_deref().map(|receipts| (RECEIPTS, receipts)));
    pack(desk, &lock, &parts)
}

async fn receipts(registrar: &Registrar<'_>, reply: &mut Export) -> Result<Vec<u8>, Refusal> {
    let (books, mut bytes) = (registrar.books, Vec::new());
    let exported = books.ledger.export(registrar.now, books.ledger.installation(), &mut bytes).await;
    reply.receipts = exported.map_err(|error| match error {
        ExportError::Store(error) => books.refusal(error),
        ExportError::Head(error) => books.refusal(error),
        other => Refusal::new(Code::LedgerUnavailable, other.to_string()),
    })?;
    Ok(bytes)
}

fn pack(desk: &Installer<'_>, lock: &Lock, parts: &[(&str, &[u8])]) -> Result<Vec<u8>, Refusal> {
    let failed = |error: io::Error| Refusal::new(Code::WriteFailed, error.to_string());
    let mut packer = Packer::new(Vec::new());
    for (path, bytes) in parts {
        packer.add(path, bytes).map_err(failed)?;
    }
    let files = lock.entries().iter().flat_map(|entry| entry.tree.files());
    let digests: BTreeSet<Digest> = files.map(|file| file.digest).collect();
    for digest in digests {
        packer.add(&blob(&digest), &desk.store.get(&digest)?).map_err(failed)?;
    }
    packer.finish().map_err(failed)
}
