//! Verbs: `review` and `security_review`, each a skill for a child agent, where there is somebody to run it.

use std::sync::Arc;

use guild_engine::Verb;
use rmcp::model::{CallToolRequestParams, CallToolResponse, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::json;

use super::{envelope_schema, object, run};
use crate::server::Server;
use crate::{arguments, outcome};

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    task: String,
}

/// A verb as a tool.
pub(super) fn described(verb: &Verb) -> Tool {
    let input = json!({
        "type": "object",
        "properties": {"task": {"type": "string", "description": "the concrete question"}},
        "required": ["task"],
    });
    Tool::new(verb.name, verb.description.clone(), Arc::new(object(input)))
        .with_raw_output_schema(Arc::new(object(envelope_schema())))
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).open_world(true))
}

/// Runs the verb's skill with the task.
pub(super) async fn call(
    server: &Server,
    verb: &Verb,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let asked: Arguments = match arguments::read(&request) {
        Ok(arguments) => arguments,
        Err(reason) => return Ok(outcome::misused(&reason).into()),
    };
    if asked.task.trim().is_empty() {
        let message = format!("`{}` requires a non-empty `task`: describe the concrete question", verb.name);
        return Ok(outcome::misused(&message).into());
    }
    let asked = run::Arguments::of(verb.skill.clone(), asked.task);
    run::carried_out(server, request, context, run::Wanted::Skill(asked)).await
}
