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
use crate::{Books, Code, Envelope};
use guild_catalog::Entry;
use guild_manifest::Digest;

/// What a skill is compared with.
pub enum Before<'a> {
    /// The state with this hash.
    Hash(&'a str),
    /// The state that was last approved for an agent.
    Approved {
        /// The installation's books.
        books: &'a Books,
        /// The agent.
        agent: &'a str,
    },
}

/// What has changed in a skill, found by any of its names.
pub async fn skill_diff(
    hall: &Hall,
    images: &Images,
    places: &Places,
    name: &str,
    before: Before<'_>,
) -> Envelope<SkillDiff> {
    let entry = match resolve(hall, name) {
        Ok(entry) => entry,
        Err(Unresolved { code, message, candidates }) => {
            return Envelope::error(code, message, SkillDiff { candidates, ..SkillDiff::default() });
        }
    };
    let skill = Some(entry.qualified_name().into_owned());
    let from = match before.hash(entry).await {
        Ok(from) => from,
        Err(Refusal { code, message }) => {
            let reply = SkillDiff { found: true, skill, ..SkillDiff::default() };
            return Envelope::error(code, message, reply);
        }
    };
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

impl Before<'_> {
    async fn hash(&self, entry: &Entry) -> Result<Digest, Refusal> {
        match self {
            Self::Hash(text) => text.parse().map_err(|error| {
                let message = format!("`{text}` is no security hash: {error}; `guild hash` prints them");
                Refusal::new(Code::InvalidName, message)
            }),
            Self::Approved { books, agent } => {
                let skill = entry.qualified_name();
                let approved = books.ledger.last_approved(agent, &skill).await;
                approved.map_err(|error| books.refusal(error))?.ok_or_else(|| {
                    let message = format!(
                        "skill `{skill}` was never approved for agent `{agent}`; `--from` compares with another hash"
                    );
                    Refusal::new(Code::HashUnknown, message)
                })
            }
        }
    }
}

fn since(
    hall: &Hall,
    images: &Images,
    places: &Places,
    entry: &Entry,
    from: Digest,
) -> Result<SkillDiff, Refusal> {
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
