//! The installation's books for the commands that need them: opened, asked, and left as they are.

use crate::runtime;
use crate::ui::Ui;
use guild_engine::{Books, Code, ConfigFile, Envelope, Hall, Refusal, Switching, configure};

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

/// What was switched on and off by command, if there are books that say so.
pub fn switching(ui: &Ui, files: &[ConfigFile]) -> Switching {
    let configured = configure(files);
    let places = ui.places();
    // Where the configuration cannot be read agents are offered nothing at all, and nothing more is to be known.
    if !configured.ignored.is_empty() || !Books::exist(&places, &configured.config) {
        return Switching::default();
    }
    let read = runtime::block_on(async {
        let books = Books::open(&places, &configured.config, &configured.ignored).await;
        let books = match books {
            Ok(books) => books,
            Err(refusal) => return Switching::unread(refusal.message),
        };
        let read = Switching::of(&books).await;
        books.leave();
        read
    });
    read.unwrap_or_else(|error| Switching::unread(error.to_string()))
}

/// Counts how runs have ended and what people thought of them. Where the books cannot be read nothing is known, which is said.
pub fn remember(ui: &Ui, hall: &mut Hall) {
    if hall.ignored_config.is_empty() {
        learn(ui, hall, async |hall, books| hall.remember(books).await, "what is known of runs is left out");
    }
}

/// Counts the warnings that a person has allowed. Where the books cannot be read none is, which is said and is no reason to stop:
/// nothing becomes safer to load by it.
pub fn allow(ui: &Ui, hall: &mut Hall) {
    learn(ui, hall, async |hall, books| hall.allow(books).await, "allowed warnings are shown");
}

/// Has the hall learn something from the books, if there are any; `else_so` is said where they cannot be read.
fn learn(
    ui: &Ui,
    hall: &mut Hall,
    read: impl AsyncFnOnce(&mut Hall, &Books) -> Result<(), Refusal>,
    else_so: &str,
) {
    let places = ui.places();
    if !Books::exist(&places, &hall.config) {
        return;
    }
    let read = runtime::block_on(async {
        let books = Books::open(&places, &hall.config, &hall.ignored_config).await?;
        let read = read(hall, &books).await;
        books.leave();
        read
    });
    let problem = match read {
        Ok(Ok(())) => return,
        Ok(Err(refusal)) => refusal.message,
        Err(error) => error.to_string(),
    };
    ui.warn(&format!("{problem}; {else_so}"));
}
