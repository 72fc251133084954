//! `skill_search`

use guild_engine::{Envelope, Refusal, SearchRequest, counted, reply, search};
use rmcp::model::ToolAnnotations;
use serde::Deserialize;
use serde_json::json;

use super::{Entry, line};
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "skill_search",
    description: "Find skills for a task; call it first",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer"},
            },
            "required": ["query"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(true).open_world(false),
    call: |server, request, _| {
        Box::pin(async move {
            let Arguments { query, limit } = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            let (agent, limit) = (server.agent().to_owned(), limit.clamp(1, 50));
            let searched = server.premises().beside(move |_, hall| {
                let request = SearchRequest { query: &query, limit, agent: Some(&agent), file: None };
                let found = search(hall, &request);
                outcome::of(&found, text(&found))
            });
            let failed = |refusal: Refusal| {
                let envelope: Envelope<()> = refusal.into_envelope();
                outcome::of(&envelope, String::new())
            };
            Ok(searched.await.unwrap_or_else(failed).into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    query: String,
    #[serde(default = "ten")]
    limit: usize,
}

fn ten() -> usize {
    10
}

fn text(found: &Envelope<reply::Search<'_>>) -> String {
    let lines: Vec<String> = found.data.skills.iter().map(line).collect();
    match lines.as_slice() {
        [] => "No skill is about that.".to_owned(),
        _ => format!("{}; `skill_load` reads one:\n{}", counted(lines.len(), "skill"), lines.join("\n")),
    }
}
