//! The arguments of a tool's call, read into what the tool takes.

use rmcp::model::{CallToolRequestParams, JsonObject};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads them; the reason, for the model to mend them, where they do not fit.
pub(crate) fn read<T: DeserializeOwned>(request: &CallToolRequestParams) -> Result<T, String> {
    let given: JsonObject = request.arguments.clone().unwrap_or_default();
    serde_json::from_value(Value::Object(given)).map_err(|error| format!("the arguments do not fit: {error}"))
}
