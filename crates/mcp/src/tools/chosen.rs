//! Skills that a person has chosen to be tools of their own: each runs as `skill_run` runs it.

use std::sync::Arc;

use guild_engine::{SkillTool, WORDS};
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};

use super::{envelope_schema, object, run};
use crate::outcome;
use crate::server::Server;

/// Hosts cut longer descriptions.
const LONGEST: usize = 1_000;

/// A skill as a tool.
pub(super) fn described(tool: &SkillTool) -> Tool {
    let description: String = tool.description.chars().take(LONGEST).collect();
    let annotations = ToolAnnotations::new()
        .read_only(tool.is_read_only)
        .destructive(tool.reaches_out)
        .open_world(tool.reaches_out);
    Tool::new(tool.name.clone(), description, Arc::new(object(tool.input.clone())))
        .with_title(tool.skill.clone())
        .with_raw_output_schema(Arc::new(object(output(tool.output.as_ref()))))
        .with_annotations(annotations)
}

/// Runs the skill with what its tool was given.
pub(super) async fn call(
    server: &Server,
    tool: &SkillTool,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let mut input = request.arguments.clone().unwrap_or_default();
    let words = if tool.has_parameters { Ok(Vec::new()) } else { words(&mut input) };
    match words {
        Ok(words) => {
            let asked = run::Arguments { name: tool.skill.clone(), input, arguments: words };
            run::carried_out(server, request, context, run::Wanted::Skill(asked)).await
        }
        Err(reason) => Ok(outcome::misused(&reason).into()),
    }
}

/// The envelope, with what the skill's contract says of its result.
fn output(declared: Option<&Value>) -> Value {
    let mut schema = envelope_schema();
    if let (Some(declared), Value::Object(fields)) = (declared, &mut schema) {
        // What was not run to its end has none.
        let output = json!({"anyOf": [declared, {"type": "null"}]});
        let data = json!({"type": "object", "properties": {"output": output}});
        fields.insert("properties".to_owned(), Value::Object(Map::from_iter([("data".to_owned(), data)])));
    }
    schema
}

fn words(input: &mut JsonObject) -> Result<Vec<String>, String> {
    let Some(words) = input.shift_remove(WORDS) else { return Ok(Vec::new()) };
    serde_json::from_value(words).map_err(|error| format!("the arguments do not fit: {error}"))
}
