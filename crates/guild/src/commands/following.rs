//! A run as it is followed: its output, that it waits for somebody, that it takes a while.

use crate::print::{LiveOutput, Waiting};
use crate::ui::{self, Ui};
use guild_engine::containers::Chunk;
use guild_engine::{Code, Envelope, Stage, Status};

/// Follows one run.
pub struct Following<'u> {
    ui: &'u Ui,
    waiting: Waiting,
}

impl<'u> Following<'u> {
    /// Follows the run of `what`.
    pub fn new(ui: &'u Ui, what: &str) -> Self {
        Self { ui, waiting: Waiting::new(ui.shows_progress(), what) }
    }

    /// Passes output on; whoever says something is seen to be alive.
    pub fn output(&self, chunk: &Chunk, live: &mut LiveOutput) {
        self.waiting.stop();
        live.show(chunk);
    }

    /// Says how far it is.
    pub fn stage(&self, stage: Stage<'_>) {
        match stage {
            Stage::Waits { request } => {
                self.ui.tell_line(&format!("waits for an answer: guild approve {request}"));
            }
            Stage::Asks { request } => {
                self.waiting.stop();
                let message = "its tool asks something";
                self.ui.tell_line(&format!(
                    "{message}: guild requests shows it, guild approve {request} answers"
                ));
            }
            Stage::Runs => self.waiting.start(),
        }
    }

    /// Takes the line away.
    pub fn quiet(&self) {
        self.waiting.stop();
    }

    /// Takes the line away and shows what was held back. A run whose output is lost has not gone well for whoever wants it.
    pub fn end<T>(&self, live: &mut LiveOutput, ended: Envelope<T>) -> Envelope<T> {
        self.waiting.stop();
        match live.finish() {
            Err(error) if ended.status == Status::Ok => {
                Envelope::error(Code::WriteFailed, ui::unwritten(&error), ended.data)
            }
            _ => ended,
        }
    }
}
