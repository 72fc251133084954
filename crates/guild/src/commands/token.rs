//! `guild token`

use crate::books::{Access, ask};
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use guild_engine::ledger::Role;
use guild_engine::{Lifetime, TokenRequest, counted, token_create, token_list, token_revoke};
use std::process::ExitCode;

/// Let programs and people in to the server, and out again
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make a token; it is printed once and kept nowhere
    Create(Create),
    /// List the tokens that let somebody in
    List,
    /// Let the holder of a token in no more
    Revoke {
        /// The token, as `guild token list` shows it
        #[arg(value_name = "ID")]
        id: String,
    },
}

#[derive(Debug, clap::Args)]
struct Create {
    /// What to call it
    #[arg(value_name = "LABEL", default_value = "")]
    label: String,
    /// The agent that its holder is; without one the holder is a person
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// What its holder may do: look, answer requests, change what is installed or trusted
    #[arg(long, value_name = "ROLE", default_value = "viewer", value_parser = roles())]
    role: Role,
    /// How long it is good for, such as 30d; else until it is revoked
    #[arg(long = "for", value_name = "TIME")]
    lifetime: Option<Lifetime>,
}

fn roles() -> impl clap::builder::TypedValueParser<Value = Role> {
    let words = Role::ALL.iter().map(|role| role.as_str());
    PossibleValuesParser::new(words)
        .map(|word| Role::ALL.iter().copied().find(|role| role.as_str() == word).unwrap_or(Role::Viewer))
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::Create(args) => create(args, ui),
        Command::List => list(ui),
        Command::Revoke { id } => {
            let by = ui.principal(None);
            let mut envelope =
                ask(ui, Access::Write, async |books| token_revoke(books, ui.moment(), id, by).await);
            if envelope.data.done {
                envelope.message = format!("{id} is revoked");
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
    }
}

fn create(args: &Create, ui: &Ui) -> ExitCode {
    let request = TokenRequest {
        label: &args.label,
        agent: args.agent.as_deref(),
        role: args.role,
        lifetime: args.lifetime.map(|lifetime| lifetime.0),
    };
    let by = ui.principal(None);
    let mut envelope =
        ask(ui, Access::Write, async |books| token_create(books, ui.moment(), &request, by).await);
    if let Some(token) = &envelope.data.token {
        envelope.message = format!("{} is made; this is the only time that its secret is shown", token.id);
    }
    ui.finish(&envelope, |data, _, out| match &data.secret {
        Some(secret) => writeln!(out, "{secret}"),
        None => Ok(()),
    })
}

fn list(ui: &Ui) -> ExitCode {
    let mut envelope = ask(ui, Access::Read, async |books| token_list(books, ui.moment()).await);
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "token");
    }
    ui.finish(&envelope, |data, style, out| {
        if data.tokens.is_empty() {
            return Ok(());
        }
        let rows: Vec<[Cell<'_>; 6]> = data
            .tokens
            .iter()
            .map(|token| {
                [
                    Cell::new(Ink::Bold, &token.id),
                    Cell::plain(token.kind),
                    Cell::plain(token.role),
                    Cell::plain(token.agent.as_deref().unwrap_or("-")),
                    Cell::plain(token.expires.as_deref().unwrap_or("-")),
                    Cell::new(Ink::Dim, &token.label),
                ]
            })
            .collect();
        table(["ID", "KIND", "ROLE", "AGENT", "EXPIRES", "LABEL"], &rows, style, out)
    })
}
