//! What one file sets: every value optional, with the place it was written at.
//!
//! Nothing here is merged or defaulted; `merge` makes a [`Config`](super::Config) of several of these.

use super::{Layer, SandboxSettings};
use crate::Pos;
use crate::tree::Data;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The settings of one file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The file, as its reader named it.
    pub file: String,
    /// `skills.paths`.
    pub skill_paths: Vec<Place>,
    /// `skills.extra_paths`.
    pub extra_skill_paths: Vec<Place>,
    /// `skills.entries`, and `skills.disabled` as entries that are off.
    pub skills: BTreeMap<String, SkillSettings>,
    /// `plugins.load`.
    pub plugins: Vec<PluginEntry>,
    /// `plugins.paths`.
    pub plugin_paths: Vec<Place>,
    /// `plugins.extra_paths`.
    pub extra_plugin_paths: Vec<Place>,
    /// `plugins.disabled`.
    pub disabled_plugins: Option<Placed<Vec<String>>>,
    /// `agents`; an agent that is named here is configured, even by an empty table.
    pub agents: BTreeMap<String, AgentSettings>,
    /// `builtins`.
    pub builtins: Option<Placed<bool>>,
    /// `limits`.
    pub limits: LimitSettings,
    /// `prompt`.
    pub prompt: PromptSettings,
    /// `sandbox`.
    pub sandbox: SandboxSettings,
    /// `config`.
    pub data: Option<Data>,
    /// The sections that other parts read.
    pub sections: Vec<Section>,
}

/// A value and where it stands in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub at: Pos,
}

/// A path as it was written, with who wrote it where; [`expand`](super::expand) makes it whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The path; in a project's file relative, and without a way out.
    pub path: String,
    /// Whose file named it.
    pub layer: Layer,
    /// Which file named it.
    pub file: String,
    /// Where in that file; not part of the configuration's identity.
    #[serde(skip)]
    pub at: Pos,
}

/// One skill's settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillSettings {
    /// Whether it is on.
    pub enabled: Option<Placed<bool>>,
    /// Whether its body goes whole into the prompt.
    pub inject: Option<bool>,
    /// Its free table.
    pub config: Option<Data>,
}

/// One agent's settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentSettings {
    /// The skills it sees.
    pub skills: Option<Placed<Vec<String>>>,
    /// The tools it has.
    pub tools: Option<Placed<Vec<String>>>,
}

/// A plugin that the configuration names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginEntry {
    /// Where it is, or `python:package`.
    pub place: Place,
    /// Whether it is on.
    pub enabled: bool,
    /// Its free table; shown by digest, because it may hold credentials.
    #[serde(serialize_with = "by_digest")]
    pub settings: Data,
    /// What is set for its hooks, by name.
    pub hooks: BTreeMap<String, Hook>,
}

/// What is set for one hook of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Hook {
    /// Whether it runs.
    pub enabled: Option<bool>,
    /// Its place in the order; lower runs first.
    pub priority: Option<i64>,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
}

/// The limits of discovery that a file sets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LimitSettings {
    /// The largest file that is read.
    pub max_file_bytes: Option<Placed<u64>>,
    /// How deep a root is searched.
    pub max_depth: Option<Placed<u64>>,
    /// How many directory entries of a root are looked at.
    pub max_entries: Option<Placed<u64>>,
}

/// What a file sets for prompt catalogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PromptSettings {
    /// Characters of a catalog.
    pub budget: Option<Placed<u64>>,
    /// The form of a catalog.
    pub format: Option<PromptFormat>,
}

/// The form of a prompt catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptFormat {
    /// `<available_skills>`.
    Xml,
    /// The pinned index.
    Index,
    /// One line a skill.
    Bullets,
    /// JSON.
    Json,
    /// Prompt sections by priority.
    Sections,
}

/// A section that another part reads, whole and from one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Its key.
    pub name: &'static str,
    /// Whose file it stands in.
    pub layer: Layer,
    /// What it holds; shown by digest, because it may hold credentials.
    #[serde(serialize_with = "by_digest")]
    pub data: Data,
}

impl Settings {
    /// The settings of a file that sets nothing.
    pub(super) fn empty(file: &str) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }
}

impl Place {
    /// The directory that a relative path begins at: the project's for its files, else the file's own.
    pub fn base<'a>(&'a self, project: &'a str) -> &'a str {
        match self.layer {
            Layer::Project => project,
            Layer::System | Layer::User => {
                std::path::Path::new(&self.file).parent().and_then(std::path::Path::to_str).unwrap_or("")
            }
        }
    }
}

impl PromptFormat {
    /// Every format with its word.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("xml", Self::Xml),
        ("index", Self::Index),
        ("bullets", Self::Bullets),
        ("json", Self::Json),
        ("sections", Self::Sections),
    ];
}

/// A free table as its SHA-256, so that a change shows and a credential does not.
pub(super) fn by_digest<S: Serializer>(data: &Data, serializer: S) -> Result<S::Ok, S::Error> {
    let digest = Sha256::digest(data.to_json().to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    serializer.serialize_str(&format!("sha256:{hex}"))
}
