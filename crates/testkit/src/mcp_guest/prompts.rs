//! The suite's prompts.

use guild_engine::ports::GuestCall;
use serde_json::{Value, json};

use super::{Answer, DOT, asks, done, field, form};

pub(super) fn described() -> Vec<Value> {
    let argument = |name: &str| json!({"name": name, "required": true});
    vec![
        json!({"name": "test_simple_prompt", "description": "One message"}),
        json!({"name": "test_prompt_with_arguments", "description": "With two arguments", "arguments": [argument("arg1"), argument("arg2")]}),
        json!({"name": "test_prompt_with_embedded_resource", "description": "With a resource", "arguments": [argument("resourceUri")]}),
        json!({"name": "test_prompt_with_image", "description": "With an image"}),
        json!({"name": "test_input_required_result_prompt", "description": "Asks before it answers"}),
    ]
}

pub(super) fn answer(call: &GuestCall<'_>) -> Answer {
    let given = |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match call.name {
        "test_simple_prompt" => messages(&[text("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => {
            let shown = format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2"));
            messages(&[text(&shown)])
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({"uri": given("resourceUri"), "mimeType": "text/plain", "text": "Embedded resource content for testing."});
            let resource = json!({"type": "resource", "resource": resource});
            messages(&[resource, text("Please process the embedded resource above.")])
        }
        "test_prompt_with_image" => {
            let image = json!({"type": "image", "data": DOT, "mimeType": "image/png"});
            messages(&[image, text("Please analyze the image above.")])
        }
        "test_input_required_result_prompt" => match field(call, "user_context", "context") {
            Some(context) => messages(&[text(&format!("Use this context: {context}"))]),
            None => {
                let question = form("What context should the prompt use?", "context", "string");
                asks(json!({"user_context": question}), None)
            }
        },
        _ => None,
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn messages(contents: &[Value]) -> Answer {
    let message = |content: &Value| json!({"role": "user", "content": content});
    done(json!({"messages": contents.iter().map(message).collect::<Vec<_>>()}))
}
