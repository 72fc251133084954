//! `guild changes`

mod show;

use crate::books::{Access, ask};
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use guild_engine::reply::ChangeSummary;
use guild_engine::{ApplyRequest, changes_apply, changes_drop, changes_list, counted};
use std::process::ExitCode;

/// Decide about what containers wrote to copy-on-write mounts
///
/// Nothing on the host changes before it is applied here, and it is applied as a whole or not at all.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the changes that wait for a decision
    List,
    /// Show what a change set does to each file
    Show {
        /// The change set
        id: String,
    },
    /// Apply a change set to its directory, wholly or not at all
    Apply {
        /// The change set
        id: String,
        /// Apply files, too, that decide what agents and machines do: .git, CI, agents' settings
        #[arg(long)]
        sensitive: bool,
        /// As this agent, which may not decide and is refused
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
    /// Forget a change set; its directory stays as it is
    Drop {
        /// The change set
        id: String,
        /// As this agent, which may not decide and is refused
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::List => list(ui),
        Command::Show { id } => show::run(id, ui),
        Command::Apply { id, sensitive, agent } => {
            apply(ApplyRequest { id, sensitive: *sensitive }, agent.as_deref(), ui)
        }
        Command::Drop { id, agent } => discard(id, agent.as_deref(), ui),
    }
}

fn apply(request: ApplyRequest<'_>, agent: Option<&str>, ui: &Ui) -> ExitCode {
    let (places, by) = (ui.places(), ui.principal(agent));
    let mut envelope =
        ask(ui, Access::Write, async |books| changes_apply(&places, books, ui.moment(), request, by).await);
    if let Some(set) = &envelope.data.changes {
        envelope.message = format!("{} applied to {}", count(set), set.directory);
    }
    ui.finish(&envelope, |_, _, _| Ok(()))
}

fn discard(id: &str, agent: Option<&str>, ui: &Ui) -> ExitCode {
    let (places, by) = (ui.places(), ui.principal(agent));
    let mut envelope =
        ask(ui, Access::Write, async |books| changes_drop(&places, books, ui.moment(), id, by).await);
    if let Some(set) = &envelope.data.changes {
        envelope.message = format!("{} dropped; {} is as it was", count(set), set.directory);
    }
    ui.finish(&envelope, |_, _, _| Ok(()))
}

fn list(ui: &Ui) -> ExitCode {
    let mut envelope = changes_list(&ui.places());
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "change set");
    }
    ui.finish(&envelope, |data, style, out| {
        if data.changes.is_empty() {
            return Ok(());
        }
        let totals: Vec<String> = data.changes.iter().map(totals).collect();
        let rows: Vec<[Cell<'_>; 3]> = data
            .changes
            .iter()
            .zip(&totals)
            .map(|(set, totals)| {
                [Cell::new(Ink::Bold, &set.id), Cell::plain(totals), Cell::new(Ink::Cyan, &set.directory)]
            })
            .collect();
        table(["ID", "CHANGES", "DIRECTORY"], &rows, style, out)
    })
}

/// `+2 ~1 -3`, and how many of them are to be looked at on their own.
fn totals(set: &ChangeSummary) -> String {
    let marked = if set.sensitive > 0 { format!(" ({} sensitive)", set.sensitive) } else { String::new() };
    let refused = if set.refused.is_empty() { "" } else { " refused" };
    format!("+{} ~{} -{}{marked}{refused}", set.added, set.changed, set.deleted)
}

fn count(set: &ChangeSummary) -> String {
    counted(set.added + set.changed + set.deleted, "change")
}
