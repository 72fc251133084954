//! The command line: global options and one subcommand, each in a file of its own.

use crate::commands::{
    add, approve, changes, check, completions, connect, contract, deny, deps, diff, disable, doctor, enable,
    explain, export, feedback, gc, grants, hash, image, import, improve, link, list, login, mcp, new,
    outdated, pin, plugins, prompt, receipts, registry, reload, remove, render, replay, requests, rollback,
    roots, run, sandbox, search, secret, serve, servers, show, sync, token, tools, top, update, verify, vet,
    watch,
};
use crate::installing;
use crate::ui::{Colour, Ui};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use std::ffi::OsString;
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

/// Each is described to the parser when it is asked for: describing all of them takes longer than some of them do.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    Export(export::Args),
    Import(import::Args),
    Prompt(prompt::Args),
    Render(render::Args),
    Reload(reload::Args),
    Watch(watch::Args),
    Top(top::Args),
    Mcp(mcp::Args),
    Serve(serve::Args),
    Login(login::Args),
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
    Feedback(feedback::Args),
    Improve(improve::Args),
    Token(token::Args),
    Tools(tools::Args),
    Gc(gc::Args),
    Doctor(doctor::Args),
    Explain(explain::Args),
    Completions(completions::Args),
}

impl Cli {
    /// Reads the arguments. Help and errors speak of all subcommands, which are described only then.
    pub fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        // `guild help list` is what people type first; it is `guild list --help`.
        if let [program, word, words @ ..] = arguments
            && word == "help"
        {
            let asked = [program.clone()].into_iter().chain(words.iter().cloned()).chain(["--help".into()]);
            return Self::read(&asked.collect::<Vec<_>>());
        }
        Self::try_parse_from(arguments).or_else(|error| {
            if error.kind() == ErrorKind::DisplayVersion {
                return Err(error);
            }
            let mut whole = Self::command();
            whole.build();
            let matches = whole.try_get_matches_from_mut(arguments)?;
            clap::FromArgMatches::from_arg_matches(&matches).map_err(|error| error.format(&mut whole))
        })
    }

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
        self.command.run(&ui)
    }
}

impl Command {
    fn run(self, ui: &Ui) -> ExitCode {
        match self {
            Self::List(args) => list::run(&args, ui),
            Self::Show(args) => show::run(&args, ui),
            Self::Search(args) => search::run(&args, ui),
            Self::Check(args) => check::run(&args, ui),
            Self::Vet(args) => vet::run(&args, ui),
            Self::Contract(args) => contract::run(&args, ui),
            Self::Deps(args) => deps::run(&args, ui),
            Self::Run(args) => run::run(&args, ui),
            Self::Hash(args) => hash::run(&args, ui),
            Self::Diff(args) => diff::run(&args, ui),
            Self::Roots(args) => roots::run(&args, ui),
            Self::Plugins(args) => plugins::run(&args, ui),
            Self::Enable(args) => enable::run(&args, ui),
            Self::Disable(args) => disable::run(&args, ui),
            Self::Registry(args) => registry::run(&args, ui),
            Self::Secret(args) => secret::run(&args, ui),
            Self::New(args) => new::run(&args, ui),
            Self::Add(args) => add::run(&args, ui),
            Self::Verify(args) => verify::run(&args, ui),
            Self::Sync(args) => sync::run(&args, ui),
            Self::Outdated(args) => outdated::run(&args, ui),
            Self::Update(args) => update::run(&args, ui),
            Self::Rollback(args) => rollback::run(&args, ui),
            Self::Pin(args) => pin::run(&args, ui),
            Self::Remove(args) => remove::run(&args, ui),
            Self::Link(args) => link::run(&args, ui),
            Self::Export(args) => export::run(&args, ui),
            Self::Import(args) => import::run(&args, ui),
            Self::Prompt(args) => prompt::run(&args, ui),
            Self::Render(args) => render::run(&args, ui),
            Self::Reload(args) => reload::run(&args, ui),
            Self::Watch(args) => watch::run(&args, ui),
            Self::Top(args) => top::run(&args, ui),
            Self::Mcp(args) => mcp::run(&args, ui),
            Self::Serve(args) => serve::run(&args, ui),
            Self::Login(args) => login::run(&args, ui),
            Self::Servers(args) => servers::run(&args, ui),
            Self::Connect(args) => connect::run(&args, ui),
            Self::Image(args) => image::run(&args, ui),
            Self::Sandbox(args) => sandbox::run(&args, ui),
            Self::Changes(args) => changes::run(&args, ui),
            Self::Requests(args) => requests::run(&args, ui),
            Self::Approve(args) => approve::run(&args, ui),
            Self::Deny(args) => deny::run(&args, ui),
            Self::Grants(args) => grants::run(&args, ui),
            Self::Receipts(args) => receipts::run(&args, ui),
            Self::Replay(args) => replay::run(&args, ui),
            Self::Feedback(args) => feedback::run(&args, ui),
            Self::Improve(args) => improve::run(&args, ui),
            Self::Token(args) => token::run(&args, ui),
            Self::Tools(args) => tools::run(&args, ui),
            Self::Gc(args) => gc::run(&args, ui),
            Self::Doctor(args) => doctor::run(&args, ui),
            Self::Explain(args) => explain::run(&args, ui),
            Self::Completions(args) => completions::run(&args, ui),
        }
    }
}
