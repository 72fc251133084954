//! The command line: global options and one subcommand, each in a file of its own.

use crate::commands::{
    add, approve, changes, check, completions, connect, contract, deny, deps, diff, disable, doctor, enable,
    explain, grants, hash, image, link, list, mcp, new, outdated, pin, plugins, prompt, receipts, registry,
    reload, remove, render, replay, requests, rollback, roots, run, sandbox, search, secret, serve, servers,
    show, sync, token, tools, update, verify, vet, watch,
};
use crate::installing;
use crate::ui::{Colour, Ui};
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// One platform for agent skills and plugins
///
/// Guildhall finds every skill and plugin on this machine, whichever agent it was written for, says what is wrong with
/// each and how to fix it, and runs them under their contracts, in containers, once you have approved them.
#[derive(Debug, Parser)]
#[command(name = "guild", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten, next_help_heading = "Options of every command")]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
pub struct Global {
    /// Print one JSON envelope, `{status, code, message, data}`, and nothing else on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing but data and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
    /// Act as if started in this directory
    #[arg(long, short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Search(search::Args),
    Check(check::Args),
    Vet(vet::Args),
    Contract(contract::Args),
    Deps(deps::Args),
    Run(run::Args),
    Hash(hash::Args),
    Diff(diff::Args),
    Roots(roots::Args),
    Plugins(plugins::Args),
    Enable(enable::Args),
    Disable(disable::Args),
    Registry(registry::Args),
    Secret(secret::Args),
    New(new::Args),
    Add(add::Args),
    Verify(verify::Args),
    Sync(sync::Args),
    Outdated(outdated::Args),
    Update(update::Args),
    Rollback(rollback::Args),
    Pin(pin::Args),
    Remove(remove::Args),
    Link(link::Args),
    Prompt(prompt::Args),
    Render(render::Args),
    Reload(reload::Args),
    Watch(watch::Args),
    Mcp(mcp::Args),
    Serve(serve::Args),
    Servers(servers::Args),
    Connect(connect::Args),
    Sandbox(sandbox::Args),
    Image(image::Args),
    Changes(changes::Args),
    Requests(requests::Args),
    Approve(approve::Args),
    Deny(deny::Args),
    Grants(grants::Args),
    Receipts(receipts::Args),
    Replay(replay::Args),
    Token(token::Args),
    Tools(tools::Args),
    Doctor(doctor::Args),
    Explain(explain::Args),
    Completions(completions::Args),
}

impl Cli {
    /// Runs the subcommand.
    pub fn run(self) -> ExitCode {
        let is_fixed = matches!(self.command, Command::Explain(_) | Command::Completions(_));
        let ui = if is_fixed && self.global.directory.is_none() {
            Ok(Ui::anywhere(self.global))
        } else {
            Ui::new(self.global)
        };
        let ui = match ui {
            Ok(ui) => ui,
            Err(code) => return code,
        };
        if !is_fixed {
            installing::recover(&ui);
        }
        match self.command {
            Command::List(args) => list::run(&args, &ui),
            Command::Show(args) => show::run(&args, &ui),
            Command::Search(args) => search::run(&args, &ui),
            Command::Check(args) => check::run(&args, &ui),
            Command::Vet(args) => vet::run(&args, &ui),
            Command::Contract(args) => contract::run(&args, &ui),
            Command::Deps(args) => deps::run(&args, &ui),
            Command::Run(args) => run::run(&args, &ui),
            Command::Hash(args) => hash::run(&args, &ui),
            Command::Diff(args) => diff::run(&args, &ui),
            Command::Roots(args) => roots::run(&args, &ui),
            Command::Plugins(args) => plugins::run(&args, &ui),
            Command::Enable(args) => enable::run(&args, &ui),
            Command::Disable(args) => disable::run(&args, &ui),
            Command::Registry(args) => registry::run(&args, &ui),
            Command::Secret(args) => secret::run(&args, &ui),
            Command::New(args) => new::run(&args, &ui),
            Command::Add(args) => add::run(&args, &ui),
            Command::Verify(args) => verify::run(&args, &ui),
            Command::Sync(args) => sync::run(&args, &ui),
            Command::Outdated(args) => outdated::run(&args, &ui),
            Command::Update(args) => update::run(&args, &ui),
            Command::Rollback(args) => rollback::run(&args, &ui),
            Command::Pin(args) => pin::run(&args, &ui),
            Command::Remove(args) => remove::run(&args, &ui),
            Command::Link(args) => link::run(&args, &ui),
            Command::Prompt(args) => prompt::run(&args, &ui),
            Command::Render(args) => render::run(&args, &ui),
            Command::Reload(args) => reload::run(&args, &ui),
            Command::Watch(args) => watch::run(&args, &ui),
            Command::Mcp(args) => mcp::run(&args, &ui),
            Command::Serve(args) => serve::run(&args, &ui),
            Command::Servers(args) => servers::run(&args, &ui),
            Command::Connect(args) => connect::run(&args, &ui),
            Command::Image(args) => image::run(&args, &ui),
            Command::Sandbox(args) => sandbox::run(&args, &ui),
            Command::Changes(args) => changes::run(&args, &ui),
            Command::Requests(args) => requests::run(&args, &ui),
            Command::Approve(args) => approve::run(&args, &ui),
            Command::Deny(args) => deny::run(&args, &ui),
            Command::Grants(args) => grants::run(&args, &ui),
            Command::Receipts(args) => receipts::run(&args, &ui),
            Command::Replay(args) => replay::run(&args, &ui),
            Command::Token(args) => token::run(&args, &ui),
            Command::Tools(args) => tools::run(&args, &ui),
            Command::Doctor(args) => doctor::run(&args, &ui),
            Command::Explain(args) => explain::run(&args, &ui),
            Command::Completions(args) => completions::run(&args, &ui),
        }
    }
}
