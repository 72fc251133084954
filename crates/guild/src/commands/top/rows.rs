//! The rows of the lists, as the screen and plain output have them: harmless text, each with its ink.

use crate::print::{Ink, escape};
use guild_engine::ledger::Timestamp;
use guild_engine::reply::{ProblemLine, ReceiptLine, Top, WaitingLine};

/// The texts of a row.
pub type Row<const N: usize> = [(Ink, String); N];

/// What waits.
pub fn waiting(line: &WaitingLine, now: Timestamp) -> Row<4> {
    let request = &line.request;
    [
        (Ink::Dim, ago(&request.at, now)),
        (Ink::Plain, shown(&request.agent)),
        (Ink::Plain, shown(&request.action)),
        (Ink::Bold, shown(&request.skill)),
    ]
}

/// The runs under way, then those that have ended; `when` says how a moment is shown.
pub fn runs(top: &Top, when: impl Fn(&str) -> String) -> Vec<Row<5>> {
    top.running.iter().chain(&top.ended).map(|line| run(line, when(&line.at))).collect()
}

/// What is wrong.
pub fn problem(line: &ProblemLine<'_>) -> Row<4> {
    let ink = if line.severity == "error" { Ink::Red } else { Ink::Yellow };
    [
        (ink, line.severity.to_owned()),
        (Ink::Plain, line.code.to_owned()),
        (Ink::Plain, shown(&line.message)),
        (Ink::Dim, format!("{}:{}", escape::exact(&line.file), line.line)),
    ]
}

fn run(line: &ReceiptLine, when: String) -> Row<5> {
    let (ink, outcome) = match (line.kind, line.code.as_str()) {
        ("started", _) => (Ink::Cyan, "under way"),
        (_, "ok") => (Ink::Green, "ok"),
        (_, code) => (Ink::Red, code),
    };
    [
        (Ink::Dim, when),
        (Ink::Bold, shown(line.skill.as_deref().unwrap_or("-"))),
        (Ink::Plain, shown(&line.principal.agent)),
        (Ink::Plain, line.kind.to_owned()),
        (ink, shown(outcome)),
    ]
}

fn shown(text: &str) -> String {
    escape::line(text).into_owned()
}

/// How long ago something was, in the largest unit that fits.
pub fn ago(at: &str, now: Timestamp) -> String {
    let Ok(at) = at.parse::<Timestamp>() else { return String::new() };
    let seconds = now.millis().saturating_sub(at.millis()) / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}
