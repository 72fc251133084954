//! Who wins a name: the first root does, and whoever loses is told. Equal content is no loss but a second place.

use crate::discover::same_content;
use crate::index::Record;
use crate::snapshot::{Broken, Collision, Entry, Place};
use std::collections::HashMap;

/// A skill that was found, before its name is decided.
pub struct Candidate {
    /// Where.
    pub place: Place,
    /// What was read.
    pub record: Record,
}

/// Winners and losers.
#[derive(Default)]
pub struct Resolved {
    pub skills: Vec<Entry>,
    pub broken: Vec<Broken>,
    pub collisions: Vec<Collision>,
}

/// Where the winner of a name is.
#[derive(Clone, Copy)]
enum Winner {
    Skill(usize),
    Broken(usize),
}

/// Decides every name; candidates come in order of precedence. A broken winner keeps its name: a malformed skill does
/// not let a lower one in.
pub fn resolve(candidates: Vec<Candidate>) -> Resolved {
    let mut resolved = Resolved::default();
    let mut winners: HashMap<String, Winner> = HashMap::with_capacity(candidates.len());
    for candidate in candidates {
        let Candidate { place, record } = candidate;
        let name = record.skill.as_ref().map_or_else(|| stem(&place), |skill| skill.name.clone());
        let qualified = place.qualified(&name);
        match winners.get(&qualified) {
            None => {
                let winner = resolved.admit(name, place, record);
                winners.insert(qualified, winner);
            }
            Some(winner) => resolved.turn_away(*winner, qualified, place, &record),
        }
    }
    resolved
}

impl Resolved {
    fn admit(&mut self, name: String, place: Place, record: Record) -> Winner {
        let Record { skill, digest, problems, .. } = record;
        match skill {
            Some(skill) => {
                let entry =
                    Entry { skill, place, also_at: Vec::new(), digest, problems, unmet: Vec::new(), enabled: true };
                self.skills.push(entry);
                Winner::Skill(self.skills.len() - 1)
            }
            None => {
                self.broken.push(Broken { name, place, problems });
                Winner::Broken(self.broken.len() - 1)
            }
        }
    }

    fn turn_away(&mut self, winner: Winner, name: String, place: Place, record: &Record) {
        let kept = match winner {
            Winner::Skill(index) => self.skills.get_mut(index).map(|entry| {
                if entry.digest == record.digest && same_content(&entry.place, &place) {
                    entry.also_at.push(place.path());
                    return None;
                }
                Some((entry.place.scope, entry.place.path()))
            }),
            Winner::Broken(index) => self.broken.get(index).map(|b| Some((b.place.scope, b.place.path()))),
        };
        if let Some(Some(kept)) = kept {
            self.collisions.push(Collision { name, kept, skipped: (place.scope, place.path()) });
        }
    }
}

/// The name of a skill whose file does not tell it.
fn stem(place: &Place) -> String {
    let own = place.own();
    let stem = if place.flat { own.file_stem() } else { own.file_name() };
    stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
