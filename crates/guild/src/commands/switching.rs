//! What `guild enable` and `guild disable` share: their arguments, the switching, and how it is told.

use super::following::Following;
use crate::ui::Ui;
use crate::workshop::{ConsentArgs, within};
use clap::ValueEnum;
use guild_engine::ledger::SubjectKind;
use guild_engine::reply::Toggle;
use guild_engine::{Envelope, Refusal, ToggleRequest, Workshop, toggle};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct SwitchArgs {
    /// The skill or plugin
    #[arg(value_name = "NAME")]
    name: String,
    /// For this agent alone
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Which of the two is meant, where a skill and a plugin bear the name
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<Kind>,
    /// As this agent, whose wish waits for an admin
    #[arg(long = "as", value_name = "AGENT")]
    asker: Option<String>,
    #[command(flatten)]
    consent: ConsentArgs,
}

/// What a name is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Skill,
    Plugin,
}

pub fn run(args: &SwitchArgs, on: bool, ui: &Ui) -> ExitCode {
    let ended = within(ui, async |workshop| switch(args, on, ui, workshop).await);
    let envelope = ended.unwrap_or_else(|refusal| refused(&args.name, refusal));
    ui.finish(&envelope, |_, _, _| Ok(()))
}

/// Switches a plugin on that has just been installed and looked at.
pub fn plugin_on(name: &str, ui: &Ui) -> ExitCode {
    let args = SwitchArgs {
        name: name.to_owned(),
        agent: None,
        kind: Some(Kind::Plugin),
        asker: None,
        consent: ConsentArgs::default(),
    };
    run(&args, true, ui)
}

async fn switch(args: &SwitchArgs, on: bool, ui: &Ui, workshop: &Workshop<'_>) -> Envelope<Toggle> {
    let principal = ui.principal(args.asker.as_deref());
    let user = ui.owner(None);
    let follow = Following::new(ui, &args.name);
    let request = ToggleRequest {
        name: &args.name,
        kind: args.kind.map(|kind| match kind {
            Kind::Skill => SubjectKind::Skill,
            Kind::Plugin => SubjectKind::Plugin,
        }),
        on,
        agent: args.agent.as_deref(),
        principal: &principal,
        user: &user,
        consent: args.consent.consent(ui),
        wait: args.consent.wait.map(|lifetime| lifetime.0),
        on_stage: &|stage| follow.stage(stage),
    };
    let envelope = toggle(workshop, request).await;
    follow.quiet();
    envelope
}

fn refused(name: &str, refusal: Refusal) -> Envelope<Toggle> {
    let reply = Toggle { name: name.to_owned(), ..Toggle::default() };
    Envelope::error(refusal.code, refusal.message, reply)
}
