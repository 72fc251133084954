//! `guild tools call`

use crate::commands::following::Following;
use crate::commands::run::finish;
use crate::commands::run::params::{self, Object};
use crate::ui::Ui;
use crate::workshop::{ConsentArgs, within};
use guild_engine::{Envelope, Given, Refusal, ToolRequest, Workshop, reply, tools_call};
use std::process::ExitCode;

/// Call one
///
/// What it is given is held to the tool's schema. A tool of a plugin or a server needs your approval, as a skill that calls it
/// would; it runs in a container and leaves a receipt.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The tool, as PROVIDER:TOOL
    #[arg(value_name = "TOOL")]
    name: String,
    /// What it is given: a JSON object, `@FILE` that holds one, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// As this agent, which has only the tools it may use
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    consent: ConsentArgs,
    /// Only show what would be called, and whether anybody would be asked
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "Examples:
  guild tools call builtin:add --args '{\"text\": \"20+22\"}'
  guild tools call plugin:word-count/count --args @request.json --approve once";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let object = args.args.as_deref().map(|source| Object { option: "--args", source });
    let ended = params::given(&[], object, ui)
        .and_then(|given| within(ui, async |workshop| perform(args, ui, workshop, &given).await));
    let refused =
        |refusal: Refusal| Envelope::error(refusal.code, refusal.message, reply::Run::nothing(&args.name));
    finish(ui, args.dry_run, ended.unwrap_or_else(refused))
}

async fn perform(args: &Args, ui: &Ui, workshop: &Workshop<'_>, given: &Given) -> Envelope<reply::Run> {
    let principal = ui.principal(args.agent.as_deref());
    let follow = Following::new(ui, &args.name);
    let request = ToolRequest {
        tool: &args.name,
        given,
        principal: &principal,
        consent: args.consent.consent(ui),
        wait: args.consent.wait.map(|wait| wait.0),
        dry_run: args.dry_run,
        on_stage: &|stage| follow.stage(stage),
    };
    let envelope = tools_call(workshop, request).await;
    follow.quiet();
    envelope
}
