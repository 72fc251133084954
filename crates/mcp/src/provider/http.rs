//! A server over HTTP as a transport. Its headers may carry credentials: they are filled in here, and shown nowhere.

use std::collections::HashMap;

use guild_engine::ports::ToolError;
use guild_engine::source::http;
use guild_engine::{HttpServer, Workshop};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

/// The transport to a server.
pub(super) async fn transport(
    server: &HttpServer,
    workshop: &Workshop<'_>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, ToolError> {
    let mut headers = HashMap::new();
    for (name, template) in &server.headers {
        let value = filled(template, workshop).await?;
        let unusable = || ToolError::Unavailable(format!("`{name}` cannot be sent as a header"));
        let mut value = HeaderValue::try_from(value).map_err(|_| unusable())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::try_from(name.as_str()).map_err(|_| unusable())?, value);
    }
    let client = http::client().map_err(|error| ToolError::Unavailable(error.to_string()))?;
    let config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str()).custom_headers(headers);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// A header with the values of the variables and secrets that it names.
async fn filled(template: &str, workshop: &Workshop<'_>) -> Result<String, ToolError> {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, behind) = behind
            .split_once('}')
            .ok_or_else(|| ToolError::Unavailable("a header has `${` without its `}`".to_owned()))?;
        let found = workshop.environment(&[name.to_owned()]).await;
        let found = found.map_err(|refusal| ToolError::Unavailable(refusal.message))?;
        let value = found.get(name).ok_or_else(|| {
            ToolError::Unavailable(format!(
                "a header needs `{name}`, which is neither set nor kept; `guild secret set {name}` keeps it"
            ))
        })?;
        filled.push_str(before);
        filled.push_str(value);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}
