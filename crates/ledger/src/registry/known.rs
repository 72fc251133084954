//! Everything that is registered, to be found by its place and by its id: of many that come at once each is looked for.
//!
//! What is found here is what signed records say; nothing is read or written.

use std::collections::HashMap;

use super::{Registration, Subject, identity};

/// Everything that is registered.
#[derive(Debug, Default)]
pub(super) struct Known {
    by_place: HashMap<String, Vec<Registration>>,
    /// Where those of an id lie.
    places: HashMap<String, Vec<String>>,
}

impl Known {
    pub(super) fn of(registrations: Vec<Registration>) -> Self {
        let mut known = Self::default();
        registrations.into_iter().for_each(|registration| known.put(registration));
        known
    }

    pub(super) fn put(&mut self, registration: Registration) {
        let place = registration.subject.place.clone();
        self.places.entry(registration.plugin.clone()).or_default().push(place.clone());
        self.by_place.entry(place).or_default().push(registration);
    }

    /// The id of a skill or plugin at its place: the one that it has, or one that is free.
    pub(super) fn name(&self, subject: &Subject) -> String {
        let places = |id: &str| self.places.get(id).map(Vec::as_slice).unwrap_or_default();
        identity::among(subject, places)
    }

    /// Takes out everything at a place: what has this id, and what else is there.
    pub(super) fn take(&mut self, id: &str, place: &str) -> (Option<Registration>, Vec<Registration>) {
        let here = self.by_place.remove(place).unwrap_or_default();
        for registration in &here {
            if let Some(places) = self.places.get_mut(&registration.plugin) {
                places.retain(|known| known != place);
            }
        }
        let (mut same, others): (Vec<_>, Vec<_>) = here.into_iter().partition(|known| known.plugin == id);
        (same.pop(), others)
    }

    /// All of it, by name.
    pub(super) fn into_sorted(self) -> Vec<Registration> {
        let mut all: Vec<Registration> = self.by_place.into_values().flatten().collect();
        all.sort_by(|a, b| (&a.subject.name, &a.plugin).cmp(&(&b.subject.name, &b.plugin)));
        all
    }
}
