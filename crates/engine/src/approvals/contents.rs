//! What a request is about, file by file: what has changed since another state was approved, or all of it where none was.
//!
//! It is the copy that would run, out of the store; the live directory may have changed since.

use guild_manifest::Digest;
use guild_source::store::Store;

use super::Shown;
use crate::reply::{Comparison, RequestLine};
use crate::security_hash::{Payload, compare};
use crate::{Code, Refusal};

/// Compares what was approved before with what is asked about; everything is new where nothing was approved.
///
/// # Errors
/// Where it is about no staged files, or they are no longer kept.
pub fn request_contents(store: &Store, request: &RequestLine) -> Result<Comparison, Refusal> {
    let hash = |text: &str| {
        text.parse::<Digest>().map_err(|error| Refusal::new(Code::HashUnknown, error.to_string()))
    };
    let asked = request
        .security_hash
        .as_deref()
        .ok_or_else(|| Refusal::new(Code::HashUnknown, "the request is about no state of a skill's files"))?;
    let new = Payload::load(store, &hash(asked)?)?;
    let approved = Shown::read(&request.shown).and_then(|shown| shown.approved);
    let old = match approved {
        Some(approved) => Payload::load(store, &hash(&approved)?)?,
        None => Payload { files: Vec::new(), ..new.clone() },
    };
    compare(&old, &new, store)
}
