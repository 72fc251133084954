//! JSON Schema words: type names and their everyday spellings, and what tells a schema from a list of fields.

use crate::coerce;
use crate::tree::{Data, Map, Node};
use serde_json::Value as Json;

/// The dialect that compiled schemas name.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema type behind a word; `None` for one that is not known.
pub fn type_name(word: &str) -> Option<&'static str> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "string" | "str" | "text" => "string",
        "integer" | "int" => "integer",
        "number" | "float" | "double" => "number",
        "boolean" | "bool" => "boolean",
        "array" | "list" => "array",
        "object" | "dict" | "map" => "object",
        _ => return None,
    })
}

/// Words of JSON Schema that stand beside `type` or `properties` at the top of a schema.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "enum",
    "const",
    "default",
    "examples",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "title",
    "description",
    "definitions",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

/// A mapping is a schema, and no list of fields, where it says so, or where all its keys are a schema's own.
///
/// `{type: string, path: string}` are two fields, one of which is called `type`.
pub fn looks_like_schema(map: &Map) -> bool {
    let named = |key: &str| map.get_exact(key).is_some();
    let is_type = |node: &Node| node.as_str().and_then(type_name).is_some();
    let are_schemas = |node: &Node| {
        node.as_map().is_some_and(|map| map.entries().iter().all(|e| e.value.as_map().is_some()))
    };
    let is_keyword = |key: &str| key.starts_with('$') || KEYWORDS.contains(&key);
    named("$schema")
        || named("$ref")
        || ((map.get_exact("type").is_some_and(is_type)
            || map.get_exact("properties").is_some_and(are_schemas))
            && map.entries().iter().all(|entry| is_keyword(&entry.key)))
}

/// A value as its type reads it: a boolean in any of its words, and text from a number as it is spelled.
pub fn typed(node: &Node, kind: &str) -> Data {
    match (type_name(kind), node.as_scalar()) {
        (Some("boolean"), Some(_)) => coerce::boolean(node).map_or_else(|| node.to_data(), Data::Bool),
        (Some("string"), Some(scalar)) if !node.is_null() => Data::Text(scalar.text.clone()),
        _ => node.to_data(),
    }
}

/// Whether a value is of a JSON Schema type; every value is of a type that is not known.
pub fn is_of_type(value: &Data, kind: &str) -> bool {
    match (type_name(kind), value) {
        (Some("string"), value) => matches!(value, Data::Text(_)),
        (Some("integer"), Data::Float(value)) => value.fract() == 0.0,
        (Some("integer"), value) => matches!(value, Data::Int(_)),
        (Some("number"), value) => matches!(value, Data::Int(_) | Data::Float(_)),
        (Some("boolean"), value) => matches!(value, Data::Bool(_)),
        (Some("array"), value) => matches!(value, Data::List(_)),
        (Some("object"), value) => matches!(value, Data::Map(_)),
        _ => true,
    }
}

/// The schema of an array's entries: a type's name, or a schema as written.
pub fn items(node: &Node) -> Data {
    match node.as_str().and_then(type_name) {
        Some(name) => Data::Map(vec![("type".to_owned(), Data::Text(name.to_owned()))]),
        None => node.to_data(),
    }
}

/// A number as JSON, whole where it is whole.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers below 2^53 are cast")]
pub fn number(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 9e15 { Json::from(value as i64) } else { Json::from(value) }
}

/// JSON as data.
pub fn from_json(value: &Json) -> Data {
    match value {
        Json::Null => Data::Null,
        Json::Bool(value) => Data::Bool(*value),
        Json::Number(value) => {
            value.as_i64().map_or_else(|| value.as_f64().map_or(Data::Null, Data::Float), Data::Int)
        }
        Json::String(value) => Data::Text(value.clone()),
        Json::Array(items) => Data::List(items.iter().map(from_json).collect()),
        Json::Object(map) => {
            Data::Map(map.iter().map(|(key, value)| (key.clone(), from_json(value))).collect())
        }
    }
}
