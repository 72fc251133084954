//! `guild plugins config`

use crate::books::{Access, ask};
use crate::hidden;
use crate::print::{Cell, Ink, Style, escape, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::PluginConfig;
use guild_engine::{Code, Envelope, NewValue, config_get, config_set, config_unset};
use std::io::{self, Write};
use std::process::ExitCode;

/// What is set for a plugin, and setting it
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print what is set: one value, or all; a secret is not shown
    Get {
        /// The plugin
        #[arg(value_name = "NAME")]
        name: String,
        /// The key; all without one
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },
    /// Set a value; without one it is typed unseen, or read from standard input
    Set(Set),
    /// Set a value no more
    Unset {
        /// The plugin
        #[arg(value_name = "NAME")]
        name: String,
        /// The key
        #[arg(value_name = "KEY")]
        key: String,
        /// As this agent, which may not decide and is refused
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Set {
    /// The plugin
    #[arg(value_name = "NAME")]
    name: String,
    /// The key
    #[arg(value_name = "KEY")]
    key: String,
    /// The value; a secret does not stand on the command line
    #[arg(value_name = "VALUE", conflicts_with = "secret")]
    value: Option<String>,
    /// Keep it encrypted, and show it to nobody but the plugin's own code
    #[arg(long)]
    secret: bool,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    match &args.command {
        Command::Get { name, key } => {
            let envelope =
                ask(ui, Access::Read, async |books| config_get(&hall, books, name, key.as_deref()).await);
            ui.finish(&envelope, |data, style, out| print(data, key.is_some(), style, out))
        }
        Command::Set(args) => {
            let mut envelope = set(args, ui, &hall);
            if envelope.data.receipt.is_some() {
                envelope.message = format!("`{}` is set for plugin `{}`", args.key, args.name);
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
        Command::Unset { name, key, agent } => {
            let by = ui.principal(agent.as_deref());
            let mut envelope = ask(ui, Access::Write, async |books| {
                config_unset(&hall, books, ui.moment(), (name, key), by).await
            });
            if envelope.data.receipt.is_some() {
                envelope.message = format!("`{key}` is not set for plugin `{name}` any more");
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
    }
}

fn set(args: &Set, ui: &Ui, hall: &guild_engine::Hall) -> Envelope<PluginConfig> {
    let value = match &args.value {
        Some(value) => Ok(value.clone()),
        None => hidden::read(&format!("Value of {}", args.key)),
    };
    let value = match value {
        Ok(value) => value,
        Err(error) => {
            let reply = PluginConfig { name: args.name.clone(), ..PluginConfig::default() };
            return Envelope::error(Code::ReadFailed, format!("the value cannot be read: {error}"), reply);
        }
    };
    let new = NewValue { key: &args.key, value: &value, secret: args.secret };
    let by = ui.principal(args.agent.as_deref());
    ask(ui, Access::Write, async |books| config_set(hall, books, ui.moment(), (&args.name, new), by).await)
}

/// One value by itself, several as a table.
fn print(data: &PluginConfig, one: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    const HIDDEN: &str = "(secret)";
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| HIDDEN.to_owned());
    let values: Vec<String> = data.values.iter().map(|line| value(&line.value)).collect();
    if let (true, [value]) = (one, values.as_slice()) {
        return writeln!(out, "{}", escape::exact(value));
    }
    let rows: Vec<[Cell<'_>; 2]> = data
        .values
        .iter()
        .zip(&values)
        .map(|(line, value)| [Cell::new(Ink::Bold, &line.key), Cell::plain(value)])
        .collect();
    if rows.is_empty() { Ok(()) } else { table(["KEY", "VALUE"], &rows, style, out) }
}
