//! Child agents: programs that answer, and models behind an address, for skills that ask for an agent of their own.
//!
//! Wire types and transport only. Who runs a skill is the person's configuration; which tools a child agent has and whether a call
//! may be is the engine's to decide, for every call again.

mod command;
mod http;

use std::path::PathBuf;

use guild_engine::ports::{Pending, SubagentError, SubagentRunner, SubagentTask};
use guild_engine::security_hash::RunnerIdentity;
use guild_engine::{RunnerSettings, RunnerWay, Workshop, runner_for};

/// The runners that the configuration names.
pub struct Runners {
    /// This program, which serves a child's program its tools.
    guild: PathBuf,
}

impl Runners {
    /// `guild` is the program that a child's program asks for its tools.
    pub fn new(guild: PathBuf) -> Self {
        Self { guild }
    }
}

impl SubagentRunner for Runners {
    fn choose(&self, workshop: &Workshop<'_>, skill: &str, model: Option<&str>) -> Option<RunnerIdentity> {
        runner_for(&workshop.hall.config, skill).map(|runner| runner.identity(model))
    }

    fn run<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        task: &'a SubagentTask<'a>,
    ) -> Pending<'a, Result<String, SubagentError>> {
        Box::pin(async move {
            let runner = approved(workshop, task)?;
            let patience = runner.timeout.map_or(task.time, |own| own.min(task.time));
            let answer = async {
                match &runner.way {
                    RunnerWay::Command(program) => {
                        command::run(&self.guild, program, workshop, task, patience).await
                    }
                    RunnerWay::Http(address) => http::run(address, workshop, task).await,
                }
            };
            let late = |_| {
                let seconds = patience.as_secs();
                SubagentError::TimedOut(format!("`{}` gave no answer within {seconds} seconds", runner.name))
            };
            tokio::time::timeout(patience, answer).await.map_err(late)?
        })
    }
}

/// The runner, if it is still the one that was approved.
fn approved(workshop: &Workshop<'_>, task: &SubagentTask<'_>) -> Result<RunnerSettings, SubagentError> {
    let gone = || {
        SubagentError::Unavailable(format!("the runner `{}` is not configured any more", task.runner.name))
    };
    let runner = runner_for(&workshop.hall.config, task.skill).ok_or_else(gone)?;
    let now = runner.identity(None);
    let is_same =
        (&now.name, &now.kind, &now.target) == (&task.runner.name, &task.runner.kind, &task.runner.target);
    if is_same { Ok(runner) } else { Err(gone()) }
}
