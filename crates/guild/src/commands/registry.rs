//! `guild registry`

use crate::print::{Cell, Ink, Style, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::Registry;
use guild_engine::{Status, counted, registry};
use std::io::{self, Write};
use std::process::ExitCode;

/// Show what the plugins that you have switched on bring, all together
///
/// Tools, sections of a prompt by their priority, components, query types and action handlers. A plugin that nobody has switched on
/// with `guild enable` brings nothing, and neither does one that the vet denies. Two plugins that claim one tool's name are an error.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// As this agent has it
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let mut envelope = registry(&hall, args.agent.as_deref());
    if envelope.status == Status::Ok {
        let data = &envelope.data;
        let parts = [counted(data.plugins.len(), "plugin"), counted(data.tools.len(), "tool")];
        let denied = (!data.denied.is_empty())
            .then(|| format!("denied by the vet (see `guild vet`): {}", data.denied.join(", ")));
        envelope.message = parts.into_iter().chain(denied).collect::<Vec<_>>().join(", ");
    }
    ui.finish(&envelope, print)
}

fn print(data: &Registry, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut rows: Vec<(&str, &str, String, &str)> = Vec::new();
    for tool in &data.tools {
        rows.push(("tool", &tool.name, tool.plugin.clone(), &tool.description));
    }
    for section in &data.prompt_sections {
        let whose = section.plugin.as_deref().or(section.skill.as_deref()).unwrap_or_default();
        rows.push(("prompt", &section.heading, format!("{whose} ({})", section.priority), &section.content));
    }
    for component in &data.components {
        rows.push(("component", &component.kind, component.plugin.clone(), &component.description));
    }
    for query in &data.query_types {
        rows.push(("query", &query.name, query.plugin.clone(), &query.description));
    }
    for handler in &data.action_handlers {
        rows.push(("action", &handler.action, handler.plugin.clone(), &handler.description));
    }
    let cells: Vec<[Cell<'_>; 4]> = rows
        .iter()
        .map(|(what, name, whose, about)| {
            [Cell::plain(what), Cell::new(Ink::Bold, name), Cell::plain(whose), Cell::plain(about)]
        })
        .collect();
    if cells.is_empty() { Ok(()) } else { table(["WHAT", "NAME", "FROM", "ABOUT"], &cells, style, out) }
}
