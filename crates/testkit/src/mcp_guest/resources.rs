//! The suite's resources.

use guild_engine::ports::GuestCall;
use serde_json::{Value, json};

use super::{Answer, DOT, done};

pub(super) fn described() -> Vec<Value> {
    vec![
        json!({"uri": "test://static-text", "name": "static-text", "mimeType": "text/plain"}),
        json!({"uri": "test://static-binary", "name": "static-binary", "mimeType": "image/png"}),
        json!({"uri": "test://watched-resource", "name": "watched-resource", "mimeType": "text/plain"}),
    ]
}

pub(super) fn templates() -> Vec<Value> {
    vec![
        json!({"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}),
    ]
}

pub(super) fn answer(call: &GuestCall<'_>) -> Answer {
    let uri = call.name;
    let content = match uri {
        "test://static-text" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        "test://watched-resource" => json!({"uri": uri, "mimeType": "text/plain", "text": "Watched."}),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": DOT}),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    };
    done(json!({"contents": [content]}))
}
