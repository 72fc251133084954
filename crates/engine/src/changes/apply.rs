//! `changes apply` and `changes drop`: a person's decision.

use super::{id, store, unknown};
use crate::counted::counted;
use crate::reply::{ChangeSummary, ChangesDecided};
use crate::{Code, Envelope, Places, Refusal};
use guild_sandbox::changes::Status;

/// Applies a change set to its directory, wholly or not at all. Files that decide what agents and machines do are applied only where
/// `sensitive` says that a person has confirmed them on their own.
pub fn changes_apply(places: &Places, name: &str, sensitive: bool) -> Envelope<ChangesDecided> {
    decided(name, || {
        let store = store(places)?;
        let id = id(name)?;
        let set = store.load(&id)?;
        let marked: Vec<String> = set
            .changes
            .iter()
            .filter(|change| change.sensitive)
            .map(|change| change.path.display().to_string())
            .collect();
        if !marked.is_empty() && !sensitive {
            let files = counted(marked.len(), "file");
            let message = format!(
                "{files} that decide what agents and machines do would change: {}; look at them and add --sensitive",
                marked.join(", ")
            );
            return Err(Refusal::new(Code::ChangesSensitive, message));
        }
        store.apply(&id, &mut |_| {})?;
        Ok(ChangeSummary::of(&set))
    })
}

/// Forgets a change set; its directory stays as it is.
pub fn changes_drop(places: &Places, name: &str) -> Envelope<ChangesDecided> {
    decided(name, || {
        let store = store(places)?;
        let id = id(name)?;
        let set = store.load(&id)?;
        if set.status == Status::Applied {
            return Err(unknown(name));
        }
        store.discard(&id)?;
        Ok(ChangeSummary::of(&set))
    })
}

fn decided(name: &str, decide: impl FnOnce() -> Result<ChangeSummary, Refusal>) -> Envelope<ChangesDecided> {
    let id = name.to_owned();
    match decide() {
        Ok(summary) => Envelope::ok(ChangesDecided { id, done: true, changes: Some(summary) }),
        Err(refusal) => {
            Envelope::error(refusal.code, refusal.message, ChangesDecided { id, done: false, changes: None })
        }
    }
}
