//! The tools of one child agent's run, for the program that runs it: nothing else is served, and nothing after the run has ended.
//!
//! Which tools these are and whether a call may be is the engine's to say, anew for every call.

use std::sync::Arc;

use guild_engine::ports::OfferedTool;
use guild_engine::{Code, Premises, Refusal, Transcript, child_tools};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServiceExt as _};
use serde_json::Value;

/// Serves one run.
#[derive(Clone)]
struct ChildServer {
    premises: Arc<Premises>,
    run: Arc<str>,
}

/// Serves the tools of a run over standard input and output until the program has gone.
///
/// # Errors
/// Why it could not.
pub async fn serve_child(premises: Arc<Premises>, run: String) -> Result<(), String> {
    let server = ChildServer { premises, run: run.into() };
    match server.serve(rmcp::transport::stdio()).await {
        Ok(service) => service.waiting().await.map(drop).map_err(|error| error.to_string()),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

impl ServerHandler for ChildServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("guildhall", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (hall, transcript) = (self.premises.hall(), Transcript::default());
        let workshop = self.premises.workshop(&hall);
        let tools =
            child_tools(&workshop, &self.run, &transcript).await.map_err(|refusal| refused(&refusal))?;
        Ok(ListToolsResult::with_all_items(tools.offered().iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (hall, transcript) = (self.premises.hall_to_run().await, Transcript::default());
        let workshop = self.premises.workshop(&hall);
        let tools =
            child_tools(&workshop, &self.run, &transcript).await.map_err(|refusal| refused(&refusal))?;
        let Some(tool) = tools.offered().iter().find(|tool| tool.short == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let word = tools.call(&tool.name, request.arguments.unwrap_or_default()).await;
        let content = vec![ContentBlock::text(word.text)];
        let result = if word.code == Code::Ok {
            CallToolResult::success(content)
        } else {
            CallToolResult::error(content)
        };
        Ok(result.into())
    }
}

fn described(tool: &OfferedTool) -> Tool {
    let input = match &tool.input {
        Value::Object(schema) => schema.clone(),
        _ => JsonObject::new(),
    };
    Tool::new(tool.short.clone(), tool.description.clone(), Arc::new(input))
        .with_annotations(ToolAnnotations::new().read_only(tool.is_read_only))
}

fn refused(refusal: &Refusal) -> ErrorData {
    ErrorData::invalid_request(format!("{}: {}", refusal.code.as_str(), refusal.message), None)
}
