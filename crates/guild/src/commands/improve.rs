//! `guild improve`

use super::following::Following;
use crate::print::{LiveOutput, Style, difference};
use crate::ui::Ui;
use crate::workshop::within;
use guild_engine::reply::Improve;
use guild_engine::{Envelope, ImproveRequest, Refusal, Workshop, improve, improve_apply};
use std::io::{self, Write};
use std::process::ExitCode;

/// Let a child agent propose an edit of a skill
///
/// It reads the skill, your notes and how its runs ended, and its proposal is shown as a diff. Nothing is written: `--apply` with the
/// proposal's digest does that, if the skill is still as it was. Only skills of your own are edited.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// What should be better
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Write this proposal, which was shown before
    #[arg(long, value_name = "DIGEST", conflicts_with = "note")]
    apply: Option<String>,
    /// As this agent, which is refused: only a person lets a skill be edited
    #[arg(long, value_name = "AGENT", hide = true)]
    agent: Option<String>,
}

const EXAMPLES: &str = "Examples:
  guild improve report --note 'it forgets the totals'
  guild improve report --apply sha256:…";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let ended = within(ui, async |workshop| perform(args, ui, workshop).await);
    let envelope = ended.unwrap_or_else(|refusal| refused(args, refusal));
    ui.finish(&envelope, |data, style, out| print(data, style, out))
}

async fn perform(args: &Args, ui: &Ui, workshop: &Workshop<'_>) -> Envelope<Improve> {
    let principal = ui.principal(args.agent.as_deref());
    if let Some(proposal) = &args.apply {
        return improve_apply(workshop, &args.name, proposal, &principal).await;
    }
    let follow = Following::new(ui, &args.name);
    let mut live = LiveOutput::new(ui.is_json());
    let request = ImproveRequest {
        name: &args.name,
        note: args.note.as_deref(),
        principal: &principal,
        on_output: &mut |chunk| follow.output(chunk, &mut live),
        on_stage: &|stage| follow.stage(stage),
    };
    let envelope = improve(workshop, request).await;
    follow.end(&mut live, envelope)
}

fn refused(args: &Args, refusal: Refusal) -> Envelope<Improve> {
    Envelope::error(refusal.code, refusal.message, Improve { skill: args.name.clone(), ..Improve::default() })
}

fn print(data: &Improve, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    difference(&data.difference, style, out)?;
    match (&data.proposal, &data.path) {
        (Some(_), Some(path)) if data.applied => writeln!(out, "wrote {path}"),
        (Some(proposal), _) => writeln!(out, "guild improve {} --apply {proposal}", data.skill),
        _ => Ok(()),
    }
}
