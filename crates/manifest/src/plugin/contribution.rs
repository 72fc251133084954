//! What a plugin of our own dialect adds to a host: tools, prompt sections, components, query types and actions.
//!
//! The types alone; `guild` reads them and checks them against each other.

use crate::tree::Data;
use serde::{Deserialize, Serialize};

/// A kind of contribution that a manifest declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Capability {
    /// Tools for agents.
    Tools,
    /// Handlers of a page's actions.
    Actions,
    /// Parts of a page.
    Components,
    /// Sections of a prompt.
    Prompt,
    /// Questions about data.
    Queries,
}

impl Capability {
    /// Every capability, in the order of the table.
    pub const ALL: [Self; 5] = [Self::Tools, Self::Actions, Self::Components, Self::Prompt, Self::Queries];

    /// The word in manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Actions => "actions",
            Self::Components => "components",
            Self::Prompt => "prompt",
            Self::Queries => "queries",
        }
    }
}

/// A tool that a plugin brings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDeclaration {
    /// Its name within the plugin.
    pub name: String,
    /// What it does, for a model.
    pub description: String,
    /// What is run.
    pub run: ToolRun,
    /// The schema its input is held to.
    pub input_schema: Option<SchemaSource>,
    /// The schema its result is held to.
    pub output_schema: Option<SchemaSource>,
    /// Whether it promises to change nothing.
    pub read_only: bool,
    /// Whether its process may be kept for the next call.
    pub warm: bool,
}

/// What is run when a tool is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToolRun {
    /// A file of the plugin.
    Entrypoint(String),
    /// A program and its arguments.
    Command(Vec<String>),
}

/// Where a JSON Schema is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SchemaSource {
    /// In the manifest.
    Inline(Data),
    /// In a file of the plugin.
    File(String),
}

/// A section that a plugin adds to a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSection {
    /// Its heading.
    pub heading: String,
    /// Its text.
    pub content: String,
    /// Its place: lower comes first.
    pub priority: i64,
}

impl PromptSection {
    /// The priority of a section that names none.
    pub const DEFAULT_PRIORITY: i64 = 50;
}

/// A part of a page that a plugin can draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its type, by which a model asks for it.
    pub kind: String,
    /// What it shows.
    pub description: String,
    /// What it takes; a mapping.
    pub props: Data,
}

/// A question about data that a plugin answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryType {
    /// Its name.
    pub name: String,
    /// What it answers.
    pub description: String,
    /// The tool that answers it.
    pub tool: String,
}

/// An action of a page that a plugin handles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionHandler {
    /// The action.
    pub action: String,
    /// What it does.
    pub description: String,
    /// The tool that does it.
    pub tool: String,
}
