//! The tools, three of them whatever the number of skills: find, read, run.

mod load;
mod run;
mod search;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

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

/// All tools, always in the same order: whoever caches them need not do so twice.
pub(crate) fn list() -> Vec<Tool> {
    TOOLS.iter().map(Entry::described).collect()
}

/// Calls a tool.
pub(crate) async fn call(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    match TOOLS.iter().find(|tool| tool.name == request.name) {
        Some(tool) => (tool.call)(server, request, context).await,
        None => Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None)),
    }
}

impl Entry {
    fn described(&self) -> Tool {
        Tool::new(self.name, self.description, Arc::new(object((self.input)())))
            .with_raw_output_schema(Arc::new(object(envelope_schema())))
            .with_annotations((self.annotations)())
    }
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
