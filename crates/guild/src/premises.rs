//! What a command needs that serves agents for a long time.

use crate::surroundings;
use crate::ui::Ui;
use guild_agent::Runners;
use guild_engine::{Code, Opening, Premises, Refusal, container_backends, containers, skill_tool_problems};
use guild_mcp::{McpTools, Server, Settings};
use std::fmt::Display;
use std::sync::Arc;

/// Everything that this process owns.
pub async fn open(ui: &Ui) -> Result<Arc<Premises>, Refusal> {
    let machine = ui.machine().clone();
    let opening = Opening {
        places: ui.places(),
        images: ui.images(),
        backends: container_backends(&ui.surroundings()),
        providers: vec![Box::new(McpTools::default())],
        subagents: Some(Box::new(Runners::new(surroundings::program()))),
        look: Box::new(move || (surroundings::again(&machine), surroundings::config_files(&machine))),
        clock: Box::new(surroundings::now),
    };
    Premises::open(opening).await.map(Arc::new)
}

/// What serves an agent there. Skills that should be tools and are none are told of first.
pub fn server(premises: Arc<Premises>, agent: &str, ui: &Ui) -> Result<Server, Refusal> {
    for problem in skill_tool_problems(&premises.hall()) {
        ui.warn(&format!("{}: {}", problem.code, problem.message));
    }
    let key = containers::random_bytes().map_err(|error| failed(&error))?;
    let settings = Settings { agent: agent.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    Ok(Server::new(premises, settings, key))
}

/// A failure that nobody has foreseen.
pub fn failed(error: &dyn Display) -> Refusal {
    Refusal::new(Code::Internal, error.to_string())
}
