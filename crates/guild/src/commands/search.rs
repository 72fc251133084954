//! `guild search`

use super::list::print_skills;
use crate::books::{self, Lesson};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::{SearchRequest, search};
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Search skills by name, description and text, best first
///
/// A query that is found in a name never ranks below one that is only found in a description. Misspelled words and
/// beginnings of words are understood.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// How many results at the most
    #[arg(short = 'n', long = "limit", default_value = "10", value_parser = limit, value_name = "N", allow_negative_numbers = true)]
    limit: NonZeroUsize,
    /// Only skills that this agent may use
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Mark the skills whose `paths` match this file, and list them first
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = books::hall(ui, Freshness::Indexed, Lesson::Experience);
    let query = args.query.join(" ");
    let request = SearchRequest {
        query: &query,
        limit: args.limit.get(),
        agent: args.agent.as_deref(),
        file: args.file.as_deref(),
    };
    let mut envelope = search(&hall, &request);
    if envelope.message.is_empty() && envelope.data.skills.is_empty() {
        envelope.message = format!("nothing matches `{}`; `guild list` shows every skill", shown(&query));
    }
    ui.finish(&envelope, |data, style, out| match data.skills.as_slice() {
        [] => Ok(()),
        skills => print_skills(skills, style, out),
    })
}

fn limit(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number from 1 on".to_owned())
}

/// The query, or its beginning where somebody has put a whole page in.
fn shown(query: &str) -> String {
    const MOST: usize = 80;
    match query.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", query.get(..end).unwrap_or_default()),
        None => query.to_owned(),
    }
}
