//! `agents/openai.yaml` beside a skill: another host's file that says whether models may reach for the skill.
//!
//! Nothing else in that file is read.

use super::flag;
use crate::tree::{Map, Value, yaml};
use crate::{Code, Problem, text};

const FILE: &str = "agents/openai.yaml";
const MAX_BYTES: usize = 64 * 1024;

/// What the sidecar decides.
#[derive(Debug, Default)]
pub struct Policy {
    /// `policy.allow_implicit_invocation: false`.
    pub hidden_from_models: bool,
}

/// Reads the sidecar; one that cannot be read changes nothing and is told.
pub fn read(bytes: &[u8], problems: &mut Vec<Problem>) -> Policy {
    match parse(bytes) {
        Ok(map) => {
            let mut found = Vec::new();
            let policy = map.get("policy").and_then(|node| node.as_map());
            let implicit = policy.and_then(|policy| flag(policy, "allow_implicit_invocation", &mut found));
            problems.extend(found.into_iter().map(|it| it.with_code(Code::SidecarInvalid).in_file(FILE)));
            Policy { hidden_from_models: implicit == Some(false) }
        }
        Err(problem) => {
            problems.push(problem.with_code(Code::SidecarInvalid).in_file(FILE));
            Policy::default()
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Map, Problem> {
    let decoded = text::decode(bytes, MAX_BYTES)?;
    match yaml::parse(&decoded.text, 1)?.root.map(|node| (node.at, node.value)) {
        None => Ok(Map::default()),
        Some((_, Value::Map(map))) => Ok(map),
        Some((at, _)) => Err(Problem::new(
            Code::SidecarInvalid,
            at,
            "the sidecar is no mapping",
            "write `key: value` lines",
        )),
    }
}
