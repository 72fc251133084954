//! Changes that a container made to a copy-on-write mount: kept, shown, and applied or dropped as a whole by a person.
//!
//! Nothing on the host changes before somebody has said so. Files that decide what agents and machines do are marked, and are
//! confirmed on their own.

mod apply;
mod keep;
mod list;
mod sensitive;
mod show;

pub use apply::{ApplyRequest, changes_apply, changes_drop};
pub(crate) use keep::Keeping;
pub use list::changes_list;
pub use show::changes_show;

use guild_sandbox::changes::{ApplyError, ChangeSetId, ChangeStore, LayerError, StoreError};

use crate::cause::with_cause;
use crate::{Code, Places, Refusal};

fn store(places: &Places) -> Result<ChangeStore, Refusal> {
    let store = ChangeStore::open(&places.state()?.join("changes"))?;
    // What was cut short is brought to its end, or back to its beginning, before anything else.
    store.recover(&mut |_| {})?;
    Ok(store)
}

fn id(text: &str) -> Result<ChangeSetId, Refusal> {
    ChangeSetId::try_from(text.to_owned()).map_err(|_| unknown(text))
}

fn unknown(text: &str) -> Refusal {
    let message = format!("there is no change set `{text}`; `guild changes list` shows those that wait");
    Refusal::new(Code::ChangesNotFound, message)
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        match &error {
            StoreError::Unknown { id } => unknown(id.as_str()),
            _ => Refusal::new(Code::ChangesUnusable, with_cause(&error)),
        }
    }
}

impl From<LayerError> for Refusal {
    fn from(error: LayerError) -> Refusal {
        Refusal::new(Code::ChangesUnusable, with_cause(&error))
    }
}

impl From<ApplyError> for Refusal {
    fn from(error: ApplyError) -> Refusal {
        match error {
            ApplyError::Store(error) => error.into(),
            ApplyError::Conflict { .. } => Refusal::new(Code::WorkspaceConflict, with_cause(&error)),
            _ => Refusal::new(Code::ChangesUnusable, with_cause(&error)),
        }
    }
}
