//! The front door for a program that has the engine in it: premises at a project, and skills and tools asked for by name.
//!
//! The same operations as everywhere, for the person whose program it is. Nothing is decided here.

use std::path::Path;
use std::time::SystemTime;

use guild_catalog::Machine;
use guild_ledger::{Principal, via};
use guild_sandbox::Chunk;
use serde_json::{Map, Value};

use crate::ports::Answer;
use crate::premises::{Opening, Premises};
use crate::run::{Consent, Given, Invocation, ToolRequest, run, tools_call};
use crate::{Envelope, Refusal, reply};

impl Premises {
    /// The premises of whoever works in a project and has this home.
    ///
    /// # Errors
    /// Where the books cannot be opened.
    pub async fn at(
        project: impl AsRef<Path>,
        home: impl AsRef<Path>,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Result<Self, Refusal> {
        let (directory, home) = (project.as_ref().to_owned(), Some(home.as_ref().to_owned()));
        Self::open(Opening::of(&Machine { directory, home, ..Machine::default() }, clock)).await
    }

    /// Runs a skill for the person whose program this is, who may have decided already.
    pub async fn run(
        &self,
        skill: &str,
        parameters: Map<String, Value>,
        answer: Option<Answer>,
    ) -> Envelope<reply::Run> {
        let (hall, person, mut unseen) = (self.hall(), Principal::person(via::FLAG), |_: &Chunk| {});
        let given = Given { values: parameters, ..Given::default() };
        let invocation = Invocation {
            consent: answer.map(by_flag),
            ..Invocation::new(skill, &person, &given, &mut unseen)
        };
        run(&self.workshop(&hall), invocation).await
    }

    /// Calls a tool, as `provider:tool`, for the same person.
    pub async fn call(
        &self,
        tool: &str,
        input: Map<String, Value>,
        answer: Option<Answer>,
    ) -> Envelope<reply::Run> {
        let (hall, person) = (self.hall(), Principal::person(via::FLAG));
        let given = Given { values: input, ..Given::default() };
        let request = ToolRequest { consent: answer.map(by_flag), ..ToolRequest::new(tool, &given, &person) };
        tools_call(&self.workshop(&hall), request).await
    }
}

fn by_flag(answer: Answer) -> Consent {
    Consent { answer, via: via::FLAG }
}
