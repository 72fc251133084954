//! What a parameter says that it cannot mean: values it would refuse, words that are not read, types that are not known.

use super::Param;
use crate::fold::{nearest, same};
use crate::skill::schema::{self, type_name};
use crate::tree::{Data, Map};
use crate::{Code, Pos, Problem};

/// A default and choices that the parameter itself would refuse are told: no caller could use them.
pub fn values(param: &Param, map: &Map, problems: &mut Vec<Problem>) {
    let Param { name, kind, .. } = param;
    let choices = param.choices.iter().map(|value| ("enum", value));
    for (key, value) in param.default.iter().map(|value| ("default", value)).chain(choices) {
        let at = map.get(key).map_or(Pos::START, |node| node.at);
        let reason = if !schema::is_of_type(value, kind) {
            format!("is not of its type, {kind}")
        } else if is_out_of_bounds(param, value) {
            "lies outside its bounds".to_owned()
        } else if key == "default" && !param.choices.is_empty() && !param.choices.contains(value) {
            "is not among its choices".to_owned()
        } else {
            continue;
        };
        let message = format!("`{key}` of the parameter `{name}` has {}, which {reason}", value.to_json());
        problems.push(Problem::new(Code::ValueInvalid, at, message, "change the value or what it must be"));
    }
}

fn is_out_of_bounds(param: &Param, value: &Data) -> bool {
    let number = value.to_json().as_f64();
    let below = number.zip(param.minimum).is_some_and(|(number, least)| number < least);
    below || number.zip(param.maximum).is_some_and(|(number, most)| number > most)
}

/// Tells of the words of a parameter that are not read, since it takes more values than its author meant.
pub fn keys(name: &str, map: &Map, problems: &mut Vec<Problem>) {
    const KEYS: &[&str] = &[
        "name",
        "type",
        "required",
        "description",
        "default",
        "enum",
        "items",
        "minimum",
        "maximum",
        "pattern",
        "format",
        "writeOnly",
        "title",
        "example",
        "examples",
        "label",
    ];
    for entry in map.entries().iter().filter(|entry| !KEYS.iter().any(|known| same(known, &entry.key))) {
        let message = format!("`{}` of the parameter `{name}` is not read", entry.key);
        let hint = match nearest(&entry.key, KEYS.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "let the script check it".to_owned(),
        };
        problems.push(Problem::new(Code::UnknownKey, entry.key_at, message, hint));
    }
}

/// The name that JSON Schema has for a type, or what was written, which is told.
pub fn type_of(name: &str, written: String, at: Pos, problems: &mut Vec<Problem>) -> String {
    if let Some(known) = type_name(&written) {
        return known.to_owned();
    }
    let message = format!("the parameter `{name}` has the unknown type `{written}`, so it takes any value");
    let hint = "use string, integer, number, boolean, array or object";
    problems.push(Problem::new(Code::ValueInvalid, at, message, hint));
    written
}
