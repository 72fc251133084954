//! `guild secret`

use crate::books::{Access, ask};
use crate::hidden;
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use guild_engine::reply::SecretChanged;
use guild_engine::{Code, Envelope, counted, secret_list, secret_remove, secret_set};
use std::process::ExitCode;

/// Keep values of variables, encrypted, for skills and plugins that declare them
///
/// A secret satisfies `requires.env`. It reaches a container only where the contract names the variable and you were shown that
/// before you approved; a variable of the environment counts before it. No command prints one.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Keep a value; it is typed unseen, or read from standard input
    Set(Named),
    /// List the names of what is kept
    List,
    /// Keep a value no more
    Remove(Named),
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The variable, such as API_KEY
    #[arg(value_name = "NAME")]
    name: String,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::Set(args) => set(args, ui),
        Command::List => list(ui),
        Command::Remove(args) => {
            let by = ui.principal(args.agent.as_deref());
            let mut envelope =
                ask(ui, Access::Write, async |books| secret_remove(books, ui.moment(), &args.name, by).await);
            if envelope.data.done {
                envelope.message = format!("{} is kept no more", args.name);
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
    }
}

fn set(args: &Named, ui: &Ui) -> ExitCode {
    let value = match hidden::read(&format!("Value of {}", args.name)) {
        Ok(value) => value,
        Err(error) => {
            let reply = SecretChanged { name: args.name.clone(), ..SecretChanged::default() };
            let message = format!("the value cannot be read: {error}");
            return ui.finish(&Envelope::error(Code::ReadFailed, message, reply), |_, _, _| Ok(()));
        }
    };
    let by = ui.principal(args.agent.as_deref());
    let mut envelope =
        ask(ui, Access::Write, async |books| secret_set(books, ui.moment(), &args.name, &value, by).await);
    if envelope.data.done {
        envelope.message = format!("{} is kept", args.name);
    }
    ui.finish(&envelope, |_, _, _| Ok(()))
}

fn list(ui: &Ui) -> ExitCode {
    let mut envelope = ask(ui, Access::Read, async |books| secret_list(books).await);
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "secret");
    }
    ui.finish(&envelope, |data, style, out| {
        if data.secrets.is_empty() {
            return Ok(());
        }
        let rows: Vec<[Cell<'_>; 2]> = data
            .secrets
            .iter()
            .map(|secret| [Cell::new(Ink::Bold, &secret.name), Cell::new(Ink::Dim, &secret.at)])
            .collect();
        table(["NAME", "SINCE"], &rows, style, out)
    })
}
