//! `verify`: every installed byte against the lock.

use super::drift::{Drift, changed, drift, named};
use super::place::{Scope, site};
use super::select::select;
use super::{Installer, failure};
use crate::reply::{FileDrift, Verify};
use crate::{Code, Envelope, Refusal, counted};

/// Compares what is installed with the lock; it fails with `verify_failed` where anything differs.
pub async fn verify(desk: &Installer<'_>, scope: Scope, names: &[String]) -> Envelope<Verify> {
    match run(desk, scope, names) {
        Ok(reply) if reply.ok => {
            let message = format!("{} verified", reply.checked);
            Envelope::ok(reply).with_message(message)
        }
        Ok(reply) => {
            let count = |files: &[FileDrift], word: &str| format!("{} {word}", counted(files.len(), "file"));
            let parts = [(&reply.changed, "changed"), (&reply.missing, "missing"), (&reply.extra, "extra")];
            let parts = parts.into_iter().filter(|(files, _)| !files.is_empty());
            let parts: Vec<String> = parts.map(|(files, word)| count(files, word)).collect();
            let message = format!("{}; `guild sync --replace` restores what the lock says", parts.join(", "));
            Envelope::error(Code::VerifyFailed, message, reply)
        }
        Err(refusal) => refusal.into_envelope(),
    }
}

fn run(desk: &Installer<'_>, scope: Scope, names: &[String]) -> Result<Verify, Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    if !site.lock_file().exists() && site.is_inhabited() {
        return Err(failure::of_missing_lock(&site));
    }
    let entries = select(&lock, names)?;
    let mut reply = Verify { scope: scope.word(), checked: entries.len(), ..Verify::default() };
    for (at, entry) in entries.into_iter().enumerate() {
        (desk.progress)(&format!("verifying {} of {}", at + 1, reply.checked));
        match drift(&site, entry) {
            Drift::None => {}
            Drift::Linked => reply.linked.push(entry.name.clone()),
            Drift::Absent => reply.missing.push(named(entry, "")),
            Drift::Edited { changed: edited, missing, extra } => {
                for path in &edited {
                    reply.changed.push(changed(&site, entry, path, desk.store)?);
                }
                reply.missing.extend(missing.iter().map(|path| named(entry, path)));
                reply.extra.extend(extra.iter().map(|path| named(entry, path)));
            }
        }
    }
    reply.ok = reply.changed.is_empty() && reply.missing.is_empty() && reply.extra.is_empty();
    Ok(reply)
}
