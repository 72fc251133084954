//! `guild image remove`

use crate::print::size;
use crate::ui::Ui;
use guild_engine::{Status, image_remove};
use std::process::ExitCode;

/// Remove a name of an image, and the image with its last one
///
/// A digest removes the image with all of its names. An image that a role is made of stays, unless `--force` is given; one that a
/// container runs in stays in any case.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its name, its digest, or the beginning of that
    #[arg(value_name = "NAME")]
    name: String,
    /// Also where a role is made of it
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let mut envelope = image_remove(&ui.images(), &args.name, args.force);
    if envelope.status == Status::Ok {
        let data = &envelope.data;
        envelope.message = match data.left.as_slice() {
            [] => format!("removed it, {} of files", size(data.freed_bytes)),
            left => format!("the image stays as {}", left.join(", ")),
        };
    }
    ui.finish(&envelope, |data, _, out| match &data.digest {
        Some(digest) if data.removed => writeln!(out, "{digest}"),
        _ => Ok(()),
    })
}
