//! What is referred to from outside the store. Everything is searched as text: what cannot be parsed still keeps what it names.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use guild_catalog::Machine;
use guild_ledger::{Filter, MAX_PAGE, Timestamp};
use guild_manifest::Digest;
use guild_source::bounded;
use guild_source::store::sweep::digests_in;

use crate::{Books, Code, Places, Refusal};

/// The longest text that is searched.
const MAX_BYTES: u64 = 1 << 30;

/// Every digest that something outside the store names.
pub(super) async fn roots(
    books: &Books,
    machine: &Machine,
    places: &Places,
    (now, since): (Timestamp, Option<Timestamp>),
) -> Result<BTreeSet<Digest>, Refusal> {
    let mut roots = BTreeSet::new();
    let locks = of_ledger(books, now, &mut roots).await?;
    of_receipts(books, since, &mut roots).await?;
    let here = [Some(machine.workspace().to_owned()), machine.home.clone()];
    let known: BTreeSet<PathBuf> = locks.into_iter().chain(here.into_iter().flatten()).collect();
    for directory in &known {
        for lock in ["guild.lock", ".guild/guild.lock"] {
            of_file(&directory.join(lock), &mut roots)?;
        }
    }
    for directory in documents(places) {
        of_documents(&directory, &mut roots)?;
    }
    Ok(roots)
}

/// What the ledger's present names; gives the directories in which something is installed.
async fn of_ledger(
    books: &Books,
    now: Timestamp,
    roots: &mut BTreeSet<Digest>,
) -> Result<BTreeSet<PathBuf>, Refusal> {
    let ledger = &books.ledger;
    let mut directories = BTreeSet::new();
    for known in ledger.registrations().await.map_err(|error| books.refusal(error))? {
        roots.extend(known.subject.digest);
        // `.guild/skills/NAME` lies three below the directory that has the lock.
        directories.extend(Path::new(&known.subject.place).ancestors().nth(3).map(Path::to_owned));
    }
    for grant in ledger.grants(now).await.map_err(|error| books.refusal(error))? {
        roots.insert(grant.security_hash);
    }
    for request in ledger.pending(now).await.map_err(|error| books.refusal(error))? {
        roots.extend(request.matter.security_hash);
        roots.extend(digests_in(request.matter.shown.to_string().as_bytes()));
    }
    for started in ledger.unfinished().await.map_err(|error| books.refusal(error))? {
        roots.extend(digests_in(started.text.as_bytes()));
    }
    Ok(directories)
}

async fn of_receipts(
    books: &Books,
    since: Option<Timestamp>,
    roots: &mut BTreeSet<Digest>,
) -> Result<(), Refusal> {
    let filter = Filter { since, ..Filter::default() };
    let mut cursor: Option<String> = None;
    loop {
        let page = books.ledger.receipts(&filter, cursor.as_deref(), MAX_PAGE).await;
        let page = page.map_err(|error| books.refusal(error))?;
        page.receipts.iter().for_each(|receipt| roots.extend(digests_in(receipt.text.as_bytes())));
        cursor = page.next;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// The directories with documents of ours that name content: links, journals, changes, images.
fn documents(places: &Places) -> Vec<PathBuf> {
    let state = places.state.iter().flat_map(|state| {
        let changes = fs::read_dir(state.join("changes")).into_iter().flatten().flatten();
        [state.clone(), state.join("journal")].into_iter().chain(changes.map(|change| change.path()))
    });
    let images = places.data.iter().map(|data| data.join("images"));
    state.chain(images).collect()
}

fn of_documents(directory: &Path, roots: &mut BTreeSet<Digest>) -> Result<(), Refusal> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut documents = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    documents.try_for_each(|path| of_file(&path, roots))
}

/// What a file names; nothing where it is not there, and a refusal where it cannot be read, since nobody knows what it keeps.
fn of_file(path: &Path, roots: &mut BTreeSet<Digest>) -> Result<(), Refusal> {
    match bounded::read(path, MAX_BYTES) {
        Ok(bytes) => {
            roots.extend(digests_in(&bytes));
            Ok(())
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(error) => {
            let message = format!("cannot read {}, so nothing is removed: {error}", path.display());
            Err(Refusal::new(Code::ReadFailed, message))
        }
    }
}
