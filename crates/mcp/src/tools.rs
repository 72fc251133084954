//! The tools, three of them whatever the number of skills: find, read, run. Those that manage skills, and skills that
//! are tools of their own, come by configuration.

mod chosen;
mod load;
mod manage;
mod run;
mod search;
mod verbs;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use guild_engine::Toolset;
use guild_engine::reply::SkillSummary;
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::outcome;
use crate::server::Server;

/// An answer on its way.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send + 'a>>;

/// One tool.
struct Entry {
    name: &'static str,
    description: &'static str,
    input: fn() -> Value,
    annotations: fn() -> ToolAnnotations,
    call: for<'a> fn(&'a Server, CallToolRequestParams, RequestContext<RoleServer>) -> Answer<'a>,
}

const TOOLS: &[Entry] = &[search::TOOL, load::TOOL, run::TOOL];

/// All tools of a server, always in the same order: whoever caches them need not do so twice.
pub(crate) fn list(server: &Server) -> Vec<Tool> {
    let (few, verbs, chosen) = (of(server.toolset()), server.verbs().iter(), server.chosen());
    let chosen = chosen.tools.iter().map(chosen::described);
    few.map(Entry::described).chain(verbs.map(verbs::described)).chain(chosen).collect()
}

/// Calls a tool.
pub(crate) async fn call(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(tool) = of(server.toolset()).find(|tool| tool.name == request.name) {
        return (tool.call)(server, request, context).await;
    }
    if let Some(verb) = server.verbs().iter().find(|verb| verb.name == request.name) {
        return verbs::call(server, verb, request, context).await;
    }
    match server.chosen().find(&request.name) {
        Some(Ok(tool)) => chosen::call(server, tool, request, context).await,
        Some(Err(refusal)) => Ok(outcome::refused(refusal).into()),
        None => Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None)),
    }
}

fn of(toolset: Toolset) -> impl Iterator<Item = &'static Entry> {
    let managing = match toolset {
        Toolset::Few => &[],
        Toolset::All => manage::TOOLS,
    };
    TOOLS.iter().chain(managing)
}

impl Entry {
    fn described(&self) -> Tool {
        Tool::new(self.name, self.description, Arc::new(object((self.input)())))
            .with_raw_output_schema(Arc::new(object(envelope_schema())))
            .with_annotations((self.annotations)())
    }
}

/// A skill as a model reads of it: `- name (kind): description`.
fn line(skill: &SkillSummary<'_>) -> String {
    format!("- {} ({}): {}", skill.qualified_name, skill.kind, skill.description.replace('\n', " "))
}

/// The envelope, whose `data` differs from tool to tool; docs/json.md has the fields.
fn envelope_schema() -> Value {
    json!({"type": "object", "required": ["status", "code", "message", "data"]})
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_skill_can_have_the_name_of_a_tool_of_our_own() {
        for tool in of(Toolset::All).filter(|tool| tool.name.starts_with("skill_")) {
            assert!(guild_engine::OWN_TOOLS.contains(&tool.name), "{}", tool.name);
        }
    }
}
