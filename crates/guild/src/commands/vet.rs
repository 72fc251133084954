//! `guild vet`

mod allow;

use crate::books::{self, Lesson};
use crate::commands::explain;
use crate::print::{Bar, Ink, Style, escape, finding, sarif};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{Vet, Vetted};
use guild_engine::{Target, VetRequest, counted, vet};
use std::io::{self, Write};
use std::process::ExitCode;

/// Say whether skills are safe to load, by fixed rules, with evidence
///
/// Every file of a skill is looked at, and of the whole plugin that ships it: text, scripts, archives, images. Nothing is run, nothing is fetched and no model
/// is asked. The command ends with 3 if a skill is denied. That nothing was found does not make a skill harmless.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Skills by name, or directories and files to look for skills in
    #[arg(value_name = "NAME|PATH", required_unless_present_any = ["all", "explain"], conflicts_with_all = ["all", "explain"])]
    skills: Vec<String>,
    /// Every skill that is found, those included that do not load
    #[arg(long)]
    all: bool,
    /// Print SARIF 2.1.0, for code scanning
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Say what a code means instead
    #[arg(long, value_name = "CODE", conflicts_with = "all")]
    explain: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Allow(allow::Allow),
    /// List the warnings that were allowed
    Allowed,
    Disallow(allow::Disallow),
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Some(Command::Allow(args)) => return allow::allow(args, ui),
        Some(Command::Allowed) => return allow::allowed(ui),
        Some(Command::Disallow(args)) => return allow::disallow(args, ui),
        None => {}
    }
    if let Some(code) = &args.explain {
        return explain::run_code(code, ui);
    }
    let hall = books::hall(ui, Freshness::Indexed, Lesson::Allowed);
    let target = if args.all { Target::Everything } else { Target::Named(args.skills.clone()) };
    let bar = Bar::new(ui.is_quiet() || ui.is_json());
    let progress = |done, total| bar.show(done, total);
    let envelope = vet(&hall, &VetRequest { target, progress: &progress });
    ui.finish(
        &envelope,
        |data, style, out| {
            if args.sarif { sarif::print_vet(data, out) } else { print(data, style, out) }
        },
    )
}

fn print(data: &Vet, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    // Among many, those in which nothing was found would hide the others.
    let is_told = |skill: &&Vetted| data.skills.len() == 1 || skill.verdict != "allow";
    for skill in data.skills.iter().filter(is_told) {
        let ink = match skill.verdict {
            "deny" => Ink::Red,
            "warn" => Ink::Yellow,
            _ => Ink::Green,
        };
        let name = style.ink(Ink::Bold, &escape::line(&skill.name)).to_string();
        writeln!(out, "{}: {name} ({})", style.ink(ink, skill.verdict), escape::exact(&skill.path))?;
        skill.findings.iter().try_for_each(|line| finding(line, style, out))?;
        if skill.allowed > 0 {
            let allowed = counted(skill.allowed, "more warning");
            writeln!(
                out,
                "  {}",
                style.ink(Ink::Dim, &format!("{allowed} allowed: see `guild vet allowed`"))
            )?;
        }
    }
    Ok(())
}
