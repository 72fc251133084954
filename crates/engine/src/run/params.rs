//! What a caller gives, held to what a skill declares: required first, then types, then the rest of the schema.
//!
//! A boolean is no integer, `1.0` is none either, and `null` is no value of a known type. Every error is told at once.

use guild_manifest::coerce;
use guild_manifest::skill::{Param, Params, type_name};
use guild_manifest::tree::Data;
use serde::Serialize;
use serde_json::{Map, Value};

/// What a caller gave: values that have a type, and texts that get theirs from the declaration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// Values as JSON.
    pub values: Map<String, Value>,
    /// `name=text` pairs, in the order in which they were given; one name several times is a list.
    pub texts: Vec<(String, String)>,
}

/// Something wrong with one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ParamError {
    /// Where, as a JSON pointer: `/path`, `/items/0`.
    pub path: String,
    /// What.
    pub message: String,
}

/// The values of a run, defaults filled in, in the order of the declaration and then of the call.
pub fn resolve(declared: Option<&Params>, given: &Given) -> Result<Map<String, Value>, Vec<ParamError>> {
    let nothing = Params::default();
    let declared = declared.unwrap_or(&nothing);
    let mut errors = Vec::new();
    let values = typed(declared, given, &mut errors);
    let unreadable: Vec<String> = errors.iter().map(|error| error.path.clone()).collect();
    let missing = declared.list.iter().filter(|param| {
        param.required && !values.contains_key(&param.name) && !unreadable.contains(&pointer(&param.name))
    });
    let missing: Vec<ParamError> = missing.map(|param| error(param, "missing required param")).collect();
    errors.splice(0..0, missing);
    for param in &declared.list {
        if let Some(value) = values.get(&param.name)
            && let Some(wanted) = mismatch(&param.kind, value)
        {
            errors.push(wrong_type(&param.name, wanted, what(value)));
        }
    }
    let values = in_order(declared, values);
    if has_rules(declared, &values) {
        errors.extend(broken_rules(declared, &values, &errors));
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

/// What a caller gave, typed as far as it can be; nothing is held to the contract.
pub fn typed_values(declared: Option<&Params>, given: &Given) -> Map<String, Value> {
    typed(declared.unwrap_or(&Params::default()), given, &mut Vec::new())
}

/// Whether a value must never be shown, logged or kept.
pub fn is_secret(param: &Param) -> bool {
    param.write_only || param.format.as_deref() == Some("password")
}

/// Values and texts together; a text of the declared type, or an error.
fn typed(declared: &Params, given: &Given, errors: &mut Vec<ParamError>) -> Map<String, Value> {
    let mut values = given.values.clone();
    let mut done: Vec<&str> = Vec::new();
    for (name, _) in &given.texts {
        if done.contains(&name.as_str()) {
            continue;
        }
        done.push(name);
        let texts: Vec<&str> =
            given.texts.iter().filter(|(other, _)| other == name).map(|(_, text)| text.as_str()).collect();
        let param = declared.list.iter().find(|param| &param.name == name);
        match value_of(param, &texts) {
            Ok(value) => {
                values.insert(name.clone(), value);
            }
            Err(wanted) => errors.push(wrong_type(name, wanted, "string")),
        }
    }
    values
}

/// The value of one parameter's texts, or the type that they are not.
fn value_of(param: Option<&Param>, texts: &[&str]) -> Result<Value, &'static str> {
    let kind = param.and_then(|param| type_name(&param.kind));
    match (kind, texts) {
        (Some("array"), texts) => list_of(param, texts),
        (_, [text]) => parse(kind, text),
        (_, texts) => Ok(texts.iter().map(|text| Value::from(*text)).collect()),
    }
}

/// A JSON list, or one entry for each text.
fn list_of(param: Option<&Param>, texts: &[&str]) -> Result<Value, &'static str> {
    if let [text] = texts
        && text.trim_start().starts_with('[')
    {
        return parse(Some("array"), text);
    }
    let items = param.and_then(|param| param.items.as_ref()).and_then(type_word);
    let entries: Result<Vec<Value>, _> =
        texts.iter().map(|text| parse(items.and_then(type_name), text)).collect();
    entries.map(Value::from)
}

/// The type that a schema names.
fn type_word(schema: &Data) -> Option<&str> {
    match schema.get("type")? {
        Data::Text(word) => Some(word),
        _ => None,
    }
}

fn parse(kind: Option<&'static str>, text: &str) -> Result<Value, &'static str> {
    let Some(kind) = kind else { return Ok(Value::from(text)) };
    let json = || serde_json::from_str::<Value>(text.trim()).ok();
    let value = match kind {
        "string" => Some(Value::from(text)),
        "boolean" => coerce::truth(text).map(Value::from),
        _ => json(),
    };
    value.filter(|value| mismatch(kind, value).is_none()).ok_or(kind)
}

/// The declared type, if a value is not of it.
fn mismatch(kind: &str, value: &Value) -> Option<&'static str> {
    let kind = type_name(kind)?;
    let fits = match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    (!fits).then_some(kind)
}

/// The values as a script is handed them each time: by the declaration, with defaults, and then what else was given.
fn in_order(declared: &Params, mut given: Map<String, Value>) -> Map<String, Value> {
    let mut values = Map::new();
    for param in &declared.list {
        let value = given.shift_remove(&param.name);
        if let Some(value) = value.or_else(|| param.default.as_ref().map(Data::to_json)) {
            values.insert(param.name.clone(), value);
        }
    }
    values.extend(given);
    values
}

/// Whether more is declared than what is checked above. Most skills declare no more, and to compile a schema takes milliseconds.
fn has_rules(declared: &Params, values: &Map<String, Value>) -> bool {
    let is_declared = |name: &String| declared.list.iter().any(|param| param.name == *name);
    let is_unknown = || values.keys().any(|name| !is_declared(name));
    let misses = |param: &Param| {
        param.default.as_ref().is_some_and(|default| mismatch(&param.kind, &default.to_json()).is_some())
    };
    let restricts = |param: &Param| {
        !param.choices.is_empty()
            || param.items.is_some()
            || param.minimum.is_some()
            || param.maximum.is_some()
            || param.pattern.is_some()
            || misses(param)
    };
    (declared.closed && is_unknown()) || declared.list.iter().any(restricts)
}

/// What else the declaration asks for. A value of the wrong type is not looked at further.
fn broken_rules(declared: &Params, values: &Map<String, Value>, known: &[ParamError]) -> Vec<ParamError> {
    let schema = declared.schema();
    let validator = match crate::schema::Validator::new(&schema) {
        Ok(validator) => validator,
        Err(reason) => {
            let message = format!("what the skill declares cannot be checked: {reason}");
            return vec![ParamError { path: String::new(), message }];
        }
    };
    let is_known = |error: &ParamError| {
        known
            .iter()
            .any(|known| error.path == known.path || error.path.starts_with(&format!("{}/", known.path)))
    };
    let is_absence = |error: &ParamError| error.path.is_empty() && error.message.contains("required");
    let found = validator.errors(&Value::Object(values.clone())).into_iter();
    let found = found.map(|(path, message)| {
        let message = match path.split('/').nth(1) {
            Some(name) => format!("param `{}`: {message}", name.replace("~1", "/").replace("~0", "~")),
            None => message,
        };
        ParamError { path, message }
    });
    found.filter(|error| !is_known(error) && !is_absence(error)).collect()
}

fn wrong_type(name: &str, wanted: &str, got: &str) -> ParamError {
    let message = format!("param `{name}` expected type {wanted}, got {got}");
    ParamError { path: pointer(name), message }
}

fn error(param: &Param, message: &str) -> ParamError {
    ParamError { path: pointer(&param.name), message: format!("{message} `{}`", param.name) }
}

/// A name as a JSON pointer.
fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn what(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests;
