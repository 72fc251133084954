//! `guild image pull`

use crate::print::Progress;
use crate::ui::Ui;
use crate::{runtime, surroundings};
use guild_engine::containers::image::Patience;
use guild_engine::{PullRequest, docker_config, image_pull};
use std::process::ExitCode;

/// Bring in an image from a registry
///
/// A tag is resolved to a digest, which is written down; pin it with `name@sha256:…`. Everything that comes is held to its
/// digest. A pull that was interrupted goes on where it stopped. Its digest is printed.
///
/// Names and passwords are those of Docker's configuration file. A registry is spoken to without encryption only where it is on
/// this machine or stands in `sandbox.images.insecure_registries`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The image: NAME, NAME:TAG or NAME@sha256:DIGEST, with its registry in front where that is not Docker's
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// What to call it; otherwise the whole reference
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// For which platform, such as linux/arm64; otherwise for this machine
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
}

const EXAMPLES: &str = "Examples:
  guild image pull busybox
  guild image pull ghcr.io/acme/tools:3 --name tools";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let progress = Progress::new(ui.shows_progress(), ui.tells());
    let request = PullRequest {
        reference: &args.reference,
        name: args.name.as_deref(),
        platform: args.platform.as_deref(),
        credentials: docker_config(ui.machine()),
        patience: Patience::default(),
        now: surroundings::now(),
        listener: progress.listener(),
    };
    let images = ui.images();
    let pulled = runtime::block_on(image_pull(&images, request));
    progress.finish();
    match pulled {
        Ok(envelope) => super::finish(envelope, ui),
        Err(error) => ui.defect(&format!("cannot start a runtime: {error}")),
    }
}
