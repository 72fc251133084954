//! Approvals: what waits for a person, what they answer, and what holds because of it.
//!
//! Only people decide, whoever forwards their answer. What is asked for is made by the operations that ask.

mod admin;
mod carry_out;
mod contents;
mod decide;
mod grants;
mod requests;
mod shown;
mod told;

pub(crate) use admin::{AdminMatter, ask_admin};
pub use carry_out::decide;
pub use contents::request_contents;
pub use decide::{Decision, answer, approve, deny, dismiss};
pub use grants::{grants_lift, grants_list, grants_revoke};
pub use requests::{request, requests};
pub use shown::{Asks, Capability, ChangedFile, Shown, ShownFinding};
pub use told::{Told, Weight, command_line};

use guild_ledger::RequestId;

use crate::{Code, Refusal};

fn request_id(text: &str) -> Result<RequestId, Refusal> {
    text.parse().map_err(|_| unknown_request(text))
}

fn unknown_request(id: &str) -> Refusal {
    let message = format!("there is no request `{id}`; `guild requests` shows those that wait");
    Refusal::new(Code::RequestNotFound, message)
}
