//! What a source holds: its skills and plugins, and which of them are meant.

use crate::reply::CandidateLine;
use crate::{Code, Refusal, counted};
use guild_catalog::{Inspected, InspectedPlugin, Inspection, find_path, near};
use guild_manifest::config::Config;
use guild_manifest::{Problem, Severity};
use guild_source::lock::{Kind, is_name};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// One thing that could be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub kind: Kind,
    /// The name that it would be installed under.
    pub name: String,
    /// Its directory; of a flat skill its file.
    pub place: PathBuf,
    /// Where that is below the source; empty for all of it.
    pub path: String,
    /// The file that makes it what it is, relative to its directory.
    pub main: String,
    /// Whether it is one file.
    pub flat: bool,
    /// The plugin that it is a part of.
    pub plugin: Option<String>,
    description: String,
    /// Why it does not load.
    broken: Option<String>,
}

impl Candidate {
    /// The name by which it is told from the others.
    pub fn qualified(&self) -> String {
        match &self.plugin {
            Some(plugin) => format!("{plugin}/{}", self.name),
            None => self.name.clone(),
        }
    }

    /// The same by itself, and not as a part of its plugin.
    pub fn alone(&self) -> Self {
        Self { plugin: None, ..self.clone() }
    }

    /// The line of it.
    pub fn line(&self) -> CandidateLine {
        CandidateLine {
            name: self.qualified(),
            kind: self.kind.word(),
            path: self.path.clone(),
            description: self.description.clone(),
            loaded: self.broken.is_none(),
        }
    }

    /// Refuses one that does not load.
    fn loads(&self) -> Result<(), Refusal> {
        let Some(why) = &self.broken else { return Ok(()) };
        let message = format!("{} `{}` does not load: {why}", self.kind, self.name);
        Err(Refusal::new(Code::SkillBroken, message))
    }

    /// Refuses one that does not load, or whose name cannot be that of a directory.
    pub fn usable(&self) -> Result<(), Refusal> {
        self.loads()?;
        if !is_name(&self.name) {
            let message = format!(
                "`{}` cannot be the name of a directory: letters, digits, `.`, `_` and `-`, at most 64",
                self.name
            );
            return Err(Refusal::new(Code::InvalidName, message));
        }
        Ok(())
    }
}

/// Everything that a source holds, by path; what lies inside a skill is a part of it.
pub fn find(top: &Path, config: &Config) -> Vec<Candidate> {
    let inspection = find_path(top, config).unwrap_or_default();
    let plugins = plugins(top, &inspection);
    let mut found = plugins.clone();
    // Below the source: what it lies in is the same for all of them.
    let mut outer: HashSet<PathBuf> = HashSet::new();
    for inspected in &inspection.skills {
        let skill = skill(top, inspected, &plugins);
        let place = skill.place.strip_prefix(top).unwrap_or(&skill.place);
        if place.ancestors().skip(1).any(|above| outer.contains(above)) {
            continue;
        }
        if !skill.flat && !skill.path.is_empty() {
            outer.insert(place.to_owned());
        }
        found.push(skill);
    }
    found
}

/// Whether what lies at a place is of this kind.
///
/// # Errors
/// Where it is, and does not load.
pub fn is_still(place: &Path, kind: Kind, config: &Config) -> Result<bool, Refusal> {
    let found = find(place, config);
    let is_it = |found: &&Candidate| found.kind == kind && found.path.is_empty();
    found.iter().find(is_it).map_or(Ok(false), |candidate| candidate.loads().map(|()| true))
}

fn plugins(top: &Path, inspection: &Inspection) -> Vec<Candidate> {
    let mut plugins: Vec<Candidate> = Vec::new();
    for plugin in &inspection.plugins {
        let stem =
            || plugin.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        plugins.push(Candidate {
            kind: Kind::Plugin,
            name: plugin.name.clone().filter(|name| is_name(name)).unwrap_or_else(stem),
            path: below(top, &plugin.path),
            place: plugin.path.clone(),
            main: plugin.manifest.to_owned(),
            flat: false,
            plugin: None,
            description: plugin.description.clone(),
            broken: plugin.name.is_none().then(|| invalid(plugin, &inspection.problems)),
        });
    }
    plugins
}

/// What is wrong with a plugin's manifest, as far as one line says it.
fn invalid(plugin: &InspectedPlugin, problems: &[Problem]) -> String {
    let manifest = plugin.path.join(plugin.manifest);
    let is_why =
        |problem: &&Problem| problem.severity == Severity::Error && Path::new(&problem.file) == manifest;
    let why = problems.iter().find(is_why).map(|problem| format!(": {}", problem.message));
    format!("its manifest `{}` is not valid{}", plugin.manifest, why.unwrap_or_default())
}

fn skill(top: &Path, inspected: &Inspected, plugins: &[Candidate]) -> Candidate {
    let file = inspected.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let flat = !file.eq_ignore_ascii_case("SKILL.md");
    let directory = inspected.path.parent().unwrap_or(top);
    let place = if flat { inspected.path.clone() } else { directory.to_owned() };
    let stem = place.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let plugin = plugins.iter().filter(|plugin| place.starts_with(&plugin.place));
    let innermost = plugin.max_by_key(|plugin| plugin.place.as_os_str().len());
    let broken = inspected.problems.iter().find(|problem| problem.excludes());
    Candidate {
        kind: Kind::Skill,
        // A name with blanks is one to show; the stem is the id.
        name: if is_name(&inspected.name) { inspected.name.clone() } else { stem },
        path: below(top, &place),
        main: if flat { "SKILL.md".to_owned() } else { file },
        flat,
        plugin: innermost.map(|plugin| plugin.name.clone()),
        description: inspected.description.clone(),
        broken: (!inspected.loaded)
            .then(|| broken.map_or_else(|| "it is no skill".to_owned(), |problem| problem.message.clone())),
        place,
    }
}

/// Where something lies below the source, with `/` between names.
fn below(top: &Path, place: &Path) -> String {
    let below = place.strip_prefix(top).unwrap_or(place);
    below.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Which of them are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The only one there is.
    Only,
    /// Everything that stands by itself: plugins, and skills of none.
    All,
    /// These, by name.
    Named(Vec<String>),
}

/// Chooses among what was found.
pub fn choose(found: &[Candidate], selection: &Selection) -> Result<Vec<Candidate>, Refusal> {
    let whole: Vec<&Candidate> = found.iter().filter(|candidate| candidate.plugin.is_none()).collect();
    if found.is_empty() {
        return Err(Refusal::new(Code::NoSkills, "there is no skill and no plugin in it"));
    }
    match selection {
        Selection::Named(names) => {
            let mut chosen: Vec<Candidate> = Vec::new();
            for name in names {
                let candidate = named(found, name)?;
                if !chosen.contains(&candidate) {
                    chosen.push(candidate);
                }
            }
            Ok(chosen)
        }
        Selection::All => Ok(once(whole)),
        Selection::Only => match whole.as_slice() {
            [only] => Ok(vec![(*only).clone()]),
            _ => {
                let message = format!(
                    "there are {} in it: choose with `--skill NAME,NAME`, or take `--all`; `--list` shows them",
                    counts(found)
                );
                Err(Refusal::new(Code::ChoiceRequired, message))
            }
        },
    }
}

/// How many there are of each kind, those of plugins too, as a list shows them.
fn counts(found: &[Candidate]) -> String {
    let count = |kind: Kind| found.iter().filter(|candidate| candidate.kind == kind).count();
    let kinds = [Kind::Skill, Kind::Plugin].into_iter().filter(|kind| count(*kind) > 0);
    kinds.map(|kind| counted(count(kind), kind.word())).collect::<Vec<_>>().join(" and ")
}

/// Those that load, each name once: the one that lies least deep, and among those the first.
fn once(whole: Vec<&Candidate>) -> Vec<Candidate> {
    let mut sorted: Vec<&Candidate> =
        whole.into_iter().filter(|candidate| candidate.broken.is_none()).collect();
    sorted.sort_by_key(|candidate| (candidate.path.matches('/').count(), candidate.path.clone()));
    let mut known = HashSet::new();
    sorted.retain(|candidate| known.insert((candidate.kind, &candidate.name)));
    let mut chosen: Vec<Candidate> = sorted.into_iter().cloned().collect();
    chosen.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    chosen
}

/// The one of this name: whole names count before those of skills in plugins.
fn named(found: &[Candidate], name: &str) -> Result<Candidate, Refusal> {
    let is_whole = |candidate: &&Candidate| candidate.qualified() == name;
    let mut matches: Vec<&Candidate> = found.iter().filter(is_whole).collect();
    if matches.is_empty() {
        matches = found.iter().filter(|candidate| candidate.name == name).collect();
    }
    match matches.as_slice() {
        [] => {
            let near = near(name, found.iter().map(Candidate::qualified));
            let hint = if near.is_empty() {
                "`--list` shows what is in it".to_owned()
            } else {
                format!("did you mean `{}`?", near.join("`, `"))
            };
            Err(Refusal::new(Code::SkillNotFound, format!("there is no `{name}` in it; {hint}")))
        }
        // Named by itself it is installed by itself.
        [one] => Ok(one.alone()),
        several => {
            let paths: Vec<&str> = several.iter().map(|candidate| candidate.path.as_str()).collect();
            let message = format!(
                "`{name}` is in it {}, at `{}`; put the path behind the repository",
                counted(several.len(), "time"),
                paths.join("`, `")
            );
            Err(Refusal::new(Code::SkillAmbiguous, message))
        }
    }
}
