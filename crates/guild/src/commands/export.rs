//! `guild export`

use crate::installing::{SiteArgs, within};
use crate::print::{Ink, escape};
use crate::ui::Ui;
use clap::ValueEnum;
use guild_engine::{ExportForm, ExportOver, ExportRequest, ForeignForm, export};
use std::path::PathBuf;
use std::process::ExitCode;

/// Write what is installed into a file, for another machine or another installer
///
/// A bundle has the skills and plugins themselves, the lock, what you have approved of them in this project and the receipts of this
/// installation, signed: `guild import` installs it without a network, and finds every changed byte. A lock for other installers has
/// where the skills came from, with the hashes that those hold them to; what they have no way to say is left out and named.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  guild export skills.guild.tar.gz
  guild export skills-lock.json --format skills-lock
  guild export ~/.agents/.skill-lock.json --format skill-lock --user")]
pub struct Args {
    /// The file to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "bundle")]
    format: Format,
    /// Leave the receipts out of the bundle: they are the whole history of this installation
    #[arg(long)]
    no_receipts: bool,
    /// Write over a file that is there
    #[arg(long)]
    replace: bool,
    /// Keep what a lock that is there says of other skills, and what this program has no word for
    #[arg(long, conflicts_with = "replace")]
    merge: bool,
    #[command(flatten)]
    site: SiteArgs,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Everything, for a machine without a network
    Bundle,
    /// `skills-lock.json`, version 1, of a project
    SkillsLock,
    /// `.skill-lock.json`, version 3, of a person
    SkillLock,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let path = ui.machine().directory.join(&args.file);
    let request = ExportRequest {
        path: &path,
        form: match args.format {
            Format::Bundle => ExportForm::Bundle { receipts: !args.no_receipts },
            Format::SkillsLock => ExportForm::Lock(ForeignForm::SkillsLock),
            Format::SkillLock => ExportForm::Lock(ForeignForm::SkillLock),
        },
        scope: args.site.scope(),
        there: match () {
            () if args.merge => ExportOver::Merged,
            () if args.replace => ExportOver::Goes,
            () => ExportOver::Stays,
        },
        now: ui.moment(),
    };
    let envelope = within(ui, &args.site, async |installer| export(installer, &request).await);
    ui.finish(&envelope, |data, style, out| {
        for line in &data.exported {
            writeln!(
                out,
                "{} {} {}",
                style.ink(Ink::Green, "exported"),
                line.kind,
                escape::line(&line.name)
            )?;
        }
        data.skipped.iter().try_for_each(|line| {
            let word = style.ink(Ink::Yellow, "left out");
            writeln!(out, "{word} {}: {}", escape::line(&line.name), escape::line(&line.reason))
        })
    })
}
