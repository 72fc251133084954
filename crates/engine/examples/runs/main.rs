//! The parts of `bench/run` that have to happen in process: many runs from one process, and a ledger that holds many receipts.
//!
//!     runs sustained HOME PROJECT SKILL SECONDS WORKERS
//!     runs fill HOME RECEIPTS
//!
//! HOME is that of the person whose installation it is; the skill has to be allowed there already. Both print one JSON object.
//! What is measured beside it, and how often, is decided by the caller.
#![expect(clippy::print_stdout, reason = "whoever runs the benchmark reads the figures there")]

mod fill;
mod sustained;

use std::error::Error;
use std::path::Path;

use guild_engine::Places;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let figures = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["sustained", home, project, skill, seconds, workers] => {
            let site = sustained::Site { home: home.into(), project: project.into(), skill };
            sustained::measure(&site, seconds.parse()?, workers.parse()?)?
        }
        ["fill", home, receipts] => fill::fill(Path::new(home), receipts.parse()?)?,
        _ => {
            return Err(
                "usage: runs sustained HOME PROJECT SKILL SECONDS WORKERS | fill HOME RECEIPTS".into()
            );
        }
    };
    println!("{figures}");
    Ok(())
}

/// Guildhall's directories in a home.
fn places(home: &Path) -> Places {
    let below = |name: &str| Some(home.join(name).join("guild"));
    Places { data: below(".local/share"), state: below(".local/state"), cache: below(".cache") }
}
