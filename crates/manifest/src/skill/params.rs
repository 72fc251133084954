//! Typed parameters in every form people write them, and the JSON Schema that they mean.
//!
//! What a caller gives is not checked here; only the author's own defaults and choices are, against the types declared.

mod check;

use super::contract::stays_inside;
use super::schema::{self, type_name};
use super::text_of;
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
        for item in items {
            let Some(param) = from_item(item, problems) else { continue };
            if params.list.iter().any(|known| known.name == param.name) {
                let message = format!("the parameter `{}` is declared twice", param.name);
                problems.push(invalid(item.at, message, "remove one of the two"));
            }
            params.list.push(param);
        }
    } else if let Some(map) = node.as_map() {
        // A schema of anything but an object has no parameters, so `type: string` alone is a parameter's name.
        if schema::looks_like_schema(map) && !is_scalar_type(map) {
            from_schema(map, &mut params, problems);
        } else {
            from_fields(map, &mut params, problems);
        }
    } else {
        let message = format!("`params` is {}, not a list or a mapping", node.what());
        problems.push(invalid(node.at, message, "write `params:` and below it `name: {type: string}`"));
    }
    Some(params)
}

/// Reads `outputs:`: a JSON Schema, a file of the skill that holds one, or fields as in `params:`.
pub fn outputs(map: &Map, problems: &mut Vec<Problem>) -> Option<Data> {
    let node = map.get("outputs").filter(|node| !node.is_null())?;
    if let Some(path) = node.as_str().filter(|text| is_schema_file(text)) {
        if !stays_inside(path) {
            let message = format!("`outputs` is `{path}`, which leaves the skill's directory");
            let hint = "name a file inside the skill, such as `schemas/result.json`";
            problems.push(Problem::new(Code::OutputsInvalid, node.at, message, hint));
            return None;
        }
        return Some(Data::Map(vec![("$ref".to_owned(), Data::Text(path.to_owned()))]));
    }
    let Some(fields) = node.as_map() else {
        // Prose under this key is common in the wild and promises nothing that could be checked.
        let wanted = "a JSON Schema, a file that holds one, or `field: {type: string}` lines";
        problems.push(coerce::wrong("outputs", node, wanted));
        return None;
    };
    if schema::looks_like_schema(fields) {
        return Some(node.to_data());
    }
    let mut params = Params::default();
    let mut found = Vec::new();
    from_fields(fields, &mut params, &mut found);
    problems.extend(found.into_iter().map(|problem| match problem.code {
        Code::ParamsInvalid => problem.with_code(Code::OutputsInvalid),
        _ => problem,
    }));
    Some(schema::from_json(&params.schema()))
}

/// A file's name rather than prose: one word that ends as files of schemas do.
fn is_schema_file(text: &str) -> bool {
    let ends_so = |ending: &str| text.to_ascii_lowercase().ends_with(ending);
    !text.contains(char::is_whitespace) && [".json", ".yaml", ".yml"].into_iter().any(ends_so)
}

fn is_scalar_type(map: &Map) -> bool {
    let kind = map.get_exact("type").and_then(Node::as_str).and_then(type_name);
    kind.is_some_and(|kind| kind != "object") && map.get_exact("properties").is_none()
}

fn from_fields(map: &Map, params: &mut Params, problems: &mut Vec<Problem>) {
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
    for entry in map.get("properties").and_then(Node::as_map).map(Map::entries).unwrap_or_default() {
        if let Some(mut param) = from_node(entry.key.clone(), &entry.value, problems) {
            param.required |= required.contains(&param.name);
            params.list.push(param);
        }
    }
    for name in required.iter().filter(|name| !params.list.iter().any(|param| param.name == **name)) {
        let at = map.get("required").map_or(Pos::START, |node| node.at);
        let message = format!("the parameter `{name}` is required, but not declared");
        problems.push(invalid(at, message, "declare it under `properties:`"));
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
    let written = coerce::text(node, " ").unwrap_or_else(|| "string".to_owned());
    let kind = check::type_of(&name, written, node.at, problems);
    Some(Param { name, kind, ..Param::default() })
}

fn detailed(name: String, map: &Map, problems: &mut Vec<Problem>) -> Param {
    let written = map.get("type").and_then(|node| coerce::text(node, " or "));
    let at = map
        .entry("type")
        .map_or_else(|| map.entries().first().map_or(Pos::START, |e| e.key_at), |e| e.value.at);
    check::keys(&name, map, problems);
    let choices = choices(&name, map, problems);
    let kind = match written {
        Some(written) => check::type_of(&name, written, at, problems),
        None => common_type(choices).to_owned(),
    };
    let param = Param {
        required: required(&name, map, problems),
        description: text_of(map, "description", problems),
        default: stated(map, "default").map(|node| schema::typed(node, &kind)),
        choices: choices.iter().map(|node| schema::typed(node, &kind)).collect(),
        items: stated(map, "items").map(schema::items),
        minimum: bound(&name, map, "minimum", problems),
        maximum: bound(&name, map, "maximum", problems),
        pattern: word(&name, map, "pattern", problems),
        format: word(&name, map, "format", problems),
        write_only: truth(&name, map, "writeOnly", problems),
        name,
        kind,
    };
    if param.minimum.zip(param.maximum).is_some_and(|(least, most)| least > most) {
        let message = format!("the parameter `{}` has a minimum above its maximum", param.name);
        problems.push(invalid(at, message, "swap the two"));
    }
    check::values(&param, map, problems);
    param
}

/// The value under `key`, where it is more than nothing.
fn stated<'a>(map: &'a Map, key: &str) -> Option<&'a Node> {
    map.get(key).filter(|node| !node.is_null())
}

/// `required: true`; in the schema of an object, a list there speaks of the object's own fields.
fn required(name: &str, map: &Map, problems: &mut Vec<Problem>) -> bool {
    let is_list = map.get("required").is_some_and(|node| node.as_list().is_some());
    !is_list && truth(name, map, "required", problems)
}

/// A boolean of a parameter. A word that is none is no `false`: a secret would be written down for a slip of the pen.
fn truth(name: &str, map: &Map, key: &str, problems: &mut Vec<Problem>) -> bool {
    let Some(node) = stated(map, key) else { return false };
    let value = coerce::boolean(node);
    if value.is_none() {
        let message = format!("`{key}` of the parameter `{name}` is neither true nor false");
        problems.push(invalid(node.at, message, "write true or false"));
    }
    value.unwrap_or(false)
}

/// One text that narrows a parameter; anything else there would leave it wider than its author meant.
fn word(name: &str, map: &Map, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let node = stated(map, key)?;
    if node.as_scalar().is_none() {
        let message = format!("`{key}` of the parameter `{name}` is {}, not text", node.what());
        problems.push(invalid(node.at, message, "write it as one text, in quotes"));
        return None;
    }
    text_of(map, key, problems)
}

/// The type of a parameter that states none: that of its choices, and text without any.
fn common_type(choices: &[Node]) -> &'static str {
    let fits = |kind: &&str| choices.iter().all(|choice| schema::is_of_type(&choice.to_data(), kind));
    ["string", "integer", "number", "boolean"].into_iter().find(fits).unwrap_or("string")
}

fn choices<'a>(name: &str, map: &'a Map, problems: &mut Vec<Problem>) -> &'a [Node] {
    let Some(node) = stated(map, "enum") else { return &[] };
    match node.as_list() {
        Some(items) if !items.is_empty() => items,
        found => {
            let what = if found.is_some() { "an empty list" } else { node.what() };
            let message = format!("`enum` of the parameter `{name}` is {what}, not a list of values");
            problems.push(invalid(node.at, message, "write `enum: [a, b]`"));
            &[]
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
