//! `guild image`

mod import;
mod inspect;
mod list;
mod pull;
mod remove;

use crate::print::size;
use crate::ui::Ui;
use guild_engine::reply::{ImageKept, ImageLine};
use guild_engine::{Envelope, counted};
use std::process::ExitCode;

/// Bring in, list, look at and remove images, the root file systems of containers
///
/// An image is unpacked once and run without Docker. Skills ask for one by a role: name it in `[sandbox.roles]` of your own
/// configuration. Nothing is fetched at a run.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Import(import::Args),
    Pull(pull::Args),
    List(list::Args),
    Inspect(inspect::Args),
    Remove(remove::Args),
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::Import(args) => import::run(args, ui),
        Command::Pull(args) => pull::run(args, ui),
        Command::List(args) => list::run(args, ui),
        Command::Inspect(args) => inspect::run(args, ui),
        Command::Remove(args) => remove::run(args, ui),
    }
}

/// Prints the digest of an image that was brought in, and says what it is.
fn finish(mut envelope: Envelope<ImageKept>, ui: &Ui) -> ExitCode {
    if let Some(image) = &envelope.data.image {
        let name = match envelope.data.named.as_slice() {
            [] => "it".to_owned(),
            names => names.join(", "),
        };
        envelope.message = format!("{name} is there: {}, {}", counted_files(image), size(image.bytes));
    }
    ui.finish(&envelope, |data, _, out| match &data.image {
        Some(image) => writeln!(out, "{}", image.digest),
        None => Ok(()),
    })
}

fn counted_files(image: &ImageLine) -> String {
    counted(usize::try_from(image.files).unwrap_or(usize::MAX), "file")
}
