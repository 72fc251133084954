//! What `guild enable` and `guild disable` share, and the same for plugins: their arguments, the switching, and how it is told.

use super::following::Following;
use crate::ui::Ui;
use crate::workshop::{ConsentArgs, within};
use clap::ValueEnum;
use guild_engine::ledger::SubjectKind;
use guild_engine::reply::Toggle;
use guild_engine::{Envelope, Refusal, ToggleRequest, Workshop, toggle};
use std::process::ExitCode;

/// For `guild enable` and `guild disable`.
#[derive(Debug, clap::Args)]
pub struct SwitchArgs {
    /// The skill or plugin
    #[arg(value_name = "NAME")]
    name: String,
    /// Which of the two is meant, where a skill and a plugin bear the name
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<Kind>,
    #[command(flatten)]
    manner: Manner,
}

/// For `guild plugins enable` and `guild plugins disable`.
#[derive(Debug, clap::Args)]
pub struct PluginArgs {
    /// The plugin
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    manner: Manner,
}

/// For whom, and who says so.
#[derive(Debug, Default, clap::Args)]
struct Manner {
    /// For this agent alone
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
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

/// What is switched, and how.
struct Switch<'a> {
    name: &'a str,
    kind: Option<SubjectKind>,
    on: bool,
    manner: &'a Manner,
}

pub fn run(args: &SwitchArgs, on: bool, ui: &Ui) -> ExitCode {
    let kind = args.kind.map(|kind| match kind {
        Kind::Skill => SubjectKind::Skill,
        Kind::Plugin => SubjectKind::Plugin,
    });
    Switch { name: &args.name, kind, on, manner: &args.manner }.turn(ui)
}

/// The same where only a plugin can be meant.
pub fn run_for_plugin(args: &PluginArgs, on: bool, ui: &Ui) -> ExitCode {
    Switch { name: &args.name, kind: Some(SubjectKind::Plugin), on, manner: &args.manner }.turn(ui)
}

/// Switches a plugin on that has just been installed and looked at.
pub fn plugin_on(name: &str, ui: &Ui) -> ExitCode {
    Switch { name, kind: Some(SubjectKind::Plugin), on: true, manner: &Manner::default() }.turn(ui)
}

impl Switch<'_> {
    fn turn(&self, ui: &Ui) -> ExitCode {
        let ended = within(ui, async |workshop| self.turned(ui, workshop).await);
        let envelope = ended.unwrap_or_else(|refusal| refused(self.name, refusal));
        ui.finish(&envelope, |_, _, _| Ok(()))
    }

    async fn turned(&self, ui: &Ui, workshop: &Workshop<'_>) -> Envelope<Toggle> {
        let manner = self.manner;
        let principal = ui.principal(manner.asker.as_deref());
        let user = ui.owner(None);
        let follow = Following::new(ui, self.name);
        let request = ToggleRequest {
            name: self.name,
            kind: self.kind,
            on: self.on,
            agent: manner.agent.as_deref(),
            principal: &principal,
            user: &user,
            consent: manner.consent.consent(ui),
            wait: manner.consent.wait.map(|lifetime| lifetime.0),
            on_stage: &|stage| follow.stage(stage),
        };
        let envelope = toggle(workshop, request).await;
        follow.quiet();
        envelope
    }
}

fn refused(name: &str, refusal: Refusal) -> Envelope<Toggle> {
    let reply = Toggle { name: name.to_owned(), ..Toggle::default() };
    Envelope::error(refusal.code, refusal.message, reply)
}
