//! `guild check`

use crate::print::{Style, problem, sarif};
use crate::ui::Ui;
use clap::ValueEnum;
use guild_engine::catalog::Freshness;
use guild_engine::manifest::skill::Profile;
use guild_engine::reply::Check;
use guild_engine::{CheckRequest, check};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Say what is wrong with skills, line and column, and how to fix it
///
/// Without a path every skill and plugin that is found is checked, and the configuration too. With paths, every skill at
/// or below them is checked, found or not. The command fails if there is an error.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Skills, or directories to look for skills in
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How strictly to judge
    #[arg(long, value_enum, default_value_t = Rules::Lenient)]
    profile: Rules,
    /// Print SARIF 2.1.0, for code scanning
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// Load what can be loaded, say what is wrong
    Lenient,
    /// The open specification of agent skills
    Strict,
    /// What hosted skill services accept
    Upload,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let profile = match args.profile {
        Rules::Lenient => Profile::Lenient,
        Rules::Strict => Profile::Strict,
        Rules::Upload => Profile::Upload,
    };
    let envelope = check(&hall, &CheckRequest { paths: args.paths.clone(), profile });
    ui.finish(
        &envelope,
        |data, style, out| {
            if args.sarif { sarif::print(data, out) } else { print(data, style, out) }
        },
    )
}

fn print(data: &Check<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for file in &data.skills {
        let directory = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        for line in &file.problems {
            problem(line, directory, style, out)?;
        }
    }
    for file in &data.others {
        for line in &file.problems {
            problem(line, Path::new(""), style, out)?;
        }
    }
    Ok(())
}
