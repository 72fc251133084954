//! The embedded runtime with all its walls and limits, as everybody else uses it.

use std::error::Error;
use std::time::Duration;

use guild_sandbox::{
    Backend as _, Child, Command, Container, Embedded, ExitStatus, LaunchError, Policy, Surroundings,
};

/// A runtime, and what it runs.
pub struct Contained {
    runtime: tokio::runtime::Runtime,
    embedded: Embedded,
    policy: Policy,
    command: Command,
}

/// Far more than the command needs.
const A_MINUTE: Duration = Duration::from_secs(60);

impl Contained {
    /// A runtime that has launched nothing yet.
    pub fn new() -> Result<Contained, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        #[expect(clippy::disallowed_methods, reason = "this is a program, which reads its own environment")]
        let surroundings = Surroundings {
            runtime_dir: std::env::var_os("XDG_RUNTIME_DIR").map(Into::into),
            ..Surroundings::default()
        };
        Ok(Contained {
            runtime,
            embedded: Embedded::new(&surroundings),
            policy: Policy::default(),
            command: Command::new("/usr/bin/true"),
        })
    }

    /// Runs the command in a container of its own to its end, which is also that of its cgroup.
    pub fn launch(&self) -> Result<(), Box<dyn Error>> {
        self.run(&self.policy, &self.command)
    }

    /// The same with another policy and another command.
    pub fn run(&self, policy: &Policy, command: &Command) -> Result<(), Box<dyn Error>> {
        self.finish(async { self.embedded.launch(policy, command).await })
    }

    /// Starts a container that waits for commands.
    pub fn start(&self) -> Result<Box<dyn Container>, Box<dyn Error>> {
        Ok(self.runtime.block_on(self.embedded.start(&self.policy))?)
    }

    /// Runs the command in a container to its end.
    pub fn exec(&self, container: &dyn Container) -> Result<(), Box<dyn Error>> {
        self.finish(async { container.exec(&self.command, &[], A_MINUTE).await })
    }

    /// Throws a container away.
    pub fn stop(&self, container: Box<dyn Container>) -> Result<(), Box<dyn Error>> {
        Ok(self.runtime.block_on(container.stop())?)
    }

    fn finish(&self, child: impl Future<Output = Result<Child, LaunchError>>) -> Result<(), Box<dyn Error>> {
        let outcome = self.runtime.block_on(async { child.await?.wait().await });
        match outcome.map_err(|error| error.explanation())?.status {
            ExitStatus::Code(0) => Ok(()),
            status => Err(format!("the command ended with {status:?}").into()),
        }
    }
}
