//! The command as people and programs meet it: every run is a process in a world of its own.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, JSON that lacks a field is a failure, and a stand-in is told"
)]

mod agent_plugins;
mod allowed;
mod api;
mod approvals;
mod browsing;
mod changes;
mod codes;
mod conformance;
mod connect;
mod crash;
mod deps;
mod desk;
mod engines;
mod errors;
mod help;
mod hostile;
mod images;
mod installing;
mod json;
mod library;
mod mcp;
mod modules;
mod page;
mod pipe;
mod plugin_hooks;
mod plugin_tools;
mod power_cut;
mod race;
mod receipts;
mod registry;
mod roles;
mod samples;
mod sandbox;
mod schema;
mod serve;
mod servers;
mod subagents;
mod terminal;
mod tokens;
mod top;
mod tour;
mod watch;
mod wild;
mod world;

use guild_testkit::Env;
use serde_json::Value as Json;

/// A world that has the command and the files of a fixture text.
#[track_caller]
fn env(files: &str) -> Env {
    let env = Env::new(env!("CARGO_BIN_EXE_guild"));
    env.write(files);
    env
}

/// The one envelope that a command printed with `--json`.
#[track_caller]
fn envelope(text: &str) -> Json {
    assert_eq!(text.lines().count(), 1, "not one line: {text}");
    serde_json::from_str(text).unwrap()
}

/// The subcommands that do something, as the command itself lists them: `list`, `sandbox run`.
fn commands() -> Vec<String> {
    let all = subcommands();
    let is_group = |command: &String| all.iter().any(|other| other.starts_with(&format!("{command} ")));
    all.iter().filter(|command| !is_group(command)).cloned().collect()
}

/// All subcommands, those that only hold others included.
fn subcommands() -> Vec<String> {
    let mut all = Vec::new();
    add_subcommands(&env(""), "", &mut all);
    all
}

fn add_subcommands(env: &Env, group: &str, all: &mut Vec<String>) {
    for name in listed(env, group) {
        let command = format!("{group} {name}").trim().to_owned();
        all.push(command.clone());
        add_subcommands(env, &command, all);
    }
}

fn listed(env: &Env, group: &str) -> Vec<String> {
    let help = env.guild(&group.split_whitespace().chain(["--help"]).collect::<Vec<_>>()).stdout();
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}
