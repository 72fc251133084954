//! The installation's books for the commands that need them: opened, asked, and left as they are.

use crate::runtime;
use crate::ui::Ui;
use guild_engine::catalog::{Machine, Switches};
use guild_engine::{Books, Code, ConfigFile, Envelope, Hall, configure};
use std::collections::BTreeSet;

/// What a command does with the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It looks.
    Read,
    /// It writes, so that runs whose process is gone are written down first.
    Write,
}

/// Asks something of the books; where they cannot be opened, that is the answer.
pub fn ask<T: Default>(
    ui: &Ui,
    access: Access,
    question: impl AsyncFnOnce(&Books) -> Envelope<T>,
) -> Envelope<T> {
    let asked = runtime::block_on(async {
        let configured = configure(&ui.config_files());
        let (places, config, ignored) = (ui.places(), &configured.config, &configured.ignored);
        let opened = match access {
            Access::Read => Books::open(&places, config, ignored).await,
            Access::Write => Books::open_to_write(&places, config, ignored, ui.moment()).await,
        };
        match opened {
            Ok(books) => {
                let envelope = question(&books).await;
                books.leave();
                envelope
            }
            Err(refusal) => refusal.into_envelope(),
        }
    });
    asked.unwrap_or_else(|error| Envelope::error(Code::Internal, error.to_string(), T::default()))
}

/// What discovery is told of the books: what was switched on and off by command, and which secrets are kept.
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

    /// The machine with what is known.
    pub fn over(self, machine: &Machine) -> Machine {
        Machine { switches: self.switches, credentials: self.credentials, ..machine.clone() }
    }

    /// Nobody can tell.
    fn unread(why: String) -> Self {
        Self { unread: Some(why), ..Self::default() }
    }

    /// Reads it, if there are books.
    pub fn read(ui: &Ui, files: &[ConfigFile]) -> Self {
        let configured = configure(files);
        let places = ui.places();
        // Where the configuration cannot be read agents are offered nothing at all, and nothing more is to be known.
        if !configured.ignored.is_empty() || !Books::exist(&places, &configured.config) {
            return Self::default();
        }
        let read = runtime::block_on(async {
            let books = Books::open(&places, &configured.config, &configured.ignored).await;
            let books = match books {
                Ok(books) => books,
                Err(refusal) => return Self::unread(refusal.message),
            };
            let read = Self::of(&books).await;
            books.leave();
            read
        });
        read.unwrap_or_else(|error| Self::unread(error.to_string()))
    }
}

/// Counts the warnings that a person has allowed. Where the books cannot be read none is, which is said and is no reason to stop:
/// nothing becomes safer to load by it.
pub fn allow(ui: &Ui, hall: &mut Hall) {
    let places = ui.places();
    if !Books::exist(&places, &hall.config) {
        return;
    }
    let read = runtime::block_on(async {
        let books = Books::open(&places, &hall.config, &hall.ignored_config).await?;
        let allowed = hall.allow(&books).await;
        books.leave();
        allowed
    });
    let problem = match read {
        Ok(Ok(())) => return,
        Ok(Err(refusal)) => refusal.message,
        Err(error) => error.to_string(),
    };
    ui.warn(&format!("{problem}; allowed warnings are shown"));
}
