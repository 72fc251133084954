//! `diff`: what has changed in a skill since it had a certain security hash.
//!
//! It stages the skill as it is now, and decides nothing about it.

use crate::hall::Hall;
use crate::image::Images;
use crate::places::Places;
use crate::reply::SkillDiff;
use crate::resolve::{Unresolved, resolve};
use crate::sandbox::Refusal;
use crate::security_hash::{Payload, compare, stage};
use crate::{Code, Envelope};
use guild_catalog::Entry;
use guild_manifest::Digest;

/// What has changed in a skill, found by any of its names, since it had the hash `from`.
pub fn skill_diff(
    hall: &Hall,
    images: &Images,
    places: &Places,
    name: &str,
    from: &str,
) -> Envelope<SkillDiff> {
    let entry = match resolve(hall, name) {
        Ok(entry) => entry,
        Err(Unresolved { code, message, candidates }) => {
            return Envelope::error(code, message, SkillDiff { candidates, ..SkillDiff::default() });
        }
    };
    let skill = Some(entry.qualified_name().into_owned());
    match since(hall, images, places, entry, from) {
        Ok(reply) => {
            let message = if reply.changed { "" } else { "nothing has changed" };
            Envelope::ok(SkillDiff { skill, ..reply }).with_message(message)
        }
        Err(Refusal { code, message }) => {
            Envelope::error(code, message, SkillDiff { found: true, skill, ..SkillDiff::default() })
        }
    }
}

fn since(
    hall: &Hall,
    images: &Images,
    places: &Places,
    entry: &Entry,
    from: &str,
) -> Result<SkillDiff, Refusal> {
    let from: Digest = from.parse().map_err(|error| {
        let message = format!("`{from}` is no security hash: {error}; `guild hash` prints them");
        Refusal::new(Code::InvalidName, message)
    })?;
    let store = places.store()?;
    let old = Payload::load(&store, &from)?;
    let new = stage(hall, entry, images, &store)?;
    if old.skill.name != new.payload.skill.name {
        let message = format!("{from} is the hash of another skill, `{}`", old.skill.name);
        return Err(Refusal::new(Code::HashUnknown, message));
    }
    Ok(SkillDiff {
        found: true,
        from: Some(from.to_string()),
        to: Some(new.security_hash.to_string()),
        changed: from != new.security_hash,
        comparison: compare(&old, &new.payload, &store)?,
        ..SkillDiff::default()
    })
}
