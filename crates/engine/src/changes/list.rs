//! `changes list`: the changes that wait for a decision.

use super::store;
use crate::reply::{ChangeSummary, ChangesList};
use crate::{Envelope, Places, Refusal};
use guild_sandbox::changes::Status;

/// Lists what waits.
pub fn changes_list(places: &Places) -> Envelope<ChangesList> {
    let list = || -> Result<ChangesList, Refusal> {
        let saved = store(places)?.list()?;
        let waiting = saved.sets.iter().filter(|set| set.status == Status::Pending);
        let changes: Vec<ChangeSummary> = waiting.map(ChangeSummary::of).collect();
        let unusable = saved.unusable.iter().map(ToString::to_string).collect();
        Ok(ChangesList { count: changes.len(), changes, unusable })
    };
    match list() {
        Ok(list) => Envelope::ok(list),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, ChangesList::default()),
    }
}
