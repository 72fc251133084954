//! `guild replay`

use super::following::Following;
use super::run::params;
use crate::print::LiveOutput;
use crate::ui::Ui;
use crate::workshop::{ConsentArgs, within};
use guild_engine::containers::Chunk;
use guild_engine::{Envelope, Given, Invocation, Refusal, Workshop, replay, reply};
use std::process::ExitCode;

/// Run again what a receipt tells of, and compare
///
/// The same copy of the skill runs with the same inputs, in the same workspace, under a grant like any other run. It ends with 1
/// where it gives something else. What the workspace holds now counts: nothing of it was kept.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The receipt of how the run ended, as `guild receipts list` shows it
    #[arg(value_name = "ID")]
    id: String,
    /// A secret parameter of the first time, which was not kept
    #[arg(long = "param", short = 'p', value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// As this agent, which has only the skills it may use
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    consent: ConsentArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let ended = params::given(&args.params, None, ui)
        .and_then(|given| within(ui, async |workshop| perform(args, ui, workshop, &given).await));
    let envelope = ended.unwrap_or_else(|refusal| refused(args, refusal));
    ui.finish(&envelope, |_, _, _| Ok(()))
}

async fn perform(args: &Args, ui: &Ui, workshop: &Workshop<'_>, given: &Given) -> Envelope<reply::Replay> {
    let principal = ui.principal(args.agent.as_deref());
    let follow = Following::new(ui, &args.id);
    let mut live = LiveOutput::new(ui.is_json());
    let mut on_output = |chunk: &Chunk| follow.output(chunk, &mut live);
    let invocation = Invocation {
        consent: args.consent.consent(ui),
        wait: args.consent.wait.map(|wait| wait.0),
        on_stage: &|stage| follow.stage(stage),
        ..Invocation::new(&args.id, &principal, given, &mut on_output)
    };
    let envelope = replay(workshop, &args.id, invocation).await;
    follow.end(&mut live, envelope)
}

fn refused(args: &Args, refusal: Refusal) -> Envelope<reply::Replay> {
    let run = reply::Run::nothing("");
    let data = reply::Replay { original: args.id.clone(), same: None, differences: Vec::new(), run };
    Envelope::error(refusal.code, refusal.message, data)
}
