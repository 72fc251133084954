//! `guild login`

use crate::ui::Ui;
use guild_engine::login;
use std::process::ExitCode;

/// Print a link that opens the page of the server that runs here
///
/// The link opens the page once, in a browser on this machine and within ten minutes; the session that it opens ends with the
/// server, or when it was idle for twelve hours. `guild serve` starts a server, and prints such a link itself.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The port of the server that is meant, where several run
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope = login(&ui.places(), ui.moment(), args.port);
    ui.finish(&envelope, |data, _, out| data.link.iter().try_for_each(|link| writeln!(out, "{link}")))
}
