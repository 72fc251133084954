//! Names in agents' allowlists that lead to no skill: a slip there takes a skill away from an agent without a word.

use guild_catalog::{Lookup, Snapshot};
use guild_manifest::config::Settings;
use guild_manifest::{Code, Pos, Problem, Severity};

/// One file's list for one agent.
pub struct Listed {
    file: String,
    agent: String,
    names: Vec<String>,
    at: Pos,
}

/// The lists that a file has.
pub fn listed(settings: &Settings) -> impl Iterator<Item = Listed> {
    settings.agents.iter().filter_map(|(agent, asked)| {
        let skills = asked.skills.as_ref()?;
        let names = skills.value.iter().filter(|name| *name != "*").cloned().collect();
        Some(Listed { file: settings.file.clone(), agent: agent.clone(), names, at: skills.at })
    })
}

/// A problem for each name that no skill bears, or that several do.
///
/// A person's lists serve all their projects, so a name that is only absent here is worth no more than a remark.
pub fn unknown(snapshot: &Snapshot, lists: &[Listed]) -> Vec<Problem> {
    let problem = |list: &Listed, name: &String| {
        let told = |why: &str, hint: String| {
            let message = format!("agent `{}` may use `{name}`, {why}", list.agent);
            Problem::new(Code::AllowlistUnknown, list.at, message, hint).in_file(&list.file)
        };
        match snapshot.find(name) {
            Lookup::Found(_) => None,
            Lookup::Ambiguous(names) => Some(told("which several skills bear", one_of(&names))),
            Lookup::Missing(near) if near.is_empty() => {
                let problem = told("but there is no such skill here", "correct it or leave it".to_owned());
                Some(problem.with_severity(Severity::Info))
            }
            Lookup::Missing(near) => Some(told("but there is no such skill", one_of(&near))),
        }
    };
    lists.iter().flat_map(|list| list.names.iter().filter_map(move |name| problem(list, name))).collect()
}

fn one_of(names: &[String]) -> String {
    format!("did you mean `{}`?", names.join("`, `"))
}
