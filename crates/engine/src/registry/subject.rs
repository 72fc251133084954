//! From a name to the skill or plugin that is switched, and to what the registry knows of it.

use guild_catalog::{Entry, PluginEntry, near};
use guild_ledger::{Registration, SourceType, Status, Subject, SubjectKind};
use guild_manifest::{Problem, Severity};
use std::path::Path;

use crate::hall::Hall;
use crate::resolve::{Unresolved, resolve};
use crate::{Books, Code, Refusal};

/// Something that can be switched.
#[derive(Debug, Clone, Copy)]
pub enum Found<'h> {
    /// A skill.
    Skill(&'h Entry),
    /// A plugin, those included that lack a variable of the environment.
    Plugin(&'h PluginEntry),
}

/// Finds a skill or a plugin by name; where both bear it, `kind` has to say which is meant. A plugin's name is its own before it is the
/// short form of a skill that a plugin ships, its own most of all.
pub fn find<'h>(hall: &'h Hall, name: &str, kind: Option<SubjectKind>) -> Result<Found<'h>, Unresolved> {
    let plugin = plugins(hall).find(|entry| entry.plugin.name == name);
    if kind == Some(SubjectKind::Plugin) {
        return plugin.map(Found::Plugin).ok_or_else(|| no_plugin(hall, name));
    }
    let skill = resolve(hall, name);
    match (skill, plugin.filter(|_| kind.is_none())) {
        (Ok(entry), Some(plugin)) if entry.qualified_name() != name => Ok(Found::Plugin(plugin)),
        (Ok(_), Some(_)) => {
            let message =
                format!("a skill and a plugin are named `{name}`; say `--kind skill` or `--kind plugin`");
            Err(Unresolved { code: Code::SkillAmbiguous, message, candidates: Vec::new() })
        }
        (Ok(entry), None) => Ok(Found::Skill(entry)),
        (Err(_), Some(plugin)) => Ok(Found::Plugin(plugin)),
        (Err(unresolved), None) if kind.is_some() => Err(unresolved),
        (Err(unresolved), None) => {
            Err(broken_plugin(hall, name).unwrap_or_else(|| or_near_plugins(hall, name, unresolved)))
        }
    }
}

/// The plugins that are here, those that lack a variable included.
pub fn plugins(hall: &Hall) -> impl Iterator<Item = &PluginEntry> {
    hall.snapshot.plugins.iter().chain(&hall.snapshot.lacking)
}

/// Adds the plugins whose names are near to the skills whose are.
fn or_near_plugins(hall: &Hall, name: &str, unresolved: Unresolved) -> Unresolved {
    let mut candidates = near(name, plugins(hall).map(|entry| entry.plugin.name.clone()));
    if candidates.is_empty() || unresolved.code != Code::SkillNotFound {
        return unresolved;
    }
    candidates.extend(unresolved.candidates);
    let message =
        format!("no skill and no plugin is named `{name}`; did you mean `{}`?", candidates.join("`, `"));
    Unresolved { candidates, message, ..unresolved }
}

/// Why a name is no plugin's: one does not load, or nobody bears it.
pub(crate) fn no_plugin(hall: &Hall, name: &str) -> Unresolved {
    if let Some(broken) = broken_plugin(hall, name) {
        return broken;
    }
    let candidates = near(name, plugins(hall).map(|entry| entry.plugin.name.clone()));
    let message = match candidates.as_slice() {
        [] => format!("plugin `{name}` not found; `guild plugins` shows every plugin"),
        near => format!("plugin `{name}` not found; did you mean `{}`?", near.join("`, `")),
    };
    Unresolved { code: Code::PluginNotFound, message, candidates }
}

/// What is wrong with a plugin that is here and does not load.
fn broken_plugin(hall: &Hall, name: &str) -> Option<Unresolved> {
    let snapshot = &hall.snapshot;
    let broken = snapshot.broken_plugins.iter().find(|broken| broken.name == name)?;
    let is_why = |problem: &&Problem| {
        problem.severity == Severity::Error && Path::new(&problem.file).starts_with(&broken.directory)
    };
    let check = format!("`guild check {}`", broken.directory.display());
    let message = match snapshot.problems.iter().find(is_why) {
        Some(Problem { code, file, at, message, .. }) => format!(
            "plugin `{name}` does not load: {message} ({} at {file}:{}:{}); {check} shows how to mend it",
            code.as_str(),
            at.line,
            at.column
        ),
        None => format!("plugin `{name}` does not load; run {check} to see why"),
    };
    Some(Unresolved { code: Code::PluginNotFound, message, candidates: Vec::new() })
}

impl Found<'_> {
    /// Its qualified name.
    pub fn name(&self) -> String {
        match self {
            Self::Skill(entry) => entry.qualified_name().into_owned(),
            Self::Plugin(entry) => entry.plugin.name.clone(),
        }
    }

    /// Whether it is a skill or a plugin.
    pub fn kind(&self) -> SubjectKind {
        match self {
            Self::Skill(_) => SubjectKind::Skill,
            Self::Plugin(_) => SubjectKind::Plugin,
        }
    }

    /// Where it lies, as the registry calls it.
    pub fn place(&self) -> String {
        match self {
            Self::Skill(entry) => entry.place.key(),
            Self::Plugin(entry) => entry.key(),
        }
    }

    /// Where it came from and where it lies, for people.
    pub fn source(&self) -> String {
        let (scope, path) = match self {
            Self::Skill(entry) => (entry.place.scope, entry.place.path()),
            Self::Plugin(entry) => (entry.scope, entry.directory.clone()),
        };
        format!("{} · {}", scope.as_str(), path.display())
    }

    /// Whether the configuration switches it off.
    pub fn is_off_by_configuration(&self, hall: &Hall) -> bool {
        match self {
            Self::Skill(entry) => {
                let names = entry.names();
                !hall.config.is_enabled(&names.iter().map(AsRef::as_ref).collect::<Vec<_>>())
            }
            Self::Plugin(entry) => !hall.config.is_plugin_enabled(&entry.plugin.name),
        }
    }

    /// The state that it has where nobody has switched it.
    pub fn usual(&self) -> Status {
        match self {
            Self::Plugin(entry) if !entry.enabled && !entry.plugin.default_enabled => Status::Disabled,
            Self::Plugin(_) | Self::Skill(_) => Status::Enabled,
        }
    }

    /// What the registry has to say of something that nobody installed: it was found here.
    pub fn subject(&self) -> Subject {
        let place = self.place();
        let is_builtin = place.starts_with("builtin:");
        let source = place.strip_prefix("builtin:").unwrap_or(&place).to_owned();
        let source_type = if is_builtin { SourceType::Builtin } else { SourceType::Local };
        let (description, version, capabilities, required_env) = match self {
            Self::Skill(entry) => {
                let env = entry.skill.requirements.as_ref().map(|asked| asked.env.clone());
                (Some(entry.skill.description.clone()), None, Vec::new(), env.unwrap_or_default())
            }
            Self::Plugin(entry) => {
                let plugin = &entry.plugin;
                let words = plugin.capabilities.iter().map(|word| word.as_str().to_owned()).collect();
                (plugin.description.clone(), plugin.version.clone(), words, plugin.required_env.clone())
            }
        };
        let (kind, name) = (self.kind(), self.name());
        let (resolved, digest) = (None, None);
        Subject {
            kind,
            name,
            description: description.map(|text| text.chars().take(1024).collect()),
            version,
            source_type,
            source,
            resolved,
            digest,
            place,
            capabilities,
            required_env,
        }
    }
}

impl Books {
    /// What the registry knows of it, if anything.
    pub(super) async fn known(&self, found: &Found<'_>) -> Result<Option<Registration>, Refusal> {
        let place = found.place();
        let all = self.ledger.registrations().await.map_err(|error| self.refusal(error))?;
        Ok(all.into_iter().find(|known| known.subject.place == place))
    }
}
