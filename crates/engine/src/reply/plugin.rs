//! The reply of `plugins show`: everything that one plugin brings.

use schemars::JsonSchema;
use serde::Serialize;

use super::PluginSummary;

/// `plugins show`: one plugin.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct PluginShow<'a> {
    /// Whether there is one of that name.
    pub found: bool,
    /// The plugin.
    pub plugin: Option<PluginDetail<'a>>,
    /// Names near the one that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// A plugin with everything that it brings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PluginDetail<'a> {
    /// As `plugins` shows it.
    #[serde(flatten)]
    pub summary: PluginSummary<'a>,
    /// Its skills, by their qualified names.
    pub skills: Vec<String>,
    /// Its tools as its manifest declares them; `tools list` asks for all that there are.
    pub tools: Vec<String>,
    /// The Python module whose functions are tools.
    pub tools_module: Option<&'a str>,
    /// Its MCP servers, by name.
    pub servers: Vec<&'a str>,
    /// The agents that it ships.
    pub agents: Vec<PluginAgent>,
    /// Files and directories of slash commands.
    pub commands: &'a [String],
    /// What it runs at events: `before_run`, `after_run`, `onEnable`, `onDisable`.
    pub hooks: Vec<String>,
    /// The headings of what it adds to prompts.
    pub prompt_sections: Vec<&'a str>,
    /// The types of the parts of a page that it draws.
    pub components: Vec<&'a str>,
    /// The types of questions about data that it answers.
    pub query_types: Vec<&'a str>,
    /// The actions that it handles.
    pub action_handlers: Vec<&'a str>,
    /// Variables of the environment that it needs.
    pub required_env: &'a [String],
    /// Variables that it uses if they are set.
    pub optional_env: &'a [String],
    /// Those that it needs and that are not set, so that it is skipped.
    pub missing_env: Vec<&'a str>,
    /// Plugins that it builds on.
    pub dependencies: Vec<&'a str>,
}

/// An agent that a plugin ships.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginAgent {
    /// Its name.
    pub name: String,
    /// The name that `run` takes.
    pub qualified_name: String,
    /// What it is for.
    pub description: String,
    /// The model that it wants.
    pub model: Option<String>,
    /// The tools that it is scoped to.
    pub tools: Vec<String>,
    /// Its file in the plugin.
    pub path: String,
}
