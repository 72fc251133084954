//! What a process that serves remembers between two calls, so that neither the texts of skills nor what the vet found are read again for
//! each of them.
//!
//! It is a cache: what it holds is bound to the content or the file that it came from, and without it every answer is the same.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use guild_catalog::{Entry, Fingerprint, bodies};

use crate::hall::Hall;
use crate::vet::Remembered;

/// The most that is kept of texts, in bytes; what is beyond is read for each search.
const MOST_BYTES: usize = 128 * 1024 * 1024;

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    texts: Mutex<Texts>,
    /// What the vet found, as it was read last.
    pub vetted: Mutex<Option<Remembered>>,
}

/// Texts of skills by the fingerprint of their file.
#[derive(Debug, Default)]
struct Texts {
    kept: HashMap<Fingerprint, Arc<String>>,
    bytes: usize,
}

impl Hall {
    /// The texts of skills below their frontmatter, in order; empty for one whose file cannot be read now.
    pub(crate) fn bodies(&self, entries: &[&Entry]) -> Vec<Arc<String>> {
        match &self.memory {
            Some(memory) => memory.texts.lock().unwrap_or_else(PoisonError::into_inner).of(self, entries),
            None => bodies(entries).into_iter().map(Arc::new).collect(),
        }
    }
}

impl Texts {
    fn of(&mut self, hall: &Hall, entries: &[&Entry]) -> Vec<Arc<String>> {
        let known: Vec<Option<Arc<String>>> =
            entries.iter().map(|entry| self.kept.get(&entry.fingerprint).cloned()).collect();
        let missing: Vec<&Entry> = entries
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|(entry, _)| *entry)
            .collect();
        if !missing.is_empty() {
            self.forget_what_is_gone(hall);
        }
        let mut read = missing.iter().zip(bodies(&missing)).map(|(entry, body)| self.keep(entry, body));
        known.into_iter().map(|known| known.or_else(|| read.next()).unwrap_or_default()).collect()
    }

    fn keep(&mut self, entry: &Entry, body: String) -> Arc<String> {
        let body = Arc::new(body);
        if self.bytes + body.len() <= MOST_BYTES
            && self.kept.insert(entry.fingerprint, Arc::clone(&body)).is_none()
        {
            self.bytes += body.len();
        }
        body
    }

    fn forget_what_is_gone(&mut self, hall: &Hall) {
        let there: HashSet<Fingerprint> =
            hall.snapshot.skills.iter().map(|entry| entry.fingerprint).collect();
        self.kept.retain(|fingerprint, _| there.contains(fingerprint));
        self.bytes = self.kept.values().map(|body| body.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_catalog::{Freshness, Machine};
    use guild_testkit::Fixture;

    fn hall(fixture: &Fixture, memory: &Arc<Memory>) -> Hall {
        let machine = Machine { directory: fixture.join("p"), ..Machine::default() };
        let mut hall = Hall::open(machine, &[], Freshness::Reread);
        hall.memory = Some(Arc::clone(memory));
        hall
    }

    fn texts(hall: &Hall) -> Vec<String> {
        let entries: Vec<&Entry> =
            hall.snapshot.skills.iter().filter(|entry| entry.place.plugin.is_none()).collect();
        hall.bodies(&entries).iter().map(|body| body.trim().to_owned()).collect()
    }

    #[test]
    fn a_text_is_read_once_for_each_state_of_its_file_and_forgotten_with_it() {
        let skill = |text: &str| {
            format!(
                "//- /p/.git/\n//- /p/.guild/skills/a/SKILL.md\n---\nname: a\ndescription: Says it\n---\n{text}\n"
            )
        };
        let fixture = Fixture::write(&skill("one"));
        let memory = Arc::new(Memory::default());
        let first = hall(&fixture, &memory);
        assert!(texts(&first).contains(&"one".to_owned()));
        let kept = memory.texts.lock().unwrap().kept.len();
        fixture.add(&skill("two"));
        assert!(texts(&first).contains(&"one".to_owned()), "a hall is searched as it was seen");
        let second = hall(&fixture, &memory);
        assert!(texts(&second).contains(&"two".to_owned()));
        assert_eq!(memory.texts.lock().unwrap().kept.len(), kept);
    }
}
