//! From the protocol's answers and failures to those of the engine, each failure to one and the same.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use guild_engine::ports::{Content, Tool, ToolError, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ResourceContents, Tool as Described};
use rmcp::service::ServiceError;
use serde_json::Value;

use super::contained::Complaint;

/// A tool as a server describes it; whether it only looks is the person's to say.
pub(super) fn tool(described: &Described, is_read_only: bool) -> Tool {
    Tool {
        name: described.name.clone().into_owned(),
        description: described.description.as_deref().unwrap_or_default().to_owned(),
        input: Value::Object(described.input_schema.as_ref().clone()),
        output: described.output_schema.as_ref().map(|schema| Value::Object(schema.as_ref().clone())),
        is_read_only,
        code: None,
        image: None,
        environment: Vec::new(),
        plugin: None,
    }
}

/// What a tool gave, or how it failed.
pub(super) fn result(given: CallToolResult) -> Result<ToolResult, ToolError> {
    let content = given.content.into_iter().map(content).collect();
    let result = ToolResult { content, structured: given.structured_content, contained: None };
    if given.is_error == Some(true) {
        let said = result.text();
        let said = if said.is_empty() { "the tool failed and does not say why".to_owned() } else { said };
        return Err(ToolError::Failed(said));
    }
    Ok(result)
}

fn content(block: ContentBlock) -> Content {
    match block {
        ContentBlock::Text(text) => Content::Text { text: text.text },
        ContentBlock::Image(image) => data(image.mime_type, &image.data),
        ContentBlock::Audio(audio) => data(audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => Content::Text { text },
            ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                data(mime_type.unwrap_or_else(|| "application/octet-stream".to_owned()), &blob)
            }
            _ => unknown(),
        },
        ContentBlock::ResourceLink(link) => Content::Text { text: format!("{}: {}", link.name, link.uri) },
        _ => unknown(),
    }
}

/// What a later version of the protocol brings.
fn unknown() -> Content {
    Content::Text { text: "(content of an unknown kind)".to_owned() }
}

fn data(media_type: String, encoded: &str) -> Content {
    match STANDARD.decode(encoded) {
        Ok(bytes) => Content::Data { media_type, bytes },
        Err(_) => Content::Text { text: format!("({media_type} that cannot be decoded)") },
    }
}

/// What became of a request. `server` and `complaint` say whose fault it is.
pub(super) fn failure(error: &ServiceError, server: &str, complaint: &Complaint) -> ToolError {
    let because = complaint.because();
    match error {
        ServiceError::McpError(error) if error.code == ErrorCode::INVALID_PARAMS => {
            ToolError::Input(format!("server `{server}` does not take it: {}", error.message))
        }
        ServiceError::McpError(error) => {
            ToolError::Failed(format!("server `{server}` failed: {}", error.message))
        }
        ServiceError::Timeout { .. } => timed_out(server),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
            ToolError::Unavailable(format!("server `{server}` has gone{because}"))
        }
        _ => ToolError::Failed(format!("server `{server}` answered something else than was asked{because}")),
    }
}

/// A server that does not answer.
pub(super) fn timed_out(server: &str) -> ToolError {
    let hint = if server.contains('.') {
        String::new()
    } else {
        format!("; `mcp.servers.{server}.timeout_seconds` says how long it may")
    };
    ToolError::TimedOut(format!("server `{server}` took too long{hint}"))
}
