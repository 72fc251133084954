//! `guild link`

use crate::installing::{SiteArgs, within};
use crate::print::{Cell, Ink, escape, table};
use crate::ui::Ui;
use guild_engine::{LinkRequest, link};
use std::process::ExitCode;

/// Make skills visible in other agents' directories
///
/// Links the skills that Guildhall has installed in this project (or, with `--user`, for you), or those that you name, into the directory that
/// each agent reads. What is there and was not made by this command is never touched. What is switched off or denied is left out. Doing it
/// twice does nothing; `--remove` undoes it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  guild link claude-code
  guild link claude-code cursor --skill pdf,docx
  guild link codex --user --copy
  guild link claude-code --remove")]
pub struct Args {
    /// The agents: claude-code, codex, cursor, gemini-cli, github-copilot, goose, windsurf and seventy more
    #[arg(value_name = "AGENT", required = true)]
    agents: Vec<String>,
    /// Only these skills, wherever they lie
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skill: Vec<String>,
    /// Copy the files instead of linking to them
    #[arg(long, conflicts_with = "remove")]
    copy: bool,
    /// Take away what was linked or copied
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let request = LinkRequest {
        agents: &args.agents,
        skills: &args.skill,
        scope: args.site.scope(),
        copy: args.copy,
        remove: args.remove,
    };
    let envelope = within(ui, &args.site, async |installer| link(installer, &request).await);
    ui.finish(&envelope, |data, style, out| {
        let rows: Vec<[Cell<'_>; 4]> = data
            .links
            .iter()
            .map(|line| {
                let ink = if line.change == "unchanged" { Ink::Dim } else { Ink::Green };
                [
                    Cell::new(ink, line.change),
                    Cell::new(Ink::Bold, &line.name),
                    Cell::plain(&line.agent),
                    Cell::plain(&line.path),
                ]
            })
            .collect();
        if !rows.is_empty() {
            table(["CHANGE", "SKILL", "AGENT", "PATH"], &rows, style, out)?;
        }
        data.left_out.iter().try_for_each(|line| writeln!(out, "left out: {}", escape::line(line)))
    })
}
