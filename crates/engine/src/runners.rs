//! Who runs child agents: what the person's and the machine's configuration say of them.
//!
//! A runner is the person's choice, never a skill's or a project's. How one is talked to is left to whoever does.

mod settings;

pub use settings::{
    CommandRunner, HttpRunner, Preset, Protocol, RunnerBudget, RunnerSettings, RunnerWay, runner_for, runners,
};
pub(crate) use settings::{faults, problems};
