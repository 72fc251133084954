//! Why a run does not happen: a code and a sentence, with the reply as far as it had come.

use guild_ledger::receipt;

use crate::{Code, Refusal, reply};

/// A run that ends before it has begun.
#[derive(Debug)]
pub struct Stop {
    /// Its stable word.
    pub code: Code,
    /// What happened, and what to do.
    pub message: String,
    /// What is known by now.
    pub reply: reply::Run,
    /// What was to be run, as far as it had come.
    pub plan: Option<receipt::Plan>,
    /// Whether the books have it already.
    pub is_recorded: bool,
}

impl Stop {
    /// A stop of a skill that is known by its name alone.
    pub fn of(skill: &str, refusal: Refusal) -> Box<Self> {
        Self::new(reply::Run::nothing(skill), refusal)
    }

    /// A stop with what is known by now.
    pub fn new(reply: reply::Run, refusal: Refusal) -> Box<Self> {
        let Refusal { code, message } = refusal;
        Box::new(Self { code, message, reply, plan: None, is_recorded: false })
    }
}
