//! `mcp.skills` of the person's and the machine's configuration: names of skills, and `<plugin>:*` for all of a plugin.

use guild_catalog::{Entry, Lookup, Snapshot};
use guild_manifest::config::{Config, Layer, Section};
use guild_manifest::tree::Data;
use guild_manifest::{Code as ProblemCode, Pos, Problem, Severity};

use crate::hall::{ConfigFile, path_of};

/// How its problems begin.
pub(super) const KEY: &str = "`mcp.skills`";

/// What to do about a name that leads nowhere.
const ELSEWHERE: &str = "correct the name, or leave it for a project that has it";

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    word: String,
    /// Whose file it stands in.
    pub(super) layer: Layer,
}

impl Choice {
    /// The plugin that all skills are chosen of, if it is one.
    fn plugin(&self) -> Option<&str> {
        self.word.strip_suffix(":*").or_else(|| self.word.strip_suffix("/*"))
    }
}

/// What is chosen; the last file that says it counts.
pub(super) fn of(config: &Config) -> Vec<Choice> {
    let said = sections(config).filter_map(|section| Some((section.layer, read(section)?.ok()?))).next_back();
    let (layer, words) = said.unwrap_or((Layer::User, Vec::new()));
    words.into_iter().map(|word| Choice { word, layer }).collect()
}

/// The skills that choices lead to, each once, in the order of the choices.
pub(super) fn picked<'s>(snapshot: &'s Snapshot, choices: &[Choice]) -> Vec<&'s Entry> {
    let mut picked: Vec<&Entry> = Vec::new();
    for choice in choices {
        let found: Vec<&Entry> = match choice.plugin() {
            Some(plugin) => of_plugin(snapshot, plugin),
            None => match snapshot.find(&choice.word) {
                Lookup::Found(entry) => vec![entry],
                Lookup::Missing(_) | Lookup::Ambiguous(_) => Vec::new(),
            },
        };
        let is_new = |entry: &&Entry| !picked.iter().any(|known| std::ptr::eq(*known, *entry));
        let new: Vec<&Entry> = found.into_iter().filter(is_new).collect();
        picked.extend(new);
    }
    picked
}

fn of_plugin<'s>(snapshot: &'s Snapshot, plugin: &str) -> Vec<&'s Entry> {
    snapshot.skills.iter().filter(|entry| entry.place.plugin.as_deref() == Some(plugin)).collect()
}

/// What leads nowhere, and what is no list of names.
pub(super) fn problems(config: &Config, snapshot: &Snapshot, files: &[ConfigFile]) -> Vec<Problem> {
    let problem = |layer: Layer, what: &str, hint: &str| {
        Problem::new(ProblemCode::ConfigValueInvalid, Pos::START, format!("{KEY} {what}"), hint)
            .in_file(path_of(files, layer))
    };
    let wrong = sections(config).filter(|section| read(section) == Some(Err(())));
    let mut problems: Vec<Problem> = wrong
        .map(|section| {
            problem(section.layer, "is no list of names", "write `skills = [\"greet\", \"kit:*\"]`")
        })
        .collect();
    problems.extend(of(config).iter().filter_map(|choice| {
        let (what, hint) = astray(snapshot, choice)?;
        let problem = problem(choice.layer, &what, &hint);
        // A person's choice serves all their projects: a skill that is only absent here is worth a remark.
        Some(if hint == ELSEWHERE { problem.with_severity(Severity::Info) } else { problem })
    }));
    problems
}

/// Why a choice leads to no skill, and what to do about it.
fn astray(snapshot: &Snapshot, choice: &Choice) -> Option<(String, String)> {
    let word = &choice.word;
    let elsewhere = ELSEWHERE.to_owned();
    if let Some(plugin) = choice.plugin() {
        let message = format!("names `{word}`, and no plugin `{plugin}` has a skill");
        return of_plugin(snapshot, plugin).is_empty().then_some((message, elsewhere));
    }
    match snapshot.find(word) {
        Lookup::Found(_) => None,
        Lookup::Missing(near) if near.is_empty() => {
            Some((format!("names `{word}`, and there is no such skill"), elsewhere))
        }
        Lookup::Missing(near) => Some((
            format!("names `{word}`, and there is no such skill"),
            format!("did you mean `{}`?", near.join("`, `")),
        )),
        Lookup::Ambiguous(several) => Some((
            format!("names `{word}`, and several skills are named so"),
            format!("write one of `{}`", several.join("`, `")),
        )),
    }
}

fn sections(config: &Config) -> impl DoubleEndedIterator<Item = &Section> {
    config.sections.iter().filter(|section| section.name == "mcp" && section.layer != Layer::Project)
}

fn read(section: &Section) -> Option<Result<Vec<String>, ()>> {
    let Data::List(items) = section.data.get("skills")? else { return Some(Err(())) };
    let word = |item: &Data| match item {
        Data::Text(word) if !word.trim().is_empty() => Ok(word.trim().to_owned()),
        _ => Err(()),
    };
    Some(items.iter().map(word).collect())
}
