//! Agents' allowlists against what was found: names that no skill bears, or that several do.
//!
//! What an agent may see is not decided here. A name that leads nowhere allows nothing, and a person should know.

use crate::snapshot::{Lookup, Snapshot};
use guild_manifest::config::{Allowlist, Config, Written};
use guild_manifest::{Code, Pos, Problem};

/// A problem for each name of an allowlist that does not lead to one skill.
pub fn check(snapshot: &Snapshot, config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (id, agent) in &config.agents {
        let Allowlist::Only(names) = &agent.skills else { continue };
        let at = agent.written.as_ref();
        problems.extend(
            names.iter().filter_map(|name| judge(snapshot, id, name)).map(|problem| place(problem, at)),
        );
    }
    problems
}

fn judge(snapshot: &Snapshot, agent: &str, name: &str) -> Option<Problem> {
    let (message, hint) = match snapshot.find(name) {
        Lookup::Found(_) => return None,
        // It is there and does not load, which is told where it lies.
        Lookup::Missing(_) if is_broken(snapshot, name) => return None,
        Lookup::Missing(near) => {
            let hint = match near.as_slice() {
                [] => "correct the name, or remove it".to_owned(),
                near => format!("did you mean `{}`?", near.join("`, `")),
            };
            (format!("`agents.{agent}.skills` names `{name}`, and there is no such skill"), hint)
        }
        Lookup::Ambiguous(candidates) => {
            let hint = format!("write one of `{}`", candidates.join("`, `"));
            (format!("`agents.{agent}.skills` names `{name}`, and several skills are named so"), hint)
        }
    };
    Some(Problem::new(Code::AllowlistUnknown, Pos::START, message, hint))
}

fn is_broken(snapshot: &Snapshot, name: &str) -> bool {
    snapshot.broken.iter().any(|broken| broken.name == name || broken.place.qualified(&broken.name) == name)
}

fn place(problem: Problem, written: Option<&Written>) -> Problem {
    match written {
        Some(Written { file, at }) => Problem { at: *at, ..problem }.in_file(file),
        None => problem,
    }
}
