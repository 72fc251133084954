//! `guild mcp`

use crate::runtime;
use crate::surroundings;
use crate::ui::Ui;
use guild_engine::ledger::DEFAULT_AGENT;
use guild_engine::{Code, Envelope, Opening, Premises, Refusal, container_backends, containers};
use guild_mcp::{McpTools, Server, Settings, serve_stdio};
use std::process::ExitCode;
use std::sync::Arc;

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
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let served = runtime::block_on(async {
        let premises = Premises::open(opening(ui)).await?;
        let key = containers::random_bytes().map_err(|error| failed(&error.to_string()))?;
        let settings = Settings { agent: args.agent.clone(), version: env!("CARGO_PKG_VERSION").to_owned() };
        serve_stdio(Server::new(Arc::new(premises), settings, key)).await.map_err(|error| failed(&error))
    });
    match served.map_err(|error| failed(&error.to_string())) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(refusal)) | Err(refusal) => {
            let envelope: Envelope<()> = refusal.into_envelope();
            ui.finish(&envelope, |(), _, _| Ok(()))
        }
    }
}

fn opening(ui: &Ui) -> Opening {
    let machine = ui.machine().clone();
    Opening {
        places: ui.places(),
        images: ui.images(),
        backends: container_backends(&ui.surroundings()),
        providers: vec![Box::new(McpTools::default())],
        look: Box::new(move || (surroundings::again(&machine), surroundings::config_files(&machine))),
        clock: Box::new(surroundings::now),
    }
}

fn failed(message: &str) -> Refusal {
    Refusal::new(Code::Internal, message)
}
