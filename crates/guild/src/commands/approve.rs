//! `guild approve`

use super::following::Following;
use crate::books::{Access, ask};
use crate::confirm::choose;
use crate::installing::{changes, in_person};
use crate::print::told;
use crate::ui::Ui;
use crate::workshop::within;
use guild_engine::reply::{Decided, InstalledChange, RequestLine};
use guild_engine::{
    AddRequest, Books, Choice, Code, Decision, Envelope, InstallScope, InstallWish, Lifetime, Principal,
    Refusal, RemoveRequest, Status, ToggleRequest, add, approve, deny, is_management, perform_request,
    remove, request,
};
use std::process::ExitCode;

/// Approve what an agent asked for
///
/// At a terminal everything that the approval is about is shown first, and a whole word has to be typed. Without a terminal
/// say `--once` or `--always`; the receipt then tells that nobody was shown anything, and `approvals.flag = false` in your own
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
    /// As this agent, which may not decide and is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

/// What a person has said at the terminal.
enum Said {
    Yes(Decision),
    No,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let by = ui.principal(args.agent.as_deref());
    let mut envelope = ask(ui, Access::Write, async |books| match said(args, ui, books, &by).await {
        Ok(Said::Yes(decision)) => {
            let lifetime = args.lifetime.map(|lifetime| lifetime.0);
            approve(books, ui.moment(), &args.id, (decision, lifetime), by).await
        }
        Ok(Said::No) => deny(books, ui.moment(), &args.id, by).await,
        Err(refusal) => Envelope::error(
            refusal.code,
            refusal.message,
            Decided { id: args.id.clone(), ..Decided::default() },
        ),
    });
    tell(&mut envelope);
    carry_out(ui, &mut envelope);
    ui.finish(&envelope, |data, style, out| changes(&data.installed, style, out))
}

/// Does what was approved, where that was to switch something on or off: whoever approves it is the one who acts.
fn carry_out(ui: &Ui, envelope: &mut Envelope<Decided>) {
    let Some(request) = envelope.data.request.clone().filter(|request| is_management(&request.action)) else {
        return;
    };
    if envelope.data.decision.as_deref() != Some("approved") {
        return;
    }
    if let Some(wish) = InstallWish::of(&request) {
        return grant_wish(ui, &request, &wish, envelope);
    }
    let (principal, user) = (ui.principal(None), ui.owner(None));
    let follow = Following::new(ui, &request.skill);
    let like = ToggleRequest {
        name: &request.skill,
        kind: None,
        on: true,
        agent: None,
        principal: &principal,
        user: &user,
        consent: None,
        wait: None,
        on_stage: &|stage| follow.stage(stage),
    };
    let done = within(ui, async |workshop| perform_request(workshop, &request, like).await);
    follow.quiet();
    let (status, code, message) = match done {
        Ok(Some(done)) => {
            envelope.data.outcome = Some(done.data);
            (done.status, done.code, done.message)
        }
        Ok(None) => return,
        Err(refusal) => (Status::Error, refusal.code, refusal.message),
    };
    envelope.message = format!("{}; {message}", envelope.message);
    (envelope.status, envelope.code) = (status, code);
}

/// Installs or removes what was wished for, where it was wished for.
fn grant_wish(ui: &Ui, request: &RequestLine, wish: &InstallWish, envelope: &mut Envelope<Decided>) {
    let here = ui.machine().workspace().to_string_lossy();
    let done: Envelope<Vec<InstalledChange>> =
        if wish.scope == InstallScope::Project && here != request.workspace {
            let message = format!("but it was asked for in {}: do it there yourself", request.workspace);
            Envelope::error(Code::InstallPlaceRefused, message, Vec::new())
        } else if let Some(source) = &wish.source {
            let choice = match wish.names.as_slice() {
                _ if wish.all => Choice::All,
                [] => Choice::Only,
                names => Choice::Named(names.to_vec()),
            };
            let asked = AddRequest {
                source,
                reference: wish.reference.as_deref(),
                choice,
                scope: wish.scope,
                link: false,
                replace: false,
                skip_denied: false,
                ask: None,
            };
            in_person(ui, wish.scope, async |desk| add(desk, &asked).await).map(|data| data.installed)
        } else {
            let asked = RemoveRequest { names: &wish.names, scope: wish.scope, force: false };
            in_person(ui, wish.scope, async |desk| remove(desk, &asked).await).map(|data| data.changes)
        };
    envelope.message = format!("{}; {}", envelope.message, done.message);
    (envelope.status, envelope.code) = (done.status, done.code);
    envelope.data.installed = done.data;
}

/// What was decided, in one sentence.
pub fn tell(envelope: &mut Envelope<Decided>) {
    if let (Some(decision), Some(request)) = (&envelope.data.decision, &envelope.data.request) {
        let grant = envelope.data.grant.as_ref().map(|grant| format!(" ({})", grant.id)).unwrap_or_default();
        envelope.message = format!(
            "{decision}{grant}: {} of `{}` for agent `{}`",
            request.action, request.skill, request.agent
        );
    }
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
