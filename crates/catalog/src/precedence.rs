//! Who wins a name: the first root does, and whoever loses is told. Equal content is no loss but a second place.
//!
//! Whether the winner can be used is not asked here: neither a broken nor an ineligible winner lets a lower one in.

use crate::Fingerprint;
use crate::discover::same_content;
use crate::snapshot::{Broken, Collision, Entry, Place};
use guild_manifest::Problem;
use guild_manifest::skill::Skill;
use std::collections::HashMap;

/// A skill that was found, before its name is decided.
pub struct Candidate {
    /// Where.
    pub place: Place,
    /// The skill, unless a problem excludes it.
    pub skill: Option<Box<Skill>>,
    /// The fingerprint of its file.
    pub fingerprint: Fingerprint,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// Winners and losers.
#[derive(Default)]
pub struct Resolved {
    /// Winners that load.
    pub skills: Vec<Entry>,
    /// Winners that do not.
    pub broken: Vec<Broken>,
    /// Losers, and to whom they lost.
    pub collisions: Vec<Collision>,
}

/// Where the winner of a name is.
#[derive(Clone, Copy)]
enum Winner {
    Skill(usize),
    Broken(usize, Fingerprint),
}

/// Decides every name; candidates come in order of precedence. A broken winner keeps its name: a malformed skill does
/// not let a lower one in.
pub fn resolve(candidates: Vec<Candidate>) -> Resolved {
    let mut resolved = Resolved::default();
    let mut winners: HashMap<String, Winner> = HashMap::with_capacity(candidates.len());
    for candidate in candidates {
        let name =
            candidate.skill.as_ref().map_or_else(|| stem(&candidate.place), |skill| skill.name.clone());
        let qualified = candidate.place.qualified(&name);
        match winners.get(&qualified) {
            None => {
                let winner = resolved.admit(name, candidate);
                winners.insert(qualified, winner);
            }
            Some(winner) => resolved.turn_away(*winner, qualified, &candidate),
        }
    }
    resolved
}

impl Resolved {
    fn admit(&mut self, name: String, candidate: Candidate) -> Winner {
        let Candidate { place, skill, fingerprint, problems } = candidate;
        match skill {
            Some(skill) => {
                let entry = Entry {
                    skill,
                    place,
                    also_at: Vec::new(),
                    fingerprint,
                    problems,
                    unmet: Vec::new(),
                    enabled: true,
                };
                self.skills.push(entry);
                Winner::Skill(self.skills.len() - 1)
            }
            None => {
                self.broken.push(Broken { name, place, problems });
                Winner::Broken(self.broken.len() - 1, fingerprint)
            }
        }
    }

    fn turn_away(&mut self, winner: Winner, name: String, candidate: &Candidate) {
        let place = &candidate.place;
        let is_same = |kept: &Place, fingerprint: Fingerprint| {
            fingerprint == candidate.fingerprint && same_content(kept, place)
        };
        let kept = match winner {
            Winner::Skill(index) => {
                let Some(entry) = self.skills.get_mut(index) else { return };
                let path = place.path();
                // Where one root lies inside another, one file is found twice.
                if entry.place.path() == path {
                    return;
                }
                if is_same(&entry.place, entry.fingerprint) {
                    entry.also_at.push(path);
                    return;
                }
                &entry.place
            }
            Winner::Broken(index, fingerprint) => match self.broken.get(index) {
                Some(broken) if !is_same(&broken.place, fingerprint) => &broken.place,
                _ => return,
            },
        };
        let kept = (kept.scope, kept.path());
        self.collisions.push(Collision { name, kept, skipped: (place.scope, place.path()) });
    }
}

/// The name of a skill whose file does not tell it.
fn stem(place: &Place) -> String {
    let own = place.own();
    let stem = if place.flat { own.file_stem() } else { own.file_name() };
    stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
