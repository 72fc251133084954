//! `guild approve`

mod answering;

use super::following::Following;
use crate::books::{Access, ask};
use crate::confirm::choose;
use crate::installing::{changes, in_person};
use crate::print::told;
use crate::ui::Ui;
use crate::workshop::within;
use answering::Answered;
use guild_engine::reply::{Decided, RequestLine, Toggle, Wished};
use guild_engine::{
    Books, Code, Decision, Envelope, Lifetime, Principal, Refusal, Status, ToggleRequest, Wish, answer,
    approve, deny, is_management, perform_request, perform_wish, request,
};
use serde_json::{Map, Value};
use std::path::Path;
use std::process::ExitCode;

/// Approve what an agent asked for
///
/// At a terminal everything that the approval is about is shown first, and a whole word has to be typed. Without a terminal
/// say `--once` or `--always`, or the values that a tool asks for; the receipt then tells that nobody was shown anything, and `approvals.flag = false` in your own
/// or the machine's configuration forbids it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The request, as `guild requests` lists it
    #[arg(value_name = "ID")]
    id: String,
    /// Exactly this run, one time
    #[arg(long, conflicts_with = "always")]
    once: bool,
    /// Every run of the skill as it is now, by this agent, in this workspace
    #[arg(long)]
    always: bool,
    /// How long the approval holds, such as 30d or 12h; else until it is used or revoked
    #[arg(long = "for", value_name = "TIME")]
    lifetime: Option<Lifetime>,
    #[command(flatten)]
    answering: answering::AnswerArgs,
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

/// What a person has said at the terminal.
enum Said {
    Yes(Decision),
    Values(Map<String, Value>),
    No,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let by = ui.principal(args.agent.as_deref());
    let mut envelope = ask(ui, Access::Write, async |books| match said(args, ui, books, &by).await {
        Ok(Said::Yes(decision)) => {
            let lifetime = args.lifetime.map(|lifetime| lifetime.0);
            approve(books, ui.moment(), &args.id, (decision, lifetime), by).await
        }
        Ok(Said::Values(values)) => answer(books, ui.moment(), &args.id, &values, by).await,
        Ok(Said::No) => deny(books, ui.moment(), &args.id, by).await,
        Err(refusal) => Envelope::error(
            refusal.code,
            refusal.message,
            Decided { id: args.id.clone(), ..Decided::default() },
        ),
    });
    carry_out(ui, &mut envelope);
    ui.finish(&envelope, |data, style, out| {
        data.wished.as_ref().map_or(Ok(()), |wished| changes(&wished.installed, style, out))
    })
}

/// Does what was approved, where that was something else than a run: whoever approves it is the one who acts, and wherever they stand,
/// it is about the workspace that it was asked for.
fn carry_out(ui: &Ui, envelope: &mut Envelope<Decided>) {
    let Some(request) = envelope.data.request.clone().filter(|request| is_management(&request.action)) else {
        return;
    };
    if envelope.data.decision.as_deref() != Some("approved") {
        return;
    }
    let (status, code, message) = match ui.elsewhere(Path::new(&request.workspace)) {
        Ok(there) => match switch(&there, &request).or_else(|| grant(&there, &request)) {
            Some(Ok(Done::Switched(done))) => {
                envelope.data.outcome = Some(done.data);
                (done.status, done.code, done.message)
            }
            Some(Ok(Done::Granted(done))) => {
                envelope.data.wished = Some(done.data);
                (done.status, done.code, done.message)
            }
            Some(Err(refusal)) => (Status::Error, refusal.code, refusal.message),
            None => return,
        },
        Err(_) => {
            let message = format!("its workspace {} is gone, and nothing was done", request.workspace);
            (Status::Error, Code::PathNotFound, message)
        }
    };
    envelope.message = format!("{}; {message}", envelope.message);
    (envelope.status, envelope.code) = (status, code);
}

/// What came of a request.
enum Done {
    Switched(Box<Envelope<Toggle>>),
    Granted(Envelope<Wished>),
}

/// Switches what was to be switched on or off; nothing where the request is about something else.
fn switch(ui: &Ui, request: &RequestLine) -> Option<Result<Done, Refusal>> {
    let (principal, user) = (ui.principal(None), ui.owner(None));
    let follow = Following::new(ui, &request.skill);
    let like = ToggleRequest {
        on_stage: &|stage| follow.stage(stage),
        ..ToggleRequest::new(&request.skill, true, &principal, &user)
    };
    let done = within(ui, async |workshop| perform_request(workshop, request, like).await);
    follow.quiet();
    done.map(|done| done.map(|done| Done::Switched(Box::new(done)))).transpose()
}

/// Does what an agent wished to have installed, removed or written; nothing where the request is about something else.
fn grant(ui: &Ui, request: &RequestLine) -> Option<Result<Done, Refusal>> {
    let scope = Wish::of(request)?.scope();
    let done = in_person(ui, scope, async |installer| {
        perform_wish(installer, request).await.unwrap_or_else(|| Envelope::ok(Wished::default()))
    });
    Some(Ok(Done::Granted(done)))
}

async fn said(args: &Args, ui: &Ui, books: &Books, by: &Principal) -> Result<Said, Refusal> {
    let given = match (args.once, args.always) {
        (true, _) => Some(Decision::Once),
        (_, true) => Some(Decision::Always),
        _ => None,
    };
    if by.is_agent() {
        // It is refused, whatever it says.
        return Ok(Said::Yes(given.unwrap_or(Decision::Once)));
    }
    match request(books, ui.moment(), &args.id).await {
        Ok(request) => match answering::answered(&args.answering, &request, ui)? {
            Some(Answered::Values(values)) => return Ok(Said::Values(values)),
            Some(Answered::No) => return Ok(Said::No),
            None => {}
        },
        Err(refusal) if !args.answering.is_empty() => return Err(refusal),
        // Whoever answers what is gone is told so below.
        Err(_) => {}
    }
    if !ui.is_terminal() {
        let message = "without a terminal, say --once or --always";
        return given.map(Said::Yes).ok_or_else(|| Refusal::new(Code::Usage, message));
    }
    let request = request(books, ui.moment(), &args.id).await?;
    confirmed(&request, given, ui)
}

fn confirmed(request: &RequestLine, given: Option<Decision>, ui: &Ui) -> Result<Said, Refusal> {
    let asked = ui.show(|style, out| told(&request.told(), style, out)).and_then(|()| match given {
        Some(Decision::Once) => choose("Approve this run, one time?", &["yes", "deny", "later"]),
        Some(Decision::Always) => choose("Approve every such run?", &["yes", "deny", "later"]),
        None => choose("Approve?", &["once", "always", "deny", "later"]),
    });
    match (asked.ok().flatten(), given) {
        (Some("yes"), Some(decision)) => Ok(Said::Yes(decision)),
        (Some("once"), _) => Ok(Said::Yes(Decision::Once)),
        (Some("always"), _) => Ok(Said::Yes(Decision::Always)),
        (Some("deny"), _) => Ok(Said::No),
        _ => {
            Err(Refusal::new(Code::NotConfirmed, format!("nothing was decided; {} still waits", request.id)))
        }
    }
}
