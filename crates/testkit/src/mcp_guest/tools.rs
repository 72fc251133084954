//! The suite's tools that answer at once.

use guild_engine::ports::{GuestCall, GuestNote};
use serde_json::{Value, json};

use super::{Answer, DOT, SILENCE, done, rounds, said};

/// Their schemas are what the suite looks at.
const SCHEMA_TOOL: &str = "json_schema_2020_12_tool";
const HEADER_TOOL: &str = "test_custom_header";

type Row = (&'static str, fn(&GuestCall<'_>) -> Answer);

const TOOLS: &[Row] = &[
    ("test_simple_text", |_| said("This is a simple text response for testing.")),
    ("test_image_content", |_| content(&[image()])),
    ("test_audio_content", |_| {
        content(&[json!({"type": "audio", "data": SILENCE, "mimeType": "audio/wav"})])
    }),
    ("test_embedded_resource", |_| {
        content(&[embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )])
    }),
    ("test_multiple_content_types", |_| {
        let text = json!({"type": "text", "text": "Multiple content types test:"});
        let data = r#"{"test":"data","value":123}"#;
        content(&[text, image(), embedded("test://mixed-content-resource", "application/json", data)])
    }),
    ("test_error_handling", |_| {
        let text = "This tool intentionally returns an error for testing";
        done(json!({"isError": true, "content": [{"type": "text", "text": text}]}))
    }),
    ("test_tool_with_progress", |call| {
        for done in [0.0, 50.0, 100.0] {
            (call.tell)(GuestNote::Progress { done, whole: 100.0 });
        }
        said("It is done.")
    }),
    ("test_tool_with_logging", |call| {
        for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            (call.tell)(GuestNote::Log(text.to_owned()));
        }
        said("It has logged.")
    }),
    ("test_logging_tool", |call| {
        (call.tell)(GuestNote::Log("something".to_owned()));
        said("It has logged.")
    }),
    (SCHEMA_TOOL, |_| said("It takes all of it.")),
    (HEADER_TOOL, |_| said("Its header fits.")),
    ("test_trigger_tool_change", |_| said("The tools never change.")),
    ("test_trigger_prompt_change", |call| {
        (call.tell)(GuestNote::PromptsChanged);
        said("The prompts are others.")
    }),
];

pub(super) fn described() -> Vec<Value> {
    let rows = TOOLS.iter().map(|(name, _)| (*name, json!({})));
    let rows = rows.chain(rounds::TOOLS.iter().map(|(name, taken, _)| {
        let properties = taken.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
        (*name, properties.collect())
    }));
    rows.map(|(name, properties)| {
        let schema = match name {
            SCHEMA_TOOL => vocabulary(),
            HEADER_TOOL => {
                let region = json!({"type": "string", "x-mcp-header": "Region"});
                json!({"type": "object", "properties": {"region": region}})
            }
            _ => json!({"type": "object", "properties": properties}),
        };
        json!({"name": name, "description": "A tool of the conformance suite", "inputSchema": schema})
    })
    .collect()
}

pub(super) fn answer(call: &GuestCall<'_>) -> Answer {
    let own = TOOLS.iter().find(|(name, _)| *name == call.name).map(|(_, answer)| *answer);
    let asking = || rounds::TOOLS.iter().find(|(name, ..)| *name == call.name).map(|(.., answer)| *answer);
    own.or_else(asking)?(call)
}

/// Words of JSON Schema that a server might lose.
fn vocabulary() -> Value {
    let text = json!({"type": "string"});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": text, "city": text}}},
        "properties": {
            "name": text,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": text,
            "email": text,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

fn content(blocks: &[Value]) -> Answer {
    done(json!({"content": blocks}))
}

fn image() -> Value {
    json!({"type": "image", "data": DOT, "mimeType": "image/png"})
}

fn embedded(uri: &str, kind: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}})
}
