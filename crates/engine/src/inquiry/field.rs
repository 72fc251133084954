//! The fields of a form: what a question's schema asks for, one line each, and texts that people type made values of it.
//!
//! The protocol has flat forms only; a field of another kind is typed as JSON.

use serde_json::{Map, Value};

/// What a person fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedField {
    /// Its name.
    pub name: String,
    /// What people call it.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What it takes.
    pub kind: FieldKind,
    /// Whether it must be filled in.
    pub required: bool,
    /// What the server would take.
    pub default: Option<Value>,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// Text.
    Text,
    /// A number, whole or not.
    Number,
    /// Yes or no.
    Truth,
    /// One of these.
    Choice(Vec<String>),
    /// Several of these.
    Choices(Vec<String>),
    /// Something else, as JSON.
    Json,
}

/// The fields of a schema, in its order.
pub fn asked_fields(schema: &Value) -> Vec<AskedField> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let text = |field: &Value, key: &str| field.get(key).and_then(Value::as_str).map(str::to_owned);
    let properties = schema.get("properties").and_then(Value::as_object);
    let field = |(name, field): (&String, &Value)| AskedField {
        name: name.clone(),
        title: text(field, "title"),
        description: text(field, "description"),
        kind: kind(field),
        required: is_required(name),
        default: field.get("default").cloned(),
    };
    properties.into_iter().flatten().map(field).collect()
}

/// The values of typed texts. A field that was left empty is not given; what does not fit its kind stays text, for the schema to refuse.
pub fn typed_answers(
    schema: &Value,
    typed: impl IntoIterator<Item = (String, String)>,
) -> Map<String, Value> {
    let (fields, mut values) = (asked_fields(schema), Map::new());
    for (name, text) in typed {
        let kind = fields.iter().find(|field| field.name == name).map(|field| &field.kind);
        if text.is_empty() && kind != Some(&FieldKind::Text) {
            continue;
        }
        let value = match kind {
            Some(FieldKind::Choices(_)) => {
                let mut chosen = values.get(&name).and_then(Value::as_array).cloned().unwrap_or_default();
                chosen.push(text.into());
                Value::Array(chosen)
            }
            kind => value(kind, text),
        };
        values.insert(name, value);
    }
    let is_given = |field: &&AskedField| !field.required && values.get(&field.name) == Some(&Value::from(""));
    let empty: Vec<String> = fields.iter().filter(is_given).map(|field| field.name.clone()).collect();
    values.retain(|name, _| !empty.contains(name));
    values
}

fn value(kind: Option<&FieldKind>, text: String) -> Value {
    match kind {
        Some(FieldKind::Truth) => match text.as_str() {
            "true" | "yes" | "on" => true.into(),
            "false" | "no" | "off" => false.into(),
            _ => text.into(),
        },
        Some(FieldKind::Number | FieldKind::Json) => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        _ => text.into(),
    }
}

fn kind(field: &Value) -> FieldKind {
    if let Some(choices) = choices(field) {
        return FieldKind::Choice(choices);
    }
    match field.get("type").and_then(Value::as_str) {
        Some("string") => FieldKind::Text,
        Some("number" | "integer") => FieldKind::Number,
        Some("boolean") => FieldKind::Truth,
        Some("array") => field.get("items").and_then(choices).map_or(FieldKind::Json, FieldKind::Choices),
        _ => FieldKind::Json,
    }
}

/// What can be chosen: `enum`, or `oneOf` and `anyOf` of constants.
fn choices(field: &Value) -> Option<Vec<String>> {
    let plain = field.get("enum").and_then(Value::as_array);
    let titled = ["oneOf", "anyOf"].iter().find_map(|key| field.get(*key)?.as_array());
    let words: Vec<&Value> = match (plain, titled) {
        (Some(plain), _) => plain.iter().collect(),
        (None, Some(titled)) => titled.iter().filter_map(|one| one.get("const")).collect(),
        (None, None) => return None,
    };
    words.into_iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(typed: &[(&str, &str)], expected: &Value) {
        let schema = json!({"type": "object", "required": ["zone"], "properties": {
            "zone": {"type": "string"}, "note": {"type": "string"}, "hours": {"type": "integer"}, "summer": {"type": "boolean"},
            "days": {"type": "array", "items": {"enum": ["mo", "tu"]}}, "size": {"oneOf": [{"const": "s", "title": "Small"}]},
        }});
        let typed = typed.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        assert_eq!(&Value::Object(typed_answers(&schema, typed)), expected);
    }

    #[test]
    fn typed_texts_become_values_of_their_fields() {
        check(
            &[("zone", "CET"), ("hours", "3"), ("summer", "yes")],
            &json!({"zone": "CET", "hours": 3, "summer": true}),
        );
        check(&[("days", "mo"), ("days", "tu"), ("size", "s")], &json!({"days": ["mo", "tu"], "size": "s"}));
        check(&[("zone", ""), ("note", ""), ("hours", "")], &json!({"zone": ""}));
        check(&[("hours", "three"), ("else", "1")], &json!({"hours": "three", "else": "1"}));
    }
}
