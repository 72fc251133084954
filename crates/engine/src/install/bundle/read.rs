//! Reading a bundle: unpacked as a stranger's archive, and everything checked before anything is kept.

use super::{FORMAT, GRANTS, HEAD, Head, LOCK, RECEIPTS, SIGNATURE, VERSION, blob, grants};
use crate::install::foreign::ImportRequest;
use crate::install::place::site;
use crate::install::ready::{Placing, bring};
use crate::install::vetting::{self, Look};
use crate::install::{Installer, failure};
use crate::reply::Import;
use crate::{Code, Refusal, counted};
use guild_ledger::{Grant, verify_export};
use guild_manifest::Digest;
use guild_source::archive;
use guild_source::landing::check_tree;
use guild_source::lock::{Entry, Lock, LockError};
use guild_source::store::{Content, Kept, MemoryFile};
use std::fs;
use std::path::Path;

/// Whether a file begins as a bundle does.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// What was in a bundle, once everything of it has been checked.
struct Opened {
    head: Head,
    lock: Lock,
    grants: Vec<Grant>,
    /// The chain, and how many receipts it has.
    receipts: Option<(Vec<u8>, u64)>,
}

/// Installs what a bundle has, and takes its approvals on as far as they count.
///
/// # Errors
/// Where it is none, was changed, or holds what is denied; then nothing of it is kept.
pub async fn import_bundle(
    desk: &Installer<'_>,
    request: &ImportRequest<'_>,
    reply: &mut Import,
) -> Result<String, Refusal> {
    reply.form = "bundle";
    let registrar = desk.registrar.as_ref().ok_or_else(|| Refusal::new(Code::Internal, "nobody decides"))?;
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let scratch = desk.store.scratch()?;
    let top = scratch.path().join("bundle");
    fs::create_dir_all(&top).map_err(|error| Refusal::new(Code::WriteFailed, error.to_string()))?;
    archive::unpack_bundle(request.path, &top).map_err(failure::of_archive)?;
    let opened = open(&top)?;
    reply.installation = Some(opened.head.public_key.installation().to_string());
    let stored = stage(desk, &top, &opened.lock)?;
    let mut entries: Vec<Entry> = opened.lock.entries().to_vec();
    let looks = opened.lock.entries().iter().zip(&stored).map(|(entry, stored)| Look::of(entry, stored));
    let looks: Vec<Look<'_>> =
        looks.collect::<Result<_, _>>().map_err(|refusal| changed(&refusal.message))?;
    reply.vetted = vetting::vet(desk, &looks);
    if request.skip_denied {
        entries.retain(|entry| vetting::denied(&reply.vetted).all(|name| name != entry.name));
    } else {
        vetting::refuse_denied(&reply.vetted, "; `--skip-denied` installs the others")?;
    }
    let placing = Placing { link: false, replace: request.replace };
    let placed =
        bring(desk, &site, placing, entries.into_iter().map(|entry| (entry, None)).collect()).await?;
    (reply.installed, reply.previews, reply.lock) = (placed.changes, placed.previews, Some(placed.lock));
    if let Some((bytes, count)) = &opened.receipts {
        reply.receipts = Some(*count);
        reply.chain = Some(keep(desk, bytes)?);
    }
    let workspace = desk.hall.machine.workspace().to_string_lossy().into_owned();
    let key = opened.head.public_key;
    grants::take(registrar, (&opened.lock, opened.grants), (&key, &workspace), reply).await?;
    Ok(format!("{}{}", placed.message, told(reply)))
}

/// What came besides the files.
fn told(reply: &Import) -> String {
    let mut text = String::new();
    if let Some(count) = reply.receipts {
        let count = counted(usize::try_from(count).unwrap_or(usize::MAX), "receipt");
        text.push_str(&format!(
            "; {count} of {} verified",
            reply.installation.as_deref().unwrap_or_default()
        ));
    }
    if !reply.grants.is_empty() {
        text.push_str(&format!("; {} taken on", counted(reply.grants.len(), "approval")));
    }
    if !reply.proposals.is_empty() {
        let count = counted(reply.proposals.len(), "approval");
        text.push_str(&format!("; {count} of theirs for you to decide: `guild requests`"));
    }
    text
}

/// Checks who made it, and that every part is what they signed.
fn open(top: &Path) -> Result<Opened, Refusal> {
    let text = read(top, HEAD)?;
    let head: Head = serde_json::from_slice(&text).map_err(|error| changed(&error.to_string()))?;
    if head.format != FORMAT || head.version != VERSION {
        return Err(changed("it is of a version that this program does not know"));
    }
    let signature = String::from_utf8_lossy(&read(top, SIGNATURE)?).trim().to_owned();
    if !head.public_key.has_signed_bundle(&Digest::of(&text), &signature) {
        return Err(changed("its signature is not that of whoever it says has made it"));
    }
    let lock = part(top, LOCK, &head.lock)?;
    let lock = Lock::parse(&String::from_utf8_lossy(&lock)).map_err(|error| match error {
        LockError::Newer { .. } => Refusal::new(Code::LockNewer, error.to_string()),
        error => changed(&error.to_string()),
    })?;
    let grants = part(top, GRANTS, &head.grants)?;
    let grants = serde_json::from_slice(&grants).map_err(|error| changed(&error.to_string()))?;
    let receipts = match &head.receipts {
        None => None,
        Some(digest) => {
            let bytes = part(top, RECEIPTS, digest)?;
            let report = verify_export(bytes.as_slice(), Some(&head.public_key));
            let report = report.map_err(|error| changed(&error.to_string()))?;
            if !report.is_whole() {
                let message = "the receipts in the bundle were changed; nothing of it was kept";
                return Err(Refusal::new(Code::ReceiptsBroken, message));
            }
            Some((bytes, report.receipts()))
        }
    };
    Ok(Opened { head, lock, grants, receipts })
}

/// Puts the files of everything into the store.
fn stage(desk: &Installer<'_>, top: &Path, lock: &Lock) -> Result<Vec<Kept>, Refusal> {
    let mut all = Vec::new();
    for entry in lock.entries() {
        check_tree(&entry.tree).map_err(|error| failure::of_landing(&error))?;
        let mut contents = Vec::new();
        for file in entry.tree.files() {
            contents.push((file, part(top, &blob(&file.digest), &file.digest)?));
        }
        let files: Vec<MemoryFile<'_>> = contents
            .iter()
            .map(|(file, bytes)| MemoryFile { path: &file.path, bytes, executable: file.executable })
            .collect();
        let stored = desk.store.keep(&Content::Memory(&files));
        let stored = stored.map_err(|error| failure::of_staging(&entry.name, error))?;
        if stored.digest != entry.digest || entry.linked {
            return Err(changed(&format!("`{}` is not what its lock says", entry.name)));
        }
        all.push(stored);
    }
    Ok(all)
}

/// A part that has to have a digest.
fn part(top: &Path, name: &str, digest: &Digest) -> Result<Vec<u8>, Refusal> {
    let bytes = read(top, name)?;
    if Digest::of(&bytes) == *digest {
        Ok(bytes)
    } else {
        Err(changed(&format!("`{name}` is not what was signed")))
    }
}

fn read(top: &Path, name: &str) -> Result<Vec<u8>, Refusal> {
    // Links stay within it, and are none of ours.
    let path = top.join(name);
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return Err(changed(&format!("there is no `{name}` in it")));
    }
    fs::read(&path).map_err(|error| Refusal::new(Code::ReadFailed, format!("cannot read `{name}`: {error}")))
}

/// Keeps the chain beside the ledger, for `guild receipts verify --file`.
fn keep(desk: &Installer<'_>, bytes: &[u8]) -> Result<String, Refusal> {
    let directory = desk.places.data()?.join("imports");
    let name = format!("{}.jsonl", Digest::of(bytes).to_hex());
    let path = directory.join(name);
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(&directory)?;
        let mut file = tempfile::NamedTempFile::new_in(&directory)?;
        std::io::Write::write_all(&mut file, bytes)?;
        file.as_file().sync_all()?;
        file.persist(&path).map(drop).map_err(|error| error.error)
    };
    write().map_err(|error| {
        Refusal::new(Code::WriteFailed, format!("cannot write {}: {error}", path.display()))
    })?;
    Ok(path.to_string_lossy().into_owned())
}

fn changed(why: &str) -> Refusal {
    Refusal::new(
        Code::BundleInvalid,
        format!("it is no bundle, or was changed: {why}; nothing of it was kept"),
    )
}
