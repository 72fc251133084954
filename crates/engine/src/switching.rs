//! What discovery is told of the books: what was switched on and off by command, and which secrets are kept.

use std::collections::BTreeSet;

use guild_catalog::{Freshness, Machine, Switches};

use crate::Books;
use crate::hall::{ConfigFile, Hall};

/// What the books say of what may be used.
#[derive(Debug, Default)]
pub struct Switching {
    /// What is off, why and for whom.
    pub switches: Switches,
    /// The names of the secrets that are kept.
    pub credentials: BTreeSet<String>,
    /// Why that is not known.
    pub unread: Option<String>,
}

impl Switching {
    /// Reads it in the books that are open.
    pub async fn of(books: &Books) -> Self {
        match (books.switches().await, books.credentials().await) {
            (Ok(switches), Ok(credentials)) => Self { switches, credentials, unread: None },
            (Err(refusal), _) | (_, Err(refusal)) => Self::unread(refusal.message),
        }
    }

    /// Nobody can tell, and this is why.
    pub fn unread(why: String) -> Self {
        Self { unread: Some(why), ..Self::default() }
    }

    /// Whether a hall was opened by it.
    pub fn is_of(&self, hall: &Hall) -> bool {
        let machine = &hall.machine;
        self.switches == machine.switches
            && self.credentials == machine.credentials
            && self.unread == hall.unread_registry
    }

    /// The machine with what is known.
    pub fn over(self, machine: Machine) -> Machine {
        Machine { switches: self.switches, credentials: self.credentials, ..machine }
    }
}

impl Hall {
    /// Discovers everything, as far as it is not switched off.
    pub fn open_switched(
        switching: Switching,
        machine: Machine,
        files: &[ConfigFile],
        freshness: Freshness,
    ) -> Self {
        let unread = switching.unread.clone();
        let mut hall = Self::open(switching.over(machine), files, freshness);
        hall.unread_registry = unread;
        hall
    }
}
