//! `hash`: the security hash of a skill, and everything that went into it.
//!
//! It stages the skill and decides nothing about it.

use crate::Envelope;
use crate::hall::Hall;
use crate::image::Images;
use crate::places::Places;
use crate::reply::Hash;
use crate::resolve::{Unresolved, resolve};
use crate::sandbox::Refusal;
use crate::security_hash::{Staged, stage};

/// The security hash of a skill, by any of its names.
pub fn hash(hall: &Hall, images: &Images, places: &Places, name: &str) -> Envelope<Hash> {
    let entry = match resolve(hall, name) {
        Ok(entry) => entry,
        Err(Unresolved { code, message, candidates }) => {
            return Envelope::error(code, message, Hash { candidates, ..Hash::default() });
        }
    };
    let skill = Some(entry.qualified_name().into_owned());
    match places.store().and_then(|store| stage(hall, entry, images, &store)) {
        Ok(Staged { payload, security_hash, .. }) => Envelope::ok(Hash {
            found: true,
            skill,
            security_hash: Some(security_hash.to_string()),
            payload: Some(payload),
            candidates: Vec::new(),
        }),
        Err(Refusal { code, message }) => {
            Envelope::error(code, message, Hash { found: true, skill, ..Hash::default() })
        }
    }
}
