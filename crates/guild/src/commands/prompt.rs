//! `guild prompt`

use crate::print::for_models;
use crate::ui::Ui;
use clap::ValueEnum;
use guild_engine::catalog::Freshness;
use guild_engine::catalog::prompt::Budget;
use guild_engine::manifest::config::PromptFormat;
use guild_engine::{PromptRequest, prompt};
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

/// Print the catalog of skills that an agent's model is told of
///
/// Only skills that the agent may use, that this machine can serve and that models may reach for are named. Over a
/// budget, names are kept, descriptions are shortened fairly, and only then are skills left out, which the text says.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// For which agent
    #[arg(long, default_value = "default", value_name = "AGENT")]
    agent: String,
    /// In which form; `xml`, unless the configuration says otherwise
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// At most this many characters, or tokens with a `t` at the end, such as `2000t`; 8000 characters, unless the
    /// configuration says otherwise
    #[arg(long, value_parser = budget, value_name = "N", allow_negative_numbers = true)]
    budget: Option<Budget>,
    /// Skills whose `paths` match this file come first
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// `<available_skills>` with names, descriptions and locations
    Xml,
    /// A pinned index of one line per skill, at most 2,000 characters
    Index,
    /// One bullet per skill
    Bullets,
    /// A JSON array
    Json,
    /// The whole text of the skills that the configuration injects, as sections
    Sections,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let format = args.format.map(|form| match form {
        Form::Xml => PromptFormat::Xml,
        Form::Index => PromptFormat::Index,
        Form::Bullets => PromptFormat::Bullets,
        Form::Json => PromptFormat::Json,
        Form::Sections => PromptFormat::Sections,
    });
    let request =
        PromptRequest { agent: &args.agent, format, budget: args.budget, file: args.file.as_deref() };
    let envelope = prompt(&hall, &request);
    let is_terminal = io::stdout().is_terminal();
    ui.finish(&envelope, |data, _, out| match data.text.as_str() {
        "" => Ok(()),
        text => writeln!(out, "{}", for_models(text, is_terminal)),
    })
}

fn budget(text: &str) -> Result<Budget, String> {
    let number =
        |text: &str| text.parse::<usize>().map_err(|_| "write a number, or a number and `t`".to_owned());
    match text.strip_suffix('t') {
        Some(tokens) => number(tokens).map(Budget::Tokens),
        None => number(text).map(Budget::Characters),
    }
}
