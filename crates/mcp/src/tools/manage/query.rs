//! `query_data`

use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::json;

use crate::server::Server;
use crate::tools::Entry;
use crate::tools::run::{Wanted, carried_out};
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "query_data",
    description: "Ask a question about data that a plugin answers, by its type. A person may have to approve it",
    input: || {
        json!({
            "type": "object",
            "properties": {"type": {"type": "string"}, "input": {"type": "object"}},
            "required": ["type"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(false).destructive(false).open_world(true),
    call: |server, request, context| Box::pin(called(server, request, context)),
};

#[derive(Deserialize)]
struct Arguments {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    input: JsonObject,
}

async fn called(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    match arguments::read::<Arguments>(&request) {
        Ok(Arguments { kind, input }) => {
            carried_out(server, request, context, Wanted::Query { kind, input }).await
        }
        Err(reason) => Ok(outcome::misused(&reason).into()),
    }
}
