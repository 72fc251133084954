//! `guild run`

pub mod params;
mod text;

use super::following::Following;
use crate::print::LiveOutput;
use crate::ui::Ui;
use crate::workshop::{ConsentArgs, within};
use guild_engine::{Code, Envelope, Given, Invocation, Lifetime, Refusal, Workshop, reply, run as run_skill};
use params::Object;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Run a skill under its contract
///
/// The skill is copied, hashed and vetted; a person is asked unless they have approved exactly this before; then it runs from the
/// copy, in a container, and leaves a receipt. Exits with 3 where approval is missing: the request waits, and `guild approve`
/// answers it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// Words for a skill of instructions, or the text for a tool; those that begin with a dash stand behind `--`
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
    /// What a child agent is to do, as one text
    #[arg(long, value_name = "TEXT", conflicts_with = "arguments")]
    task: Option<String>,
    /// As this agent, which has only the skills it may use
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// A parameter, typed as the skill declares it; given again, it is a list
    #[arg(long = "param", short = 'p', value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// Parameters as a JSON object, `@FILE` that holds one, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    params_json: Option<String>,
    #[command(flatten)]
    consent: ConsentArgs,
    /// Run in this container of yours, which is neither started nor stopped
    #[arg(long, value_name = "ID")]
    container: Option<String>,
    /// Whose container that is
    #[arg(long, value_name = "NAME", requires = "container")]
    owner: Option<String>,
    /// The container runtime: embedded, docker or podman
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// How long the script may take, such as 90s; else as the skill says
    #[arg(long, value_name = "TIME")]
    timeout: Option<Lifetime>,
    /// Copy the files that it leaves in /output to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only show the command, what it may see and use, and whether anybody would be asked
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "Examples:
  guild run guild-samples/code-complexity --param path=.
  guild run review --task 'the last commit'
  guild run lint --agent reviewer --param path=src --wait
  guild run report --params-json @parameters.json --dry-run";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let ended = params::given(&args.params, object(args), ui)
        .and_then(|given| within(ui, async |workshop| perform(args, ui, workshop, &given).await));
    finish(ui, args.dry_run, ended.unwrap_or_else(|refusal| refused(args, refusal)))
}

fn object(args: &Args) -> Option<Object<'_>> {
    Some(Object { option: "--params-json", source: args.params_json.as_deref()? })
}

async fn perform(args: &Args, ui: &Ui, workshop: &Workshop<'_>, given: &Given) -> Envelope<reply::Run> {
    let principal = ui.principal(args.agent.as_deref());
    let owner = ui.owner(args.owner.as_deref());
    let arguments: Vec<String> = args.task.iter().chain(&args.arguments).cloned().collect();
    let follow = Following::new(ui, &args.name);
    let mut live = LiveOutput::new(ui.is_json());
    let unread = live.unread();
    let invocation = Invocation {
        name: &args.name,
        principal: &principal,
        given,
        arguments: &arguments,
        consent: args.consent.consent(ui),
        wait: args.consent.wait.map(duration),
        container: args.container.as_deref(),
        owner: &owner,
        backend: args.backend.as_deref(),
        timeout: args.timeout.map(duration),
        out: args.out.as_ref().map(|out| ui.machine().directory.join(out)),
        dry_run: args.dry_run,
        on_output: &mut |chunk| follow.output(chunk, &mut live),
        on_stage: &|stage| follow.stage(stage),
    };
    // Whoever interrupts it ends what runs: what is dropped leaves nothing behind.
    let envelope = tokio::select! {
        envelope = run_skill(workshop, invocation) => envelope,
        _ = tokio::signal::ctrl_c() => interrupted(workshop, &args.name, "interrupted").await,
        () = unread.come() => interrupted(workshop, &args.name, "nobody reads its output any more").await,
    };
    follow.end(&mut live, envelope)
}

/// What is left of a run that was interrupted: that it was, in the books.
async fn interrupted(workshop: &Workshop<'_>, name: &str, why: &str) -> Envelope<reply::Run> {
    workshop.settle().await.ok();
    let message = format!("{why}; what ran was ended");
    Envelope::error(Code::RunInterrupted, message, reply::Run::nothing(name))
}

fn duration(lifetime: Lifetime) -> Duration {
    lifetime.0
}

fn refused(args: &Args, refusal: Refusal) -> Envelope<reply::Run> {
    Envelope::error(refusal.code, refusal.message, reply::Run::nothing(&args.name))
}

/// Prints what came of a run.
pub fn finish(ui: &Ui, is_dry: bool, mut envelope: Envelope<reply::Run>) -> ExitCode {
    if !ui.is_json() && !is_dry && text::is_answer(&envelope) {
        // What a tool says to people is what is printed, not a remark beside it.
        let answer = std::mem::take(&mut envelope.message);
        envelope.data.output = Some(answer.into());
    }
    if envelope.code == Code::SecurityPreflightDenied {
        ui.tell_findings(&envelope.data.findings);
    }
    ui.finish(&envelope, |data, style, out| text::write(data, is_dry, style, out))
}
