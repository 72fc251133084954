//! `guild receipts list`

use crate::books::{Access, ask};
use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use guild_engine::ledger::receipt::Kind;
use guild_engine::ledger::{Filter, RunId};
use guild_engine::reply::ReceiptLine;
use guild_engine::{ReceiptsRequest, Since, counted, receipts_list};
use std::process::ExitCode;

/// List receipts, the newest first
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Of this skill, by its qualified name
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,
    /// Of this agent
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Of this kind
    #[arg(long, value_parser = kinds())]
    kind: Option<Kind>,
    /// With this code
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// Of this run
    #[arg(long, value_name = "ID")]
    run: Option<RunId>,
    /// Since then: 7d, 2026-11-15 or 2026-11-15T09:30:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// At most so many, up to 1000
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 20)]
    limit: usize,
    /// Go on after this one, as the page before says
    #[arg(long, value_name = "ID")]
    after: Option<String>,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let words = Kind::ALL.iter().map(|kind| kind.as_str());
    PossibleValuesParser::new(words)
        .map(|word| Kind::ALL.iter().copied().find(|kind| kind.as_str() == word).unwrap_or(Kind::Started))
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let filter = Filter {
        kind: args.kind,
        skill: args.skill.clone(),
        agent: args.agent.clone(),
        code: args.code.clone(),
        run: args.run,
        since: args.since.map(|since| since.moment(ui.moment())),
    };
    let request = ReceiptsRequest { filter, limit: args.limit, after: args.after.as_deref() };
    let mut envelope = ask(ui, Access::Read, async |books| receipts_list(books, &request).await);
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "receipt");
        if let Some(next) = &envelope.data.next {
            envelope.message.push_str(&format!("; there are more: --after {next}"));
        }
        if !envelope.data.unreadable.is_empty() {
            let count = envelope.data.unreadable.len();
            envelope.message.push_str(&format!("; {count} cannot be read: see `guild receipts verify`"));
        }
    }
    ui.finish(&envelope, |data, style, out| {
        if data.receipts.is_empty() {
            return Ok(());
        }
        let rows: Vec<[Cell<'_>; 6]> = data.receipts.iter().map(row).collect();
        table(["ID", "AT", "KIND", "CODE", "AGENT", "SKILL"], &rows, style, out)
    })
}

fn row(receipt: &ReceiptLine) -> [Cell<'_>; 6] {
    let ink = match receipt.kind {
        "denied" | "interrupted" | "cut" => Ink::Yellow,
        _ => Ink::Plain,
    };
    [
        Cell::new(Ink::Bold, &receipt.id),
        Cell::new(Ink::Dim, &receipt.at),
        Cell::new(ink, receipt.kind),
        Cell::plain(&receipt.code),
        Cell::plain(&receipt.principal.agent),
        Cell::new(Ink::Cyan, receipt.skill.as_deref().unwrap_or("-")),
    ]
}
