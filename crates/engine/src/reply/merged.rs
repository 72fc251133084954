//! The reply of `registry`: what every plugin that is on brings, merged.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// `registry`: what the plugins that a person has switched on bring.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Registry {
    /// The plugins, by name.
    pub plugins: Vec<MergedPlugin>,
    /// Their tools.
    pub tools: Vec<MergedTool>,
    /// What goes into a prompt, by priority; the text of skills that are injected has 80.
    pub prompt_sections: Vec<MergedSection>,
    /// Parts of a page.
    pub components: Vec<MergedComponent>,
    /// Questions about data.
    pub query_types: Vec<MergedQuery>,
    /// Handlers of a page's actions.
    pub action_handlers: Vec<MergedAction>,
    /// Plugins that are on and bring nothing, because the vet denies them.
    pub denied: Vec<String>,
}

/// A plugin that is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedPlugin {
    /// Its name.
    pub name: String,
    /// Its version, as written.
    pub version: Option<String>,
    /// Its directory.
    pub path: String,
}

/// A tool of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MergedTool {
    /// Its name, which no other plugin's tool has.
    pub name: String,
    /// `plugin:PLUGIN/TOOL`.
    pub qualified_name: String,
    /// Whose it is.
    pub plugin: String,
    /// What it does.
    pub description: String,
    /// Whether it promises to change nothing.
    pub read_only: bool,
    /// The schema of what it takes, or the path of that in the plugin.
    pub input_schema: Option<Value>,
    /// The schema of what it gives, or the path of that in the plugin.
    pub output_schema: Option<Value>,
}

/// A section of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedSection {
    /// Its heading.
    pub heading: String,
    /// Its text.
    pub content: String,
    /// Its place: lower comes first.
    pub priority: i64,
    /// The plugin that it comes from.
    pub plugin: Option<String>,
    /// The skill that it comes from.
    pub skill: Option<String>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MergedComponent {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it shows.
    pub description: String,
    /// What it takes.
    pub props: Value,
    /// Whose it is.
    pub plugin: String,
}

/// A question about data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedQuery {
    /// Its name.
    pub name: String,
    /// What it answers.
    pub description: String,
    /// The tool that answers it, as `provider:tool`.
    pub tool: String,
    /// Whose it is.
    pub plugin: String,
}

/// A handler of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedAction {
    /// The action.
    pub action: String,
    /// What it does.
    pub description: String,
    /// The tool that does it, as `provider:tool`.
    pub tool: String,
    /// Whose it is.
    pub plugin: String,
}
