//! `guild mcp`

use crate::premises::{self, failed};
use crate::runtime;
use crate::ui::Ui;
use guild_engine::Envelope;
use guild_engine::ledger::DEFAULT_AGENT;
use guild_mcp::{serve_child, serve_stdio};
use std::process::ExitCode;

/// Serve skills to an agent by the Model Context Protocol
///
/// An agent's program starts it and talks to it over standard input and output: `guild connect` writes that into its configuration. The agent finds skills, reads them and asks for
/// runs; what needs a person's approval is asked through its program where that can ask, and waits for `guild approve` where it
/// cannot. It ends when nobody writes to it any more.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent that is served, which decides what it may have
    #[arg(long, value_name = "AGENT", default_value = DEFAULT_AGENT)]
    agent: String,
    /// Serve the tools of a child agent's run alone, as long as it is under way
    #[arg(long, value_name = "RUN", hide = true)]
    run: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let served = runtime::block_on(async {
        let premises = premises::open(ui).await?;
        if let Some(run) = &args.run {
            return serve_child(premises, run.clone()).await.map_err(|error| failed(&error));
        }
        let server = premises::server(premises, &args.agent, ui)?;
        serve_stdio(server).await.map_err(|error| failed(&error))
    });
    match served.map_err(|error| failed(&error)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(refusal)) | Err(refusal) => {
            let envelope: Envelope<()> = refusal.into_envelope();
            ui.finish(&envelope, |(), _, _| Ok(()))
        }
    }
}
