//! What runs inside the machine: each test of the plan, in a process and in surroundings of its own.
//!
//! The machine is made by then; here nothing is mounted and nobody is logged in.

mod cgroup;
mod suite;
mod tally;

use std::fs;
use std::path::Path;

pub use tally::Tally;

use super::plan::{Pass, Plan};
use crate::process;

/// Runs those passes of the plan at `path` that are this user's, and prints how they ended.
pub fn run(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read the plan: {error}"))?;
    let plan: Plan = serde_json::from_str(&text).map_err(|error| format!("cannot read the plan: {error}"))?;
    let is_root = process::capture(Path::new("/"), "id", &["-u"])?.trim() == "0";
    let passes: Vec<Pass> = plan.passes.iter().copied().filter(|pass| pass.is_roots() == is_root).collect();
    if passes.iter().any(|pass| matches!(pass, Pass::Delegated | Pass::Undelegated)) {
        cgroup::prepare()?;
    }
    for pass in passes {
        println!("{}", suite::run(&plan, pass)?);
    }
    Ok(())
}
