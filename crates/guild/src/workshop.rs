//! The workshop of this process: everything that running a skill needs, put together for one command.

use crate::approver::TerminalApprover;
use crate::runtime;
use crate::surroundings;
use crate::ui::Ui;
use clap::ValueEnum;
use guild_agent::Runners;
use guild_engine::catalog::Freshness;
use guild_engine::ledger::via;
use guild_engine::ports::{Answer, Approver, ToolProvider};
use guild_engine::{
    ANSWER_PATIENCE, Books, Code, Configured, Consent, Lifetime, Refusal, Switching, Workshop, configure,
    container_backends,
};
use guild_mcp::McpTools;

/// How a person approves in the same breath as they ask.
#[derive(Debug, Default, clap::Args)]
pub struct ConsentArgs {
    /// Approve it in the same breath: exactly this run, or every run of the skill as it is now
    #[arg(long, value_enum, value_name = "HOW")]
    approve: Option<Approve>,
    /// How long `--approve always` holds, such as 30d
    #[arg(long = "for", value_name = "TIME", requires = "approve")]
    lifetime: Option<Lifetime>,
    /// Wait so long for somebody's answer, such as 5m; without a time for 10 minutes
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "10m")]
    pub wait: Option<Lifetime>,
}

/// How to approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Approve {
    /// Exactly this run, one time
    Once,
    /// Every run of the skill as it is now, in this workspace
    Always,
}

impl ConsentArgs {
    /// What the person has decided already.
    pub fn consent(&self, ui: &Ui) -> Option<Consent> {
        let lasting = self.lifetime.map(|lifetime| lifetime.0);
        let answer = match self.approve? {
            Approve::Once => Answer::Once,
            Approve::Always => Answer::Always { lasting },
        };
        let via = if ui.is_terminal() { via::TERMINAL } else { via::FLAG };
        Some(Consent { answer, via })
    }
}

/// Does something in the workshop, on this thread: containers die with the thread that launched them.
pub fn within<T>(ui: &Ui, work: impl AsyncFnOnce(&Workshop<'_>) -> T) -> Result<T, Refusal> {
    let ended = runtime::block_on(async {
        let (files, places) = (ui.config_files(), ui.places());
        let Configured { config, ignored, .. } = configure(&files);
        // Containers are surveyed while the books are opened: neither needs the other.
        let surroundings = ui.surroundings();
        let surveying = tokio::task::spawn_blocking(move || container_backends(&surroundings));
        let opening = Books::open_to_write(&places, &config, &ignored, ui.moment());
        let (surveyed, opened) = tokio::join!(surveying, opening);
        let books = opened?;
        let backends = surveyed.map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
        let mut hall = ui.hall_with(Switching::of(&books).await, &files, Freshness::Indexed);
        hall.allow(&books).await?;
        let (images, store) = (ui.images(), places.store()?);
        let person = TerminalApprover::new(ui);
        let approver: Option<&dyn Approver> = if ui.is_terminal() { Some(&person) } else { None };
        let providers: [Box<dyn ToolProvider>; 1] = [Box::new(McpTools::default())];
        let runners = Runners::new(surroundings::program());
        let clock = || ui.now();
        let workshop = Workshop {
            hall: &hall,
            places: &places,
            images: &images,
            backends: &backends,
            store: &store,
            books: &books,
            providers: &providers,
            subagents: Some(&runners),
            approver,
            patience: approver.map(|_| ANSWER_PATIENCE),
            clock: &clock,
        };
        let done = work(&workshop).await;
        books.leave();
        Ok(done)
    });
    let no_runtime = |error| Refusal::new(Code::Internal, format!("cannot start a runtime: {error}"));
    ended.map_err(no_runtime)?
}
