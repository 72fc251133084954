//! `guild grants`

use crate::books::{Access, ask};
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use guild_engine::{counted, grants_lift, grants_list, grants_revoke};
use std::process::ExitCode;

/// List, revoke and lift what was approved and denied
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the grants and denials that hold
    List,
    /// Take a grant back; what it allowed is asked for again
    Revoke(End),
    /// Lift a denial; what it denied is asked for again
    Lift(End),
}

#[derive(Debug, clap::Args)]
struct End {
    /// The grant or denial, as `guild grants list` shows it
    #[arg(value_name = "ID")]
    id: String,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::List => list(ui),
        Command::Revoke(end) => {
            let by = ui.principal(end.agent.as_deref());
            let asked = async |books: &_| grants_revoke(books, ui.moment(), &end.id, by).await;
            let mut envelope = ask(ui, Access::Write, asked);
            if envelope.data.done {
                envelope.message = format!("{} is revoked", end.id);
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
        Command::Lift(end) => {
            let by = ui.principal(end.agent.as_deref());
            let asked = async |books: &_| grants_lift(books, ui.moment(), &end.id, by).await;
            let mut envelope = ask(ui, Access::Write, asked);
            if envelope.data.done {
                envelope.message = format!("{} is lifted", end.id);
            }
            ui.finish(&envelope, |_, _, _| Ok(()))
        }
    }
}

fn list(ui: &Ui) -> ExitCode {
    let mut envelope = ask(ui, Access::Read, async |books| grants_list(books, ui.moment()).await);
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "grant");
    }
    ui.finish(&envelope, |data, style, out| {
        if data.grants.is_empty() {
            return Ok(());
        }
        let rows: Vec<[Cell<'_>; 6]> = data
            .grants
            .iter()
            .map(|grant| {
                let ink = if grant.mode == "deny" { Ink::Red } else { Ink::Green };
                [
                    Cell::new(Ink::Bold, &grant.id),
                    Cell::new(ink, grant.mode),
                    Cell::plain(&grant.agent),
                    Cell::new(Ink::Cyan, &grant.skill),
                    Cell::plain(grant.expires.as_deref().unwrap_or("-")),
                    Cell::new(Ink::Dim, &grant.workspace),
                ]
            })
            .collect();
        table(["ID", "MODE", "AGENT", "SKILL", "EXPIRES", "WORKSPACE"], &rows, style, out)
    })
}
