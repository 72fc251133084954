//! What a process that serves remembers between two calls, so that neither the texts of skills nor what the vet found are read again for
//! each of them.
//!
//! It is a cache: what it holds is bound to the content or the file that it came from, and without it every answer is the same.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use guild_catalog::search::{Document, Hit, Index, Selection, rank};
use guild_catalog::{Entry, Fingerprint, Fingerprinter, bodies};

use crate::hall::Hall;
use crate::vet::Remembered;

/// The most that is kept of texts, in bytes; where there is more of them, they are read for each search.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// Agents see one selection of skills each, and few of them search at once.
const MOST_SELECTIONS: usize = 8;
/// States of skills that are gone and still kept, before everything is read anew.
const MOST_GONE: usize = 1_000;

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    words: RwLock<Words>,
    /// What the vet found, as it was read last.
    pub vetted: Mutex<Option<Remembered>>,
}

/// The words of all skills. A skill that changes is added in its new state; the others stay as they are.
#[derive(Debug, Default)]
struct Words {
    index: Index,
    /// The number of each state of a skill in the index.
    known: HashMap<Fingerprint, usize>,
    bytes: usize,
    /// The snapshot whose skills were added last, and the number of each of them.
    current: Option<(Fingerprint, Vec<usize>)>,
    /// What was searched among lately, the last at the end.
    selections: Mutex<Vec<Arc<Selection>>>,
}

impl Hall {
    /// The best of these skills for a query, by their places among them.
    pub(crate) fn ranked(&self, entries: &[&Entry], query: &str, limit: usize) -> Vec<Hit> {
        let looked_up = self.memory.as_ref().and_then(|memory| {
            self.learn();
            let words = memory.words.read().unwrap_or_else(PoisonError::into_inner);
            let among = words.select(words.members(self, entries)?);
            Some(words.index.rank(&among, query, limit))
        });
        looked_up.unwrap_or_else(|| {
            let names: Vec<_> = entries.iter().map(|entry| entry.qualified_name()).collect();
            let bodies = bodies(entries);
            let documents: Vec<Document<'_>> = entries
                .iter()
                .zip(&names)
                .zip(&bodies)
                .map(|((entry, name), body)| document(entry, name, body))
                .collect();
            rank(&documents, query, limit)
        })
    }

    /// Reads the texts that are not remembered yet, where anything is.
    pub(crate) fn learn(&self) {
        let Some(memory) = &self.memory else { return };
        let is_current = memory.words.read().unwrap_or_else(PoisonError::into_inner).is_of(self);
        if !is_current {
            memory.words.write().unwrap_or_else(PoisonError::into_inner).learn(self);
        }
    }
}

impl Words {
    fn is_of(&self, hall: &Hall) -> bool {
        self.current.as_ref().is_some_and(|(version, _)| *version == hall.snapshot.version)
    }

    fn learn(&mut self, hall: &Hall) {
        if self.is_of(hall) {
            return;
        }
        let skills = &hall.snapshot.skills;
        let states: Vec<Fingerprint> = skills.iter().map(state).collect();
        let there: HashSet<&Fingerprint> = states.iter().collect();
        let gone = self.known.keys().filter(|state| !there.contains(state)).count();
        if gone > MOST_GONE.max(skills.len()) || self.bytes > MOST_BYTES {
            *self = Self::default();
        }
        let is_new = |(_, state): &(&Entry, &Fingerprint)| !self.known.contains_key(*state);
        let (new, new_states): (Vec<&Entry>, Vec<&Fingerprint>) =
            skills.iter().zip(&states).filter(is_new).unzip();
        for ((entry, state), body) in new.iter().zip(new_states).zip(bodies(&new)) {
            self.bytes += body.len();
            if self.bytes <= MOST_BYTES {
                let number = self.index.add(&document(entry, &entry.qualified_name(), &body));
                self.known.insert(*state, number);
            }
        }
        let numbers: Option<Vec<usize>> = states.iter().map(|state| self.known.get(state).copied()).collect();
        // Where there is more than may be kept, nobody has a number, and the texts are read.
        self.current = Some((hall.snapshot.version, numbers.unwrap_or_default()));
    }

    /// Prepares to search among these, unless that was done lately.
    fn select(&self, members: Vec<usize>) -> Arc<Selection> {
        let mut known = self.selections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|selection| selection.members() == members) {
            return Arc::clone(found);
        }
        let selection = Arc::new(self.index.select(members));
        if known.len() >= MOST_SELECTIONS {
            known.remove(0);
        }
        known.push(Arc::clone(&selection));
        selection
    }

    /// The numbers of skills of a hall; nothing where they are not all here.
    fn members(&self, hall: &Hall, entries: &[&Entry]) -> Option<Vec<usize>> {
        let (version, numbers) = self.current.as_ref()?;
        let place = |entry: &&Entry| hall.snapshot.skills.element_offset(entry);
        let number = |entry: &&Entry| numbers.get(place(entry)?).copied();
        (*version == hall.snapshot.version).then(|| entries.iter().map(number).collect())?
    }
}

/// All that a skill is found by, and where it lies: two skills may say the same.
fn state(entry: &Entry) -> Fingerprint {
    let mut state = Fingerprinter::default();
    let skill = &entry.skill;
    let texts = [&skill.name, &*entry.qualified_name(), &skill.description];
    texts.into_iter().for_each(|text| state.add(text.as_bytes()));
    state.add(skill.when_to_use.as_deref().unwrap_or_default().as_bytes());
    state.add(entry.place.path().as_os_str().as_encoded_bytes());
    state.add(&entry.fingerprint.to_bytes());
    state.finish()
}

fn document<'a>(entry: &'a Entry, qualified_name: &'a str, body: &'a str) -> Document<'a> {
    Document {
        name: &entry.skill.name,
        qualified_name,
        description: &entry.skill.description,
        when_to_use: entry.skill.when_to_use.as_deref().unwrap_or_default(),
        body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_catalog::{Freshness, Machine};
    use guild_testkit::Fixture;
    use std::sync::Arc;

    fn hall(fixture: &Fixture, memory: Option<&Arc<Memory>>) -> Hall {
        let machine = Machine { directory: fixture.join("p"), ..Machine::default() };
        let mut hall = Hall::open(machine, &[], Freshness::Reread);
        hall.memory = memory.map(Arc::clone);
        hall
    }

    fn skill(name: &str, text: &str) -> String {
        format!(
            "//- /p/.git/\n//- /p/.guild/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: Says it\n---\n{text}\n"
        )
    }

    fn found(hall: &Hall, query: &str) -> Vec<String> {
        let entries: Vec<&Entry> = hall.snapshot.skills.iter().collect();
        let name = |hit: &Hit| entries[hit.index].qualified_name().into_owned();
        hall.ranked(&entries, query, 10).iter().map(name).collect()
    }

    #[test]
    fn a_text_is_read_once_for_each_state_of_its_file() {
        let fixture = Fixture::write(&skill("a", "walrus"));
        let memory = Arc::new(Memory::default());
        let first = hall(&fixture, Some(&memory));
        assert_eq!(found(&first, "walrus"), ["a"]);
        let kept = memory.words.read().unwrap().index.len();
        fixture.add(&skill("a", "narwhal"));
        assert_eq!(found(&first, "walrus"), ["a"], "a hall is searched as it was seen");
        let second = hall(&fixture, Some(&memory));
        assert_eq!((found(&second, "walrus"), found(&second, "narwhal")), (vec![], vec!["a".to_owned()]));
        assert_eq!(memory.words.read().unwrap().index.len(), kept + 1);
        assert_eq!(found(&first, "walrus"), ["a"], "a hall is searched as it was seen");
        assert_eq!(memory.words.read().unwrap().index.len(), kept + 1);
    }

    #[test]
    fn what_is_remembered_changes_no_answer() {
        let fixture = Fixture::write(&skill("a", "Find a walrus on the ice, and count its teeth."));
        fixture.add(&skill("b-walrus", "Count what there is."));
        fixture.add(&skill("c", "Teeth, teeth and counting."));
        let memory = Arc::new(Memory::default());
        let (plain, serving) = (hall(&fixture, None), hall(&fixture, Some(&memory)));
        let all = |hall: &Hall, query: &str, skip: usize| {
            let entries: Vec<&Entry> = hall.snapshot.skills.iter().skip(skip).rev().collect();
            hall.ranked(&entries, query, 10)
        };
        for query in ["walrus", "count teeth", "wa", "walruss", "says it", "x", ""] {
            for skip in [0, 1] {
                assert_eq!(all(&serving, query, skip), all(&plain, query, skip), "{query}");
            }
        }
    }
}
