//! `guild image remove`

use crate::print::size;
use crate::runtime;
use crate::ui::Ui;
use guild_engine::reply::ImageRemove;
use guild_engine::{Code, Envelope, Status, container_backends, image_remove};
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
    let (images, backends) = (ui.images(), container_backends(&ui.surroundings()));
    let removed = runtime::block_on(image_remove(&images, &backends, &args.name, args.force));
    let mut envelope = removed
        .unwrap_or_else(|error| Envelope::error(Code::Internal, error.to_string(), ImageRemove::default()));
    if envelope.status == Status::Ok {
        let data = &envelope.data;
        envelope.message = match data.left.as_slice() {
            [] => format!("removed it{}, {} of files", copies(&data.forgotten), size(data.freed_bytes)),
            left => format!("the image stays as {}", left.join(", ")),
        };
    }
    for left in &envelope.data.copies_left {
        ui.warn(&format!("a copy is left in {left}"));
    }
    ui.finish(&envelope, |data, _, out| match &data.digest {
        Some(digest) if data.removed => writeln!(out, "{digest}"),
        _ => Ok(()),
    })
}

fn copies(forgotten: &[&str]) -> String {
    if forgotten.is_empty() { String::new() } else { format!(" and the copies in {}", forgotten.join(", ")) }
}
