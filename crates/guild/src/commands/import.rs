//! `guild import`

use crate::installing::{SiteArgs, changes, findings, within};
use crate::print::{Ink, escape};
use crate::ui::Ui;
use guild_engine::{InstallImportRequest, import};
use std::path::PathBuf;
use std::process::ExitCode;

/// Install what a bundle has, or what another installer's lock says
///
/// A bundle of `guild export` is checked to the last byte, vetted and installed without a network. Its approvals count here if its
/// installation is one that you trust (`trust.installations`); else they are requests that wait for you. Of locks it
/// reads `skills-lock.json` (version 1), `.skill-lock.json` (version 3) and `.clawhub/lock.json`: every skill is fetched from where
/// it came, held to the lock's hash, vetted, and pinned in `guild.lock`. All of it is installed, or nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  guild import skills.guild.tar.gz
  guild import skills-lock.json
  guild import ~/.agents/.skill-lock.json --user --latest
  guild import .clawhub/lock.json")]
pub struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take what has moved at its source as it is now
    #[arg(long)]
    latest: bool,
    /// Replace what is installed under the same name, local edits included
    #[arg(long)]
    replace: bool,
    /// Leave out what the vet denies, instead of refusing everything
    #[arg(long)]
    skip_denied: bool,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let path = ui.machine().directory.join(&args.file);
    let request = InstallImportRequest {
        path: &path,
        scope: args.site.scope(),
        latest: args.latest,
        replace: args.replace,
        skip_denied: args.skip_denied,
    };
    let envelope = within(ui, &args.site, async |installer| import(installer, &request).await);
    if !ui.is_json() {
        ui.show(|style, out| findings(&envelope.data.vetted, style, out)).ok();
    }
    ui.finish(&envelope, |data, style, out| {
        changes(&data.installed, style, out)?;
        data.skipped.iter().try_for_each(|line| {
            let word = style.ink(Ink::Yellow, "left out");
            writeln!(out, "{word} {}: {}", escape::line(&line.name), escape::line(&line.reason))
        })?;
        for line in &data.grants {
            writeln!(out, "{} {} {}", style.ink(Ink::Green, line.mode), escape::line(&line.skill), line.id)?;
        }
        data.proposals.iter().try_for_each(|line| {
            let word = style.ink(Ink::Yellow, "proposed");
            writeln!(out, "{word} {} {}", escape::line(&line.skill), line.request)
        })
    })
}
