//! `guild image import`

use crate::print::Progress;
use crate::surroundings;
use crate::ui::Ui;
use guild_engine::{ImportRequest, ImportSource, image_import};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Bring in an image from a file or a directory
///
/// It takes OCI layouts (a directory or an archive), what `docker save` writes, and plain archives of a root file system; plain,
/// or compressed by gzip, zstd or xz. What a file is, its content says. Its digest is printed.
///
/// Nothing is ever written outside the image's own directory. Devices, set-id bits and owners are not kept, and an image that is
/// too large, broken or hostile leaves nothing behind.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file or directory, or `-` for standard input
    #[arg(value_name = "FILE")]
    source: PathBuf,
    /// What to call it; otherwise what the archive calls it, or the file's name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Which image, where an archive holds several
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// For which platform, such as linux/arm64; otherwise for this machine
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
}

const EXAMPLES: &str = "Examples:
  guild image import busybox.tar.gz
  docker save python:3.13-slim | guild image import - --name python";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let path = ui.machine().directory.join(&args.source);
    let mut stdin = io::stdin().lock();
    let source = if args.source == Path::new("-") {
        ImportSource::Stream(&mut stdin)
    } else {
        ImportSource::Path(&path)
    };
    let progress = Progress::new(ui.shows_progress(), ui.tells());
    let request = ImportRequest {
        source,
        name: args.name.as_deref(),
        image: args.image.as_deref(),
        platform: args.platform.as_deref(),
        now: surroundings::now(),
        listener: progress.listener(),
    };
    let envelope = image_import(&ui.images(), request);
    progress.finish();
    super::finish(envelope, ui)
}
