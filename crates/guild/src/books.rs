//! The installation's books for the commands that need them: opened, asked, and left as they are.

use crate::runtime;
use crate::ui::Ui;
use guild_engine::{Books, Code, Envelope, Hall, configure};

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

/// Counts the warnings that a person has allowed. Where the books cannot be read none is, which is said and is no reason to stop:
/// nothing becomes safer to load by it.
pub fn allow(ui: &Ui, hall: &mut Hall) {
    let read = runtime::block_on(async {
        let places = ui.places();
        let books = Books::open_existing(&places, &hall.config, &hall.ignored_config).await;
        match books {
            Ok(Some(books)) => {
                let allowed = hall.allow(&books).await;
                books.leave();
                allowed.map_err(|refusal| refusal.message)
            }
            Ok(None) => Ok(()),
            Err(refusal) => Err(refusal.message),
        }
    });
    let problem = read.map_err(|error| error.to_string()).and_then(|read| read);
    if let Err(message) = problem {
        ui.warn(&format!("{message}; allowed warnings are shown"));
    }
}
