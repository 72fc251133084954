//! `guild vet allow`, `guild vet allowed` and `guild vet disallow`

use crate::books::{Access, ask};
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::{AllowRequest, counted, vet_allow, vet_allowed, vet_disallow};
use std::process::ExitCode;

/// Allow a warning for a skill as it is now
///
/// It is shown no more until a byte of the skill or the rules change. What denies cannot be allowed.
#[derive(Debug, clap::Args)]
pub struct Allow {
    /// The warning, such as `warn.shell.eval`
    #[arg(value_name = "CODE")]
    rule: String,
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(long = "skill", value_name = "NAME")]
    name: String,
    /// Why it is nothing to worry about
    #[arg(long = "why", value_name = "TEXT")]
    reason: String,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

/// Show a warning again
#[derive(Debug, clap::Args)]
pub struct Disallow {
    /// The allowed warning, as `guild vet allowed` lists it
    #[arg(value_name = "ID")]
    id: String,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub fn allow(args: &Allow, ui: &Ui) -> ExitCode {
    let mut hall = ui.hall(Freshness::Indexed);
    let by = ui.principal(args.agent.as_deref());
    let request = AllowRequest { name: &args.name, rule: &args.rule, reason: &args.reason };
    let mut envelope = ask(ui, Access::Write, async |books| {
        if let Err(refusal) = hall.allow(books).await {
            return refusal.into_envelope();
        }
        vet_allow(&hall, books, ui.moment(), request, by).await
    });
    if let Some(warning) = &envelope.data.warning {
        envelope.message =
            format!("{} is allowed for `{}` as it is now ({})", warning.code, args.name, warning.id);
    }
    ui.finish(&envelope, |_, _, _| Ok(()))
}

pub fn allowed(ui: &Ui) -> ExitCode {
    let mut envelope = ask(ui, Access::Read, async |books| vet_allowed(books).await);
    if envelope.message.is_empty() {
        envelope.message = format!("{} allowed", counted(envelope.data.count, "warning"));
    }
    ui.finish(&envelope, |data, style, out| {
        if data.warnings.is_empty() {
            return Ok(());
        }
        let rows: Vec<[Cell<'_>; 4]> = data
            .warnings
            .iter()
            .map(|warning| {
                [
                    Cell::new(Ink::Bold, &warning.id),
                    Cell::new(Ink::Yellow, &warning.code),
                    Cell::new(Ink::Dim, &warning.digest),
                    Cell::plain(&warning.reason),
                ]
            })
            .collect();
        table(["ID", "RULE", "CONTENT", "REASON"], &rows, style, out)
    })
}

pub fn disallow(args: &Disallow, ui: &Ui) -> ExitCode {
    let by = ui.principal(args.agent.as_deref());
    let mut envelope =
        ask(ui, Access::Write, async |books| vet_disallow(books, ui.moment(), &args.id, by).await);
    if envelope.data.done {
        envelope.message = format!("{} is shown again", args.id);
    }
    ui.finish(&envelope, |_, _, _| Ok(()))
}
