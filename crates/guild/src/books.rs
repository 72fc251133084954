//! The installation's books for the commands that need them: opened, asked, and left as they are.

use crate::runtime;
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::{Books, Code, ConfigFile, Configured, Envelope, Hall, Refusal, Switching, configure};
use std::io;
use std::mem::ManuallyDrop;

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

/// What a hall learns from the books beside what was switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lesson {
    /// How runs have ended, and what people thought of them.
    Experience,
    /// The warnings that a person has allowed. Where the books cannot be read none is, which is said and is no reason to stop:
    /// nothing becomes safer to load by it.
    Allowed,
}

/// Discovers everything, and learns something from the books, which are opened once for all of it.
pub fn hall(ui: &Ui, freshness: Freshness, lesson: Lesson) -> ManuallyDrop<Hall> {
    let (files, places) = (ui.config_files(), ui.places());
    let Configured { config, ignored, .. } = configure(&files);
    if !Books::exist(&places, &config) {
        return ui.hall_with(Switching::default(), &files, freshness);
    }
    let read: io::Result<Result<_, Refusal>> = runtime::block_on(async {
        let books = Books::open(&places, &config, &ignored).await?;
        let mut hall = ui.hall_with(Switching::of(&books).await, &files, freshness);
        lesson.learn(ui, &mut hall, &books).await;
        books.leave();
        Ok(hall)
    });
    let why = match read {
        Ok(Ok(hall)) => return hall,
        Ok(Err(refusal)) => refusal.message,
        Err(error) => error.to_string(),
    };
    // Where the configuration cannot be read agents are offered nothing at all, and nothing more is to be known.
    let is_known = !ignored.is_empty();
    let switching = if is_known { Switching::default() } else { Switching::unread(why.clone()) };
    let hall = ui.hall_with(switching, &files, freshness);
    if !(is_known && lesson == Lesson::Experience) {
        lesson.missed(ui, &why);
    }
    hall
}

impl Lesson {
    /// Has a hall learn it from books that are open.
    pub async fn learn(self, ui: &Ui, hall: &mut Hall, books: &Books) {
        let read = match self {
            Self::Experience => hall.remember(books).await,
            Self::Allowed => hall.allow(books).await,
        };
        if let Err(refusal) = read {
            self.missed(ui, &refusal.message);
        }
    }

    fn missed(self, ui: &Ui, why: &str) {
        let so = match self {
            Self::Experience => "what is known of runs is left out",
            Self::Allowed => "allowed warnings are shown",
        };
        ui.warn(&format!("{why}; {so}"));
    }
}
