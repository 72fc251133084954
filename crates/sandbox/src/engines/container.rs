//! A container that waits for commands. It ends when it is stopped, when its time is up, or with this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::exec::Prepared;
use super::first::Company;
use super::launch::{self, Job, left_of};
use super::living::Living;
use super::walls::Walls;
use super::worker;
use crate::backend::{Container, LaunchError, Pending};
use crate::child::Child;
use crate::command::Command;
use crate::policy::{Mount, Policy};
use crate::probe::{Feature, Finding};

/// A container of Docker's or Podman's.
pub(super) struct Waiting {
    living: Arc<Living>,
    policy: Policy,
    walls: Walls,
    unenforced: Vec<Feature>,
}

impl Waiting {
    /// Watches over a container that was started, until its time is up.
    pub(super) fn new(living: Living, policy: Policy, walls: Walls, unenforced: Vec<Feature>) -> Waiting {
        let living = Arc::new(living);
        let (guarded, time) = (Arc::downgrade(&living), left_of(policy.limits.timeout, Instant::now()));
        worker::begin(async move {
            tokio::time::sleep(time).await;
            if let Some(living) = guarded.upgrade() {
                // If the engine refuses, dropping the container tries again.
                let _ = living.remove().await;
            }
        });
        Waiting { living, policy, walls, unenforced }
    }
}

impl Container for Waiting {
    fn exec<'a>(
        &'a self,
        command: &'a Command,
        mounts: &'a [Mount],
        timeout: Duration,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        let begun = Instant::now();
        let mut policy = self.policy.clone();
        policy.limits.timeout = timeout;
        policy.scratch.iter_mut().for_each(|scratch| scratch.keep = None);
        Box::pin(async move {
            if !mounts.is_empty() {
                return Err(LaunchError::Unsupported {
                    backend: self.living.connection.backend,
                    feature: Feature::Mounts,
                    finding: Finding::new(
                        "engines cannot mount anything into a container that runs",
                        "start the container with these mounts, or use the embedded runtime",
                    ),
                });
            }
            let prepared = Prepared::new(&policy, command, Company::Others, &self.walls)?;
            let job = Job {
                living: Arc::clone(&self.living),
                company: Company::Others,
                policy,
                program: launch::program(command),
                cwd: command.cwd.clone(),
                unenforced: self.unenforced.clone(),
                begun,
            };
            let (living, stdin) = (Arc::clone(&self.living), command.stdin.clone());
            worker::run(async move {
                match launch::launch(job, prepared, stdin).await {
                    Err(_) if !living.runs().await => Err(LaunchError::Ended),
                    launched => launched,
                }
            })
            .await
        })
    }

    fn alive(&self) -> Pending<'_, bool> {
        let living = Arc::clone(&self.living);
        Box::pin(async move { worker::run(async move { Ok(living.runs().await) }).await.unwrap_or(false) })
    }

    fn stop(self: Box<Self>) -> Pending<'static, Result<(), LaunchError>> {
        Box::pin(async move { worker::run(async move { self.living.remove().await }).await })
    }
}
