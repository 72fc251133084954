//! `gc`: what nothing refers to any more goes out of the store.
//!
//! Locks, grants, requests that wait, runs that have not ended, receipts, links, journals and changes keep what they name, and so does
//! having been used lately. A person may say that older receipts keep nothing. Whoever adds to the store meanwhile waits.

mod roots;

use std::time::{Duration, UNIX_EPOCH};

use guild_catalog::Machine;
use guild_ledger::{Principal, Role, Timestamp};
use guild_source::store::sweep::Manner;

use crate::reply::Gc;
use crate::{Books, Envelope, Places, Refusal, Since};
use roots::roots;

/// Whoever is quicker than this between reading a skill and writing down that it is needed loses nothing.
const SHORTEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What is to go.
#[derive(Debug, Clone)]
pub struct GcRequest {
    /// So long back receipts count, and so long what was used stays; no less than a day counts. Without it all receipts count.
    pub keep: Option<Duration>,
    /// Whether it is only counted.
    pub dry_run: bool,
    /// The moment.
    pub now: Timestamp,
    /// Who asks.
    pub by: Principal,
}

/// Removes what nothing refers to.
pub async fn gc(books: &Books, machine: &Machine, places: &Places, request: &GcRequest) -> Envelope<Gc> {
    match swept(books, machine, places, request).await {
        Ok(reply) => Envelope::ok(reply),
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn swept(
    books: &Books,
    machine: &Machine,
    places: &Places,
    request: &GcRequest,
) -> Result<Gc, Refusal> {
    books.authorise(request.now, &request.by, Role::Admin).await?;
    let ago = |span: Duration| Since::Ago(span.max(SHORTEST)).moment(request.now);
    let since = request.keep.map(ago);
    let earliest = UNIX_EPOCH + Duration::from_millis(since.unwrap_or(ago(SHORTEST)).millis());
    let store = places.store()?;
    // Held before anything is asked: whoever has added something by now has made it count as new, and whoever comes later waits.
    let still = store.still()?;
    let roots = roots(books, machine, places, (request.now, since)).await?;
    let manner = if request.dry_run { Manner::Count } else { Manner::Remove };
    let swept = still.sweep(&roots, earliest, manner)?;
    let (removed, kept) = (swept.removed, swept.kept);
    Ok(Gc {
        dry_run: request.dry_run,
        since: since.map(|since| since.to_string()),
        removed,
        kept,
        freed: swept.freed,
    })
}
