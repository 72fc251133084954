//! Answering what a tool asks in the midst of a call: with values from the command line, or typed field by field.

use crate::commands::run::params::{Object, given};
use crate::confirm::{choose, type_in};
use crate::print::told;
use crate::ui::Ui;
use guild_engine::reply::RequestLine;
use guild_engine::{ANSWER, AskedField, Asks, Code, Refusal, Shown, asked_fields, typed_answers};
use serde_json::{Map, Value};

/// What to answer with.
#[derive(Debug, clap::Args)]
pub struct AnswerArgs {
    /// A value that the request asks for, typed as it wants it; given again, it is a list
    #[arg(long = "param", short = 'p', value_name = "NAME=VALUE", conflicts_with_all = ["once", "always"])]
    params: Vec<String>,
    /// All values as a JSON object, `@FILE` that holds one, or `-` for standard input
    #[arg(long, value_name = "JSON", conflicts_with_all = ["once", "always"])]
    params_json: Option<String>,
}

/// What a person has said.
pub enum Answered {
    /// These values.
    Values(Map<String, Value>),
    /// No.
    No,
}

impl AnswerArgs {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.params.is_empty() && self.params_json.is_none()
    }
}

/// The answer to a request that asks for values; nothing where it asks for none and none are given.
pub fn answered(args: &AnswerArgs, request: &RequestLine, ui: &Ui) -> Result<Option<Answered>, Refusal> {
    let asks = Shown::read(&request.shown).and_then(|shown| shown.asks).filter(|_| request.action == ANSWER);
    let Some(asks) = asks else {
        let message = format!("{} is about something that takes no values", request.id);
        return if args.is_empty() { Ok(None) } else { Err(Refusal::new(Code::Usage, message)) };
    };
    if args.is_empty() && ui.is_terminal() {
        return typed(&asks, request, ui).map(Some);
    }
    let object = args.params_json.as_deref().map(|source| Object { option: "--params-json", source });
    let given = given(&args.params, object, ui)?;
    let mut values = given.values;
    values.extend(typed_answers(&asks.schema, given.texts));
    Ok(Some(Answered::Values(values)))
}

/// Shows the question, and has every field typed; an empty line leaves one out.
fn typed(asks: &Asks, request: &RequestLine, ui: &Ui) -> Result<Answered, Refusal> {
    let later = || Refusal::new(Code::NotConfirmed, format!("nothing was said; {} still waits", request.id));
    ui.show(|style, out| told(&request.told(), style, out)).map_err(|_| later())?;
    let mut typed = Vec::new();
    for field in asked_fields(&asks.schema) {
        let line = type_in(&label(&field)).ok().flatten().ok_or_else(later)?;
        typed.push((field.name, line));
    }
    match choose("Send this?", &["yes", "deny", "later"]).ok().flatten() {
        Some("yes") => Ok(Answered::Values(typed_answers(&asks.schema, typed))),
        Some("deny") => Ok(Answered::No),
        _ => Err(later()),
    }
}

fn label(field: &AskedField) -> String {
    guild_engine::manifest::escape::exact(field.title.as_ref().unwrap_or(&field.name))
}
