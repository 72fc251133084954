//! `guild tools`

mod call;

use crate::print::{Cell, Ink, escape, table};
use crate::ui::Ui;
use crate::workshop::within;
use guild_engine::reply::{SilentProvider, ToolLine, Tools};
use guild_engine::{Envelope, Refusal, counted, tools_list, tools_show};
use std::process::ExitCode;

/// Show and call tools: our own, plugins', and MCP servers'
///
/// Servers are reached to ask them. A skill calls a tool only if its contract declares it, and somebody else's tool only with your
/// approval.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List them
    List {
        /// Only those of this provider, such as mcp
        #[arg(long, value_name = "PROVIDER")]
        provider: Option<String>,
    },
    /// Show one with the schemas of what it takes and gives
    Show {
        /// The tool, as PROVIDER:TOOL
        #[arg(value_name = "TOOL")]
        name: String,
    },
    Call(call::Args),
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::List { provider } => list(provider.as_deref(), ui),
        Command::Call(args) => call::run(args, ui),
        Command::Show { name } => {
            let asked = within(ui, async |workshop| tools_show(workshop, name).await);
            ui.finish(&asked.unwrap_or_else(Refusal::into_envelope), |tool: &Option<ToolLine>, _, out| {
                let Some(tool) = tool else { return Ok(()) };
                writeln!(out, "tool         {}", escape::exact(&tool.name))?;
                writeln!(out, "description  {}", escape::line(&tool.description))?;
                writeln!(
                    out,
                    "only looks   {}",
                    if tool.read_only { "yes" } else { "not as far as you have said" }
                )?;
                let schemas = [("takes", Some(&tool.input_schema)), ("gives", tool.output_schema.as_ref())];
                for (what, schema) in schemas {
                    let Some(schema) = schema else { continue };
                    let text = serde_json::to_string_pretty(schema).unwrap_or_default();
                    writeln!(out, "{what}")?;
                    text.lines().try_for_each(|line| writeln!(out, "  {}", escape::exact(line)))?;
                }
                Ok(())
            })
        }
    }
}

fn list(provider: Option<&str>, ui: &Ui) -> ExitCode {
    let asked = within(ui, async |workshop| tools_list(workshop, provider).await);
    let mut envelope: Envelope<Tools> = asked.unwrap_or_else(Refusal::into_envelope);
    if envelope.message.is_empty() {
        let silent = match envelope.data.silent.len() {
            0 => String::new(),
            count => format!(", and {} cannot say", counted(count, "provider")),
        };
        let waiting = match envelope.data.waiting.as_slice() {
            [] => String::new(),
            names => format!("; `guild enable NAME` adds those of {}", names.join(", ")),
        };
        envelope.message = format!("{}{silent}{waiting}", counted(envelope.data.count, "tool"));
    }
    ui.finish(&envelope, |data, style, out| {
        let rows: Vec<[Cell<'_>; 3]> = data.tools.iter().map(row).collect();
        if !rows.is_empty() {
            table(["TOOL", "ACCESS", "DESCRIPTION"], &rows, style, out)?;
        }
        let told = |silent: &SilentProvider| format!("{}: {}", silent.provider, silent.message);
        data.silent.iter().try_for_each(|silent| writeln!(out, "{}", escape::line(&told(silent))))
    })
}

fn row(tool: &ToolLine) -> [Cell<'_>; 3] {
    let access = if tool.read_only { "looks" } else { "asks" };
    [Cell::new(Ink::Bold, &tool.name), Cell::plain(access), Cell::plain(&tool.description)]
}
