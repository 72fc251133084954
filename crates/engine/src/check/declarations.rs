//! Schemas of a skill that nothing could be held against: a run would be refused for them, and their author is told before.
//!
//! What a file of the skill holds is not here to be looked at.

use super::read_text;
use crate::schema::Validator;
use guild_catalog::Inspected;
use guild_manifest::skill::{Contract, Params, Profile};
use guild_manifest::tree::{Data, Map, Node};
use guild_manifest::{Code, Pos, Problem, frontmatter};
use serde_json::Value;

/// How many parameters of one skill are told.
const MOST_TOLD: usize = 50;

/// A declaration that is no schema.
struct Fault<'a> {
    /// The key that it stands under.
    key: &'static str,
    /// The parameter, where it is one.
    name: Option<&'a str>,
    reason: String,
}

/// Adds to a skill's problems what is wrong with its declarations, as grave as the profile has it.
pub fn check(skill: &mut Inspected, profile: Profile) {
    let faults: Vec<Fault<'_>> = skill.contract.iter().flat_map(|contract| faults(contract)).collect();
    if faults.is_empty() {
        return;
    }
    let text = read_text(&skill.path).unwrap_or_default();
    let written = frontmatter::read(&text).ok().and_then(|read| read.map).unwrap_or_default();
    let file = skill.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut told: Vec<Problem> = faults.iter().map(|fault| told(fault, &written).in_file(&file)).collect();
    profile.weigh(&mut told);
    skill.problems.extend(told);
}

fn faults(contract: &Contract) -> Vec<Fault<'_>> {
    let outputs = contract.outputs.iter().map(Data::to_json);
    let outputs = outputs.filter(|schema| schema.get("$ref").is_none());
    let of_outputs = outputs.filter_map(|schema| Validator::new(&schema).err());
    let mut faults = params(contract);
    faults.extend(of_outputs.map(|reason| Fault { key: "outputs", name: None, reason }));
    faults
}

/// All parameters are one schema; where that is none, the parameters that are to blame are looked for.
fn params(contract: &Contract) -> Vec<Fault<'_>> {
    let Some(params) = &contract.params else { return Vec::new() };
    let Some(whole) = Validator::new(&params.schema()).err() else { return Vec::new() };
    let fault = |name, reason| Fault { key: "params", name, reason };
    let suspects = params.list.iter().filter(|param| Validator::new(&param.schema()).is_err());
    let of_one = suspects.take(MOST_TOLD).filter_map(|param| {
        let reason = Validator::new(&alone(params, &param.name)).err()?;
        Some(fault(Some(param.name.as_str()), reason))
    });
    let found: Vec<Fault<'_>> = of_one.collect();
    if found.is_empty() { vec![fault(None, whole)] } else { found }
}

/// The schema of all parameters, of which only one says anything; a reference to another one leads there all the same.
fn alone(params: &Params, name: &str) -> Value {
    let mut schema = params.schema();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, other) in properties.into_iter().flatten().filter(|(known, _)| *known != name) {
        *other = Value::Object(serde_json::Map::new());
    }
    schema
}

fn told(fault: &Fault<'_>, written: &Map) -> Problem {
    let Fault { key, name, reason } = fault;
    let what = name.map_or_else(|| format!("`{key}`"), |name| format!("the parameter `{name}`"));
    let message = format!("{what} cannot be checked, so no run can begin: {reason}");
    let hint = "mend its `pattern`, `items` or whatever else the message quotes";
    Problem::new(Code::ValueInvalid, place(fault, written).unwrap_or(Pos::START), message, hint)
}

/// Where a declaration is written, in each of the forms that parameters have.
fn place(fault: &Fault<'_>, written: &Map) -> Option<Pos> {
    let declared = written.get(fault.key)?;
    let Some(name) = fault.name else { return Some(declared.at) };
    let under = |node: &Node| node.as_map()?.get_exact(name).map(|node| node.at);
    let is_it = |item: &&Node| {
        let own = item.as_map().and_then(|map| map.get("name"));
        own.and_then(Node::as_str) == Some(name)
    };
    let in_list = || declared.as_list()?.iter().find(is_it).map(|item| item.at);
    let in_schema = || under(declared.as_map()?.get("properties")?);
    under(declared).or_else(in_schema).or_else(in_list).or(Some(declared.at))
}
