//! `guild run`

mod params;
mod text;

use crate::approver::TerminalApprover;
use crate::print::{LiveOutput, Waiting};
use crate::runtime;
use crate::ui::Ui;
use clap::ValueEnum;
use guild_engine::catalog::Freshness;
use guild_engine::ledger::via;
use guild_engine::ports::{Answer, Approver};
use guild_engine::{
    Books, Code, Consent, Envelope, Given, Hall, Invocation, Lifetime, Refusal, Stage, Workshop,
    container_backends, reply, run as run_skill,
};
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
    /// As this agent, which has only the skills it may use
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// A parameter, typed as the skill declares it; given again, it is a list
    #[arg(long = "param", short = 'p', value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// Parameters as a JSON object, `@FILE` that holds one, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    params_json: Option<String>,
    /// Approve it in the same breath: exactly this run, or every run of the skill as it is now
    #[arg(long, value_enum, value_name = "HOW")]
    approve: Option<Approve>,
    /// How long `--approve always` holds, such as 30d
    #[arg(long = "for", value_name = "TIME", requires = "approve")]
    lifetime: Option<Lifetime>,
    /// Wait so long for somebody's answer, such as 5m; without a time for 10 minutes
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "10m")]
    wait: Option<Lifetime>,
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

/// How to approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Approve {
    /// Exactly this run, one time
    Once,
    /// Every run of the skill as it is now, in this workspace
    Always,
}

const EXAMPLES: &str = "Examples:
  guild run guild-samples/code-complexity --param path=.
  guild run lint --agent reviewer --param path=src --wait
  guild run report --params-json @parameters.json --dry-run";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let given = match params::given(&args.params, args.params_json.as_deref(), ui) {
        Ok(given) => given,
        Err(refusal) => return finish(ui, args, refused(args, refusal)),
    };
    let mut hall = ui.hall(Freshness::Indexed);
    let ended = runtime::block_on(async {
        let books =
            Books::open_to_write(&ui.places(), &hall.config, &hall.ignored_config, ui.moment()).await?;
        hall.allow(&books).await?;
        let envelope = perform(args, ui, &hall, &books, &given).await;
        books.leave();
        envelope
    });
    let envelope = match ended {
        Ok(Ok(envelope)) => envelope,
        Ok(Err(refusal)) => refused(args, refusal),
        Err(error) => return ui.defect(&format!("cannot start a runtime: {error}")),
    };
    finish(ui, args, envelope)
}

async fn perform(
    args: &Args,
    ui: &Ui,
    hall: &Hall,
    books: &Books,
    given: &Given,
) -> Result<Envelope<reply::Run>, Refusal> {
    let places = ui.places();
    let images = ui.images();
    let backends = container_backends(&ui.surroundings());
    let store = places.store()?;
    let waiting = Waiting::new(ui.shows_progress(), &args.name);
    let approver = TerminalApprover::new(ui);
    let approver: Option<&dyn Approver> = if ui.is_terminal() { Some(&approver) } else { None };
    let clock = || ui.now();
    let workshop = Workshop {
        hall,
        places: &places,
        images: &images,
        backends: &backends,
        store: &store,
        books,
        providers: &[],
        subagents: None,
        approver,
        clock: &clock,
    };
    let principal = ui.principal(args.agent.as_deref());
    let owner = ui.owner(args.owner.as_deref());
    let mut live = LiveOutput::new(ui.is_json());
    let invocation = Invocation {
        name: &args.name,
        principal: &principal,
        given,
        arguments: &args.arguments,
        consent: consent(args, ui),
        wait: args.wait.map(duration),
        container: args.container.as_deref(),
        owner: &owner,
        backend: args.backend.as_deref(),
        timeout: args.timeout.map(duration),
        out: args.out.as_ref().map(|out| ui.machine().directory.join(out)),
        dry_run: args.dry_run,
        on_output: &mut |chunk| {
            waiting.stop();
            live.show(chunk);
        },
        on_stage: &|stage| match stage {
            Stage::Waits { request } => {
                ui.tell_line(&format!("waits for an answer: guild approve {request}"));
            }
            Stage::Runs => waiting.start(),
        },
    };
    let envelope = run_skill(&workshop, invocation).await;
    waiting.stop();
    live.finish();
    Ok(envelope)
}

fn consent(args: &Args, ui: &Ui) -> Option<Consent> {
    let lasting = args.lifetime.map(duration);
    let answer = match args.approve? {
        Approve::Once => Answer::Once,
        Approve::Always => Answer::Always { lasting },
    };
    let via = if ui.is_terminal() { via::TERMINAL } else { via::FLAG };
    Some(Consent { answer, via })
}

fn duration(lifetime: Lifetime) -> Duration {
    lifetime.0
}

fn refused(args: &Args, refusal: Refusal) -> Envelope<reply::Run> {
    Envelope::error(refusal.code, refusal.message, reply::Run::nothing(&args.name))
}

fn finish(ui: &Ui, args: &Args, mut envelope: Envelope<reply::Run>) -> ExitCode {
    if !ui.is_json() && text::is_answer(&envelope) {
        // What a tool says to people is what is printed, not a remark beside it.
        let answer = std::mem::take(&mut envelope.message);
        envelope.data.output = Some(answer.into());
    }
    if envelope.code == Code::SecurityPreflightDenied {
        ui.tell_findings(&envelope.data.findings);
    }
    ui.finish(&envelope, |data, style, out| text::write(data, args.dry_run, style, out))
}
