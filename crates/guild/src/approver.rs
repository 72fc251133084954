//! A person at this terminal, asked before a run: everything it is about is shown, and a whole word has to be typed.

use crate::confirm::choose;
use crate::print::told;
use crate::ui::Ui;
use guild_engine::ledger::via;
use guild_engine::ports::{Answer, Approver, Pending, Question};

/// Asks on standard error, and reads standard input.
pub struct TerminalApprover<'u> {
    ui: &'u Ui,
}

impl<'u> TerminalApprover<'u> {
    /// The person whom a command talks to.
    pub fn new(ui: &'u Ui) -> Self {
        Self { ui }
    }

    fn show(&self, question: &Question) -> std::io::Result<()> {
        self.ui.show(|style, out| told(&question.told(), style, out))
    }
}

impl Approver for TerminalApprover<'_> {
    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Option<Answer>> {
        Box::pin(async move {
            self.show(question).ok()?;
            // On a thread of its own: who does not answer must not keep the clock from running.
            let typed = tokio::task::spawn_blocking(|| choose("Run it?", &["once", "always", "deny", "no"]));
            match typed.await.ok()?.ok()?? {
                "once" => Some(Answer::Once),
                "always" => Some(Answer::Always { lasting: None }),
                "deny" => Some(Answer::Deny),
                _ => None,
            }
        })
    }

    fn via(&self) -> &'static str {
        via::TERMINAL
    }
}
