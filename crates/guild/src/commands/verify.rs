//! `guild verify`

use crate::installing::{SiteArgs, look};
use crate::print::{Ink, Style, difference, escape, mode_change};
use crate::ui::Ui;
use guild_engine::reply::{FileDrift, Verify};
use guild_engine::verify;
use std::io::{self, Write};
use std::process::ExitCode;

/// Compare every installed byte with the lock, and show local edits as a difference
///
/// Files that are not what they were, that are gone, or that were not there, in any installed skill or plugin. The command ends with 1 if
/// there is one, so it serves in CI.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only these skills or plugins
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope = look(ui, async |installer| verify(installer, args.site.scope(), &args.names).await);
    ui.finish(&envelope, print)
}

fn print(data: &Verify, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lists = [
        ("changed", Ink::Yellow, &data.changed),
        ("missing", Ink::Red, &data.missing),
        ("extra", Ink::Red, &data.extra),
    ];
    for (word, ink, files) in lists {
        for FileDrift { name, path, was_executable, is_executable, difference: changes, .. } in files {
            let separator = if path.is_empty() { "" } else { "/" };
            writeln!(
                out,
                "{} {}{separator}{}{}",
                style.ink(ink, word),
                escape::line(name),
                escape::exact(path),
                mode_change(*was_executable, *is_executable)
            )?;
            difference(changes, style, out)?;
        }
    }
    data.linked
        .iter()
        .try_for_each(|name| writeln!(out, "{} {}", style.ink(Ink::Dim, "linked"), escape::line(name)))
}
