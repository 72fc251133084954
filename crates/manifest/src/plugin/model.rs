//! The one model behind every manifest: what a plugin is called, what it ships and where that lies.
//!
//! It is plain data for an index: it holds no places, no files and no behaviour. Paths are relative to the plugin,
//! stay inside it by their spelling, and are `.` for the plugin itself; links are the caller's to follow or refuse.

use super::{
    ActionHandler, Author, Capability, Component, Dialect, McpServer, PromptSection, QueryType,
    ToolDeclaration,
};
use crate::tree::Data;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

/// A plugin as its manifest, or its layout, describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plugin {
    /// The name that its skills are qualified by.
    pub name: String,
    /// Whose manifest it was.
    pub dialect: Dialect,
    /// The name shown to people, where it is another one.
    pub title: Option<String>,
    /// Its version, as written; only our own dialect promises semantic versioning.
    pub version: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Who made it.
    pub author: Option<Author>,
    /// Its page.
    pub homepage: Option<String>,
    /// Its source.
    pub repository: Option<String>,
    /// Its licence, as written.
    pub license: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Where its skills lie.
    pub skill_dirs: Vec<SkillDir>,
    /// Files and directories of slash commands.
    pub commands: Vec<String>,
    /// Files and directories of agents.
    pub agents: Vec<String>,
    /// Where its hooks are written.
    pub hooks: Vec<HookSource>,
    /// The MCP servers it brings; placeholders in them are not expanded.
    pub mcp_servers: Vec<McpServer>,
    /// The tools it brings.
    pub tools: Vec<ToolDeclaration>,
    /// The file of Python code that registers its tools (Mindroom).
    pub tools_module: Option<String>,
    /// What it adds to a prompt.
    pub prompt_sections: Vec<PromptSection>,
    /// The parts of a page it can draw.
    pub components: Vec<Component>,
    /// The questions about data it answers.
    pub query_types: Vec<QueryType>,
    /// The actions of a page it handles.
    pub action_handlers: Vec<ActionHandler>,
    /// What it says it contributes.
    pub capabilities: Vec<Capability>,
    /// Environment variables without which it is skipped.
    pub required_env: Vec<String>,
    /// Environment variables that it uses if they are set.
    pub optional_env: Vec<String>,
    /// Plugins that it builds on.
    pub dependencies: Vec<Dependency>,
    /// What a person may set.
    pub settings: Vec<Setting>,
    /// The JSON Schema of its configuration, where the dialect gives one instead of settings.
    pub settings_schema: Option<Data>,
    /// Whether it is on once it is installed.
    pub default_enabled: bool,
    /// Keys that have no field here, as they were written.
    pub extra: Vec<(String, Data)>,
}

impl Plugin {
    /// Whether it brings something that runs.
    pub fn brings_code(&self) -> bool {
        !self.tools.is_empty()
            || self.tools_module.is_some()
            || !self.mcp_servers.is_empty()
            || !self.hooks.is_empty()
    }

    /// A plugin that has a name and nothing else.
    pub fn new(dialect: Dialect, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            dialect,
            title: None,
            version: None,
            description: None,
            author: None,
            homepage: None,
            repository: None,
            license: None,
            keywords: Vec::new(),
            skill_dirs: Vec::new(),
            commands: Vec::new(),
            agents: Vec::new(),
            hooks: Vec::new(),
            mcp_servers: Vec::new(),
            tools: Vec::new(),
            tools_module: None,
            prompt_sections: Vec::new(),
            components: Vec::new(),
            query_types: Vec::new(),
            action_handlers: Vec::new(),
            capabilities: Vec::new(),
            required_env: Vec::new(),
            optional_env: Vec::new(),
            dependencies: Vec::new(),
            settings: Vec::new(),
            settings_schema: None,
            default_enabled: true,
            extra: Vec::new(),
        }
    }
}

/// A directory that holds skills, or is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillDir {
    /// The directory; `.` is the plugin itself.
    pub path: String,
    /// Where in it the skills are.
    pub scan: Scan,
}

/// Where in a directory its skills are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scan {
    /// Each immediate child with a `SKILL.md` is a skill; nothing deeper is.
    Children,
    /// The directory itself is the skill.
    Itself,
    /// Skills may be grouped in directories, down to the catalog's bound.
    Grouped,
}

/// Where hooks are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HookSource {
    /// In a file of the plugin.
    File(String),
    /// In a file of Python code (Mindroom).
    Module(String),
    /// In the manifest.
    Inline(Data),
}

/// A plugin that another one builds on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The range of versions that will do, as written.
    pub version: Option<String>,
    /// The marketplace it comes from, where that is another one.
    pub marketplace: Option<String>,
}

impl Dependency {
    /// Whether a plugin of this version will do. A range that cannot be read accepts none.
    pub fn accepts(&self, version: Option<&str>) -> bool {
        let Some(range) = &self.version else { return true };
        let (range, version) = (VersionReq::parse(range), version.and_then(|it| Version::parse(it).ok()));
        matches!((range, version), (Ok(range), Some(version)) if range.matches(&version))
    }
}

/// One thing that a person may set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The name that the plugin reads it by.
    pub key: String,
    /// The name shown to people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What it takes.
    pub kind: SettingKind,
    /// The environment variable it arrives in, where the manifest names one.
    pub env: Option<String>,
    /// Whether the plugin cannot do without.
    pub required: bool,
    /// Whether it is a secret.
    pub sensitive: bool,
    /// Whether it takes several values.
    pub multiple: bool,
    /// What it is unless set.
    pub default: Option<Data>,
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettingKind {
    /// Text.
    Text,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// The path of a directory.
    Directory,
    /// The path of a file.
    File,
}
