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

/// Runs the plan at `path` and prints how it ended.
pub fn run(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read the plan: {error}"))?;
    let plan: Plan = serde_json::from_str(&text).map_err(|error| format!("cannot read the plan: {error}"))?;
    if plan.passes.iter().any(|pass| !matches!(pass, Pass::Session)) {
        cgroup::prepare()?;
    }
    let mut tally = Tally::default();
    for pass in &plan.passes {
        tally.add(&suite::run(&plan, *pass)?);
    }
    println!("{tally}");
    Ok(())
}
