//! What a skill asks of the machine: operating system, programs, environment, configuration, tools.
//!
//! Several dialects say it in several places; all of them are read into one [`Requirements`]. Whether this machine
//! has what is asked for is the catalog's to find out.

mod vendor;

use super::{list_of, text_of};
use crate::tree::{Map, Value, json};
use crate::{Code, Problem, coerce};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Everything a skill asks for, from every dialect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Requirements {
    /// Eligible whatever else is asked for.
    pub always: bool,
    /// Operating systems, one of which must be this one.
    pub os: Vec<String>,
    /// Programs that must all be found.
    pub bins: Vec<String>,
    /// Programs of which one must be found.
    pub any_bins: Vec<String>,
    /// Environment variables or credentials that must all be there.
    pub env: Vec<String>,
    /// Dotted configuration paths that must all be truthy.
    pub config: Vec<String>,
    /// Files with credentials, below the home directory, that must all exist.
    pub credential_files: Vec<String>,
    /// Tools that must all be registered.
    pub tools: Vec<String>,
    /// The variable that the skill's own configuration may fill.
    pub primary_env: Option<String>,
    /// The name of the skill's section in the configuration, where it is not the skill's own.
    pub config_key: Option<String>,
    /// How to get what is missing; shown to people, never run from here.
    pub install: Vec<InstallStep>,
}

/// One way to get a missing program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallStep {
    /// `brew`, `node`, `go`, `uv`, `apt` or `download`.
    pub kind: String,
    /// The formula, package, module or address.
    pub target: String,
    /// What to show.
    pub label: Option<String>,
    /// Programs it brings.
    pub bins: Vec<String>,
}

/// The `metadata` mapping: as a mapping, or as JSON5 text.
pub fn metadata<'a>(map: &'a Map, problems: &mut Vec<Problem>) -> Option<Cow<'a, Map>> {
    let node = map.get("metadata")?;
    match &node.value {
        Value::Map(map) => Some(Cow::Borrowed(map)),
        Value::List(_) => {
            problems.push(coerce::wrong("metadata", node, "a mapping"));
            None
        }
        Value::Scalar(scalar) if scalar.text.trim_start().starts_with('{') => {
            let mut found = Vec::new();
            let parsed = json::parse(&scalar.text, json::Grammar::Json5, &mut found);
            // Places in the inner text are none in the file, so all of it is said to stand where the text begins.
            problems.extend(found.into_iter().map(|problem| {
                let message = format!("in the JSON of `metadata`, {}", problem.message);
                Problem { at: node.at, message, ..problem }
            }));
            match parsed {
                Ok(mut parsed) => {
                    parsed.place(&|_| node.at);
                    match parsed.value {
                        Value::Map(map) => Some(Cow::Owned(map)),
                        _ => None,
                    }
                }
                Err(error) => {
                    let message = format!("the metadata cannot be read as JSON5: {}", error.message);
                    let hint = "write it as a YAML mapping, or mend the JSON";
                    problems.push(Problem::new(Code::VendorMetadataInvalid, node.at, message, hint));
                    None
                }
            }
        }
        Value::Scalar(_) if node.is_null() => None,
        Value::Scalar(scalar) if vendor::is_named_in(&scalar.text) => {
            let message = "the metadata is text, so a vendor's gate in it cannot be kept";
            let hint = "write it as a YAML mapping";
            problems.push(Problem::new(Code::VendorMetadataInvalid, node.at, message, hint));
            None
        }
        Value::Scalar(_) => {
            problems.push(coerce::wrong("metadata", node, "a mapping"));
            None
        }
    }
}

/// Reads the requirements of every dialect; `None` where nothing is asked for.
pub fn read(map: &Map, metadata: Option<&Map>, problems: &mut Vec<Problem>) -> Option<Requirements> {
    let mut found = Requirements::default();
    vendor::read(map, metadata, &mut found, problems);
    eligibility(map, &mut found, problems);
    environment(map, &mut found, problems);
    found.tools.extend(list_of(map, "requires_tools", problems));
    let programs = [&mut found.os, &mut found.bins, &mut found.any_bins, &mut found.tools];
    let settings = [&mut found.env, &mut found.config, &mut found.credential_files];
    programs.into_iter().chain(settings).for_each(deduplicate);
    (found != Requirements::default()).then_some(found)
}

/// `eligibility: {os, env, binaries}` of contract skills.
fn eligibility(map: &Map, found: &mut Requirements, problems: &mut Vec<Problem>) {
    let Some(node) = map.get("eligibility").filter(|node| !node.is_null()) else { return };
    let Some(section) = node.as_map() else {
        let message = format!("`eligibility` is {}, not a mapping", node.what());
        problems.push(Problem::new(
            Code::ContractInvalid,
            node.at,
            message,
            "write `os:`, `env:` and `binaries:` below it",
        ));
        return;
    };
    found.os.extend(list_of(section, "os", problems));
    found.env.extend(list_of(section, "env", problems));
    found.bins.extend(list_of(section, "binaries", problems));
    found.bins.extend(list_of(section, "bins", problems));
}

/// `platforms`, `required_environment_variables` and their kin at the top level.
fn environment(map: &Map, found: &mut Requirements, problems: &mut Vec<Problem>) {
    found.os.extend(list_of(map, "platforms", problems));
    found.env.extend(named(map, "required_environment_variables", problems));
    found.credential_files.extend(named(map, "required_credential_files", problems));
    if let Some(section) = map.get("prerequisites").and_then(|node| node.as_map()) {
        found.env.extend(named(section, "env_vars", problems));
        found.bins.extend(list_of(section, "commands", problems));
    }
}

/// Names from a list of names or of mappings with a name; an optional one is not required.
fn named(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    let Some(node) = map.get(key) else { return Vec::new() };
    let Some(items) = node.as_list() else { return list_of(map, key, problems) };
    let name = |item: &crate::tree::Node| match item.as_map() {
        Some(entry) if entry.get("optional").and_then(coerce::boolean) == Some(true) => None,
        Some(entry) => ["name", "path", "file"].iter().find_map(|key| text_of(entry, key, &mut Vec::new())),
        None => coerce::text(item, " "),
    };
    items.iter().filter_map(name).filter(|name| !name.is_empty()).collect()
}

fn deduplicate(list: &mut Vec<String>) {
    if list.len() < 2 {
        return;
    }
    let mut seen = std::collections::HashSet::new();
    list.retain(|entry| seen.insert(entry.clone()));
}
