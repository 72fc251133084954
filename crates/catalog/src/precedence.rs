//! Who wins a name: the first root does, and whoever loses is told. Equal content is no loss but a second place.
//!
//! Whether the winner can be used is not asked here: neither a broken nor an ineligible winner lets a lower one in.

use crate::Fingerprint;
use crate::discover::same_content;
use crate::snapshot::{Broken, Collision, Entry, Place};
use guild_manifest::Problem;
use guild_manifest::skill::Skill;
use std::cmp::Ordering;

/// A skill that was found, before its name is decided.
pub enum Candidate {
    /// One that loads.
    Skill(Entry),
    /// One that a problem keeps out, and the fingerprint of its file.
    Broken(Broken, Fingerprint),
}

/// Winners and losers.
pub struct Resolved {
    /// Winners that load.
    pub skills: Vec<Entry>,
    /// Winners that do not.
    pub broken: Vec<Broken>,
    /// Losers, and to whom they lost.
    pub collisions: Vec<Collision>,
}

/// Decides every name; candidates come in order of precedence. A broken winner keeps its name: a malformed skill does
/// not let a lower one in.
pub fn resolve(mut candidates: Vec<Candidate>) -> Resolved {
    // The sort is stable, so that of one name the first stays first.
    candidates.sort_by(|a, b| qualified_order(a.named(), b.named()));
    let mut collisions = Vec::new();
    candidates.dedup_by(|loser, winner| {
        let is_same_name =
            winner.place().plugin == loser.place().plugin && winner.named().1 == loser.named().1;
        if is_same_name {
            collisions.extend(turn_away(loser, winner));
        }
        is_same_name
    });
    let mut broken = Vec::new();
    let skills = candidates.into_iter().filter_map(|candidate| match candidate {
        Candidate::Skill(entry) => Some(entry),
        Candidate::Broken(kept_out, _) => {
            broken.push(kept_out);
            None
        }
    });
    Resolved { skills: skills.collect(), broken, collisions }
}

impl Candidate {
    /// A skill at a place; where a problem keeps it out, its directory or file has the name that it would have.
    pub fn new(
        place: Place,
        skill: Option<Box<Skill>>,
        fingerprint: Fingerprint,
        problems: Vec<Problem>,
    ) -> Self {
        let Some(skill) = skill else {
            return Self::Broken(Broken { name: stem(&place), place, problems }, fingerprint);
        };
        let (also_at, unmet) = (Vec::new(), Vec::new());
        Self::Skill(Entry {
            skill,
            place,
            also_at,
            fingerprint,
            problems,
            unmet,
            enabled: true,
            switched: None,
        })
    }

    /// Where it was found.
    pub fn place(&self) -> &Place {
        match self {
            Self::Skill(entry) => &entry.place,
            Self::Broken(broken, _) => &broken.place,
        }
    }

    /// The fingerprint of its file.
    pub fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Skill(entry) => entry.fingerprint,
            Self::Broken(_, fingerprint) => *fingerprint,
        }
    }

    fn named(&self) -> (&Place, &str) {
        match self {
            Self::Skill(entry) => (&entry.place, &entry.skill.name),
            Self::Broken(broken, _) => (&broken.place, &broken.name),
        }
    }
}

/// What is to be said of a skill whose name another has; equal content is a second place of the winner.
fn turn_away(loser: &Candidate, winner: &mut Candidate) -> Option<Collision> {
    let (place, kept) = (loser.place(), winner.place());
    let path = place.path();
    let is_same = || winner.fingerprint() == loser.fingerprint() && same_content(kept, place);
    match winner {
        // Where one root lies inside another, one file is found twice.
        Candidate::Skill(_) if kept.path() == path => return None,
        Candidate::Skill(_) if is_same() => {}
        Candidate::Broken(..) if is_same() => return None,
        _ => {
            let name = place.qualified(loser.named().1).into_owned();
            return Some(Collision { name, kept: (kept.scope, kept.path()), skipped: (place.scope, path) });
        }
    }
    if let Candidate::Skill(entry) = winner {
        entry.also_at.push(path);
    }
    None
}

/// The order of two qualified names, without writing either.
fn qualified_order(a: (&Place, &str), b: (&Place, &str)) -> Ordering {
    if a.0.plugin.is_none() && b.0.plugin.is_none() {
        return a.1.cmp(b.1);
    }
    a.0.qualified(a.1).cmp(&b.0.qualified(b.1))
}

/// The name of a skill whose file does not tell it.
fn stem(place: &Place) -> String {
    let own = place.own();
    let stem = if place.flat { own.file_stem() } else { own.file_name() };
    stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
