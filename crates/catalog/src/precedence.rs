//! Who wins a name: the first root does, and whoever loses is told. Equal content is no loss but a second place.
//!
//! Whether the winner can be used is not asked here: neither a broken nor an ineligible winner lets a lower one in.

use crate::Fingerprint;
use crate::discover::same_content;
use crate::snapshot::{Broken, Collision, Entry, Place};
use guild_manifest::Problem;
use guild_manifest::skill::Skill;
use std::borrow::Cow;
use std::cmp::Ordering;

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

/// Decides every name; candidates come in order of precedence. A broken winner keeps its name: a malformed skill does
/// not let a lower one in.
pub fn resolve(mut candidates: Vec<Candidate>) -> Resolved {
    // The sort is stable, so that of one name the first stays first.
    candidates.sort_by(|a, b| qualified_order((&a.place, &a.name()), (&b.place, &b.name())));
    let mut resolved = Resolved::default();
    let mut winner: Option<Winner> = None;
    for candidate in candidates {
        match &winner {
            Some(winner) if winner.has_the_name_of(&candidate, &resolved) => {
                resolved.turn_away(*winner, &candidate);
            }
            _ => winner = Some(resolved.admit(candidate)),
        }
    }
    resolved
}

/// Where the winner of a name is.
#[derive(Clone, Copy)]
enum Winner {
    Skill(usize),
    Broken(usize, Fingerprint),
}

impl Winner {
    fn has_the_name_of(self, candidate: &Candidate, resolved: &Resolved) -> bool {
        let winner = match self {
            Self::Skill(index) => {
                resolved.skills.get(index).map(|entry| (&entry.place, entry.skill.name.as_str()))
            }
            Self::Broken(index, _) => {
                resolved.broken.get(index).map(|broken| (&broken.place, broken.name.as_str()))
            }
        };
        winner
            .is_some_and(|(place, name)| place.plugin == candidate.place.plugin && *name == *candidate.name())
    }
}

impl Candidate {
    /// The skill's name, or that of its directory or file where it does not load.
    fn name(&self) -> Cow<'_, str> {
        self.skill
            .as_ref()
            .map_or_else(|| Cow::Owned(stem(&self.place)), |skill| Cow::Borrowed(skill.name.as_str()))
    }
}

impl Resolved {
    fn admit(&mut self, candidate: Candidate) -> Winner {
        let name = candidate.skill.is_none().then(|| candidate.name().into_owned()).unwrap_or_default();
        let Candidate { place, skill, fingerprint, problems } = candidate;
        match skill {
            Some(skill) => {
                let (also_at, unmet) = (Vec::new(), Vec::new());
                self.skills.push(Entry {
                    skill,
                    place,
                    also_at,
                    fingerprint,
                    problems,
                    unmet,
                    enabled: true,
                });
                Winner::Skill(self.skills.len() - 1)
            }
            None => {
                self.broken.push(Broken { name, place, problems });
                Winner::Broken(self.broken.len() - 1, fingerprint)
            }
        }
    }

    fn turn_away(&mut self, winner: Winner, candidate: &Candidate) {
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
        let name = place.qualified(&candidate.name()).into_owned();
        self.collisions.push(Collision { name, kept, skipped: (place.scope, place.path()) });
    }
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
