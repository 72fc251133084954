//! Typed parameters in every form people write them, and the JSON Schema that they mean.
//!
//! No value is checked against them here.

use super::schema::{self, type_name};
use super::{flag, text_of};
use crate::tree::{Data, Map, Node, parse_float};
use crate::{Code, Pos, Problem, coerce};
use serde::{Deserialize, Serialize};
use serde_json::{Map as JsonMap, Value as Json, json};

/// The parameters a skill takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Params {
    /// In the order of the file.
    pub list: Vec<Param>,
    /// `additional: false`: a parameter that is not declared is refused.
    pub closed: bool,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// A JSON Schema type, or what the author wrote instead; an unknown one takes any value.
    pub kind: String,
    /// Whether it must be given.
    pub required: bool,
    /// What it is.
    pub description: Option<String>,
    /// What counts where it is not given.
    pub default: Option<Data>,
    /// The values it takes.
    pub choices: Vec<Data>,
    /// The schema of an array's entries.
    pub items: Option<Data>,
    /// The least number.
    pub minimum: Option<f64>,
    /// The greatest number.
    pub maximum: Option<f64>,
    /// A regular expression that a text must match.
    pub pattern: Option<String>,
    /// A format such as `path` or `password`.
    pub format: Option<String>,
    /// A secret: never shown, logged or kept.
    pub write_only: bool,
}

impl Params {
    /// The parameters as one JSON Schema (2020-12) of an object.
    pub fn schema(&self) -> Json {
        let properties: JsonMap<String, Json> =
            self.list.iter().map(|param| (param.name.clone(), param.schema())).collect();
        let required: Vec<&str> = self.list.iter().filter(|p| p.required).map(|p| p.name.as_str()).collect();
        json!({
            "$schema": schema::DIALECT,
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": !self.closed,
        })
    }
}

impl Param {
    /// The schema of this one value.
    pub fn schema(&self) -> Json {
        let mut schema = JsonMap::new();
        let mut put =
            |key: &str, value: Option<Json>| value.map(|value| schema.insert(key.to_owned(), value));
        put("type", type_name(&self.kind).map(Json::from));
        put("description", self.description.as_deref().map(Json::from));
        put("default", self.default.as_ref().map(Data::to_json));
        put("enum", (!self.choices.is_empty()).then(|| self.choices.iter().map(Data::to_json).collect()));
        put("items", self.items.as_ref().map(Data::to_json));
        put("minimum", self.minimum.map(schema::number));
        put("maximum", self.maximum.map(schema::number));
        put("pattern", self.pattern.as_deref().map(Json::from));
        put("format", self.format.as_deref().map(Json::from));
        put("writeOnly", self.write_only.then_some(Json::Bool(true)));
        Json::Object(schema)
    }
}

/// Reads `params:` as a mapping, in shorthand, as a list, or as a JSON Schema of an object.
pub fn read(map: &Map, problems: &mut Vec<Problem>) -> Option<Params> {
    let node = map.get("params").filter(|node| !node.is_null())?;
    let mut params = Params::default();
    if let Some(items) = node.as_list() {
        params.list = items.iter().filter_map(|item| from_item(item, problems)).collect();
    } else if let Some(map) = node.as_map() {
        from_mapping(map, &mut params, problems);
    } else {
        let message = format!("`params` is {}, not a list or a mapping", node.what());
        problems.push(invalid(node.at, message, "write `params:` and below it `name: {type: string}`"));
    }
    Some(params)
}

/// Reads `outputs:`: a JSON Schema, a file of the skill that holds one, or fields as in `params:`.
pub fn outputs(map: &Map, problems: &mut Vec<Problem>) -> Option<Data> {
    let node = map.get("outputs").filter(|node| !node.is_null())?;
    if let Some(path) = node.as_str() {
        return Some(Data::Map(vec![("$ref".to_owned(), Data::Text(path.to_owned()))]));
    }
    let Some(fields) = node.as_map() else {
        // Lists of prose under this key are common in the wild and promise nothing that could be checked.
        problems.push(coerce::wrong("outputs", node, "a JSON Schema or `field: {type: string}` lines"));
        return None;
    };
    if schema::looks_like_schema(fields) {
        return Some(node.to_data());
    }
    let mut params = Params::default();
    let mut found = Vec::new();
    from_mapping(fields, &mut params, &mut found);
    problems.extend(found.into_iter().map(|problem| problem.with_code(Code::OutputsInvalid)));
    Some(schema::from_json(&params.schema()))
}

fn from_mapping(map: &Map, params: &mut Params, problems: &mut Vec<Problem>) {
    if schema::looks_like_schema(map) {
        return from_schema(map, params, problems);
    }
    for entry in map.entries() {
        let is_flag = entry.key == "additional" && entry.value.as_map().is_none();
        match coerce::boolean(&entry.value) {
            Some(allowed) if is_flag => params.closed = !allowed,
            _ => params.list.extend(from_node(entry.key.clone(), &entry.value, problems)),
        }
    }
}

fn from_schema(map: &Map, params: &mut Params, problems: &mut Vec<Problem>) {
    params.closed = map.get("additionalProperties").and_then(coerce::boolean) == Some(false);
    let required = map.get("required").map(coerce::list).unwrap_or_default();
    let Some(properties) = map.get("properties").and_then(Node::as_map) else { return };
    for entry in properties.entries() {
        if let Some(mut param) = from_node(entry.key.clone(), &entry.value, problems) {
            param.required = required.contains(&param.name);
            params.list.push(param);
        }
    }
}

fn from_item(item: &Node, problems: &mut Vec<Problem>) -> Option<Param> {
    let Some(map) = item.as_map() else {
        problems.push(invalid(
            item.at,
            format!("a parameter is {}, not a mapping", item.what()),
            "write `- name: x`",
        ));
        return None;
    };
    let Some(name) = text_of(map, "name", problems) else {
        problems.push(invalid(item.at, "a parameter has no name".to_owned(), "add `name:` to it"));
        return None;
    };
    Some(detailed(name, map, problems))
}

fn from_node(name: String, node: &Node, problems: &mut Vec<Problem>) -> Option<Param> {
    if let Some(map) = node.as_map() {
        return Some(detailed(name, map, problems));
    }
    if node.as_list().is_some() {
        let message = format!("the parameter `{name}` is a list, not a type or a mapping");
        problems.push(invalid(node.at, message, "write `name: string` or `name: {type: string}`"));
        return None;
    }
    let kind = coerce::text(node, " ").unwrap_or_else(|| "string".to_owned());
    check_type(&name, &kind, node.at, problems);
    Some(Param { name, kind, ..Param::default() })
}

fn detailed(name: String, map: &Map, problems: &mut Vec<Problem>) -> Param {
    let kind = text_of(map, "type", problems).unwrap_or_else(|| "string".to_owned());
    let at = map
        .entry("type")
        .map_or_else(|| map.entries().first().map_or(Pos::START, |e| e.key_at), |e| e.value.at);
    check_type(&name, &kind, at, problems);
    let param = Param {
        required: flag(map, "required", problems).unwrap_or(false),
        description: text_of(map, "description", problems),
        default: map.get("default").map(Node::to_data),
        choices: choices(&name, map, problems),
        items: map.get("items").map(schema::items),
        minimum: bound(&name, map, "minimum", problems),
        maximum: bound(&name, map, "maximum", problems),
        pattern: text_of(map, "pattern", problems),
        format: text_of(map, "format", problems),
        write_only: flag(map, "writeOnly", problems).unwrap_or(false),
        name,
        kind,
    };
    if param.minimum.zip(param.maximum).is_some_and(|(least, most)| least > most) {
        let message = format!("the parameter `{}` has a minimum above its maximum", param.name);
        problems.push(invalid(at, message, "swap the two"));
    }
    param
}

fn check_type(name: &str, kind: &str, at: Pos, problems: &mut Vec<Problem>) {
    if type_name(kind).is_none() {
        let message = format!("the parameter `{name}` has the unknown type `{kind}`, so it takes any value");
        let hint = "use string, integer, number, boolean, array or object";
        problems.push(Problem::new(Code::ValueInvalid, at, message, hint));
    }
}

fn choices(name: &str, map: &Map, problems: &mut Vec<Problem>) -> Vec<Data> {
    let Some(node) = map.get("enum") else { return Vec::new() };
    match node.as_list() {
        Some(items) if !items.is_empty() => items.iter().map(Node::to_data).collect(),
        _ => {
            let message =
                format!("`enum` of the parameter `{name}` is {}, not a list of values", node.what());
            problems.push(invalid(node.at, message, "write `enum: [a, b]`"));
            Vec::new()
        }
    }
}

fn bound(name: &str, map: &Map, key: &str, problems: &mut Vec<Problem>) -> Option<f64> {
    let text = text_of(map, key, problems)?;
    let value = parse_float(&text);
    if value.is_none() {
        let at = map.get(key).map_or(Pos::START, |node| node.at);
        problems.push(invalid(
            at,
            format!("`{key}` of the parameter `{name}` is no number"),
            "write a number",
        ));
    }
    value
}

fn invalid(at: Pos, message: String, hint: &str) -> Problem {
    Problem::new(Code::ParamsInvalid, at, message, hint)
}
