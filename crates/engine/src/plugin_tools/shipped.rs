//! A staged plugin with its tools: those that its manifest declares and those that its module registers.
//!
//! One that cannot be used is told with its reason, and hides none of the others.

use std::path::Path;
use std::sync::Arc;

use guild_catalog::PluginEntry;
use guild_manifest::Digest;
use guild_manifest::plugin::{SchemaSource, ToolDeclaration, ToolRun};
use guild_source::store::Stored;
use serde_json::{Value, json};

use super::{failure, module};
use crate::builtin_tools;
use crate::ports::{Tool, ToolError};
use crate::security_hash::{StagedPlugin, stage_files};
use crate::workshop::Workshop;

/// A plugin's copy and its tools.
pub(super) struct Shipped {
    pub staged: StagedPlugin,
    /// The tools that can be used.
    pub tools: Vec<Offer>,
    /// What cannot be used, and why.
    pub silent: Vec<(String, ToolError)>,
    /// The digest of the root file system that they run in.
    pub image: String,
}

/// A tool, wherever it was declared.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub name: String,
    pub description: String,
    pub run: Start,
    pub input: Value,
    pub output: Option<Value>,
    pub read_only: bool,
    pub warm: bool,
}

/// What is started.
#[derive(Debug, Clone)]
pub(super) enum Start {
    /// What the manifest says.
    Declared(ToolRun),
    /// A function of the module.
    Function {
        /// The module's path in the plugin.
        module: String,
    },
}

impl Shipped {
    /// The plugin as it is now.
    pub(super) async fn of(workshop: &Workshop<'_>, entry: &PluginEntry) -> Result<Arc<Self>, ToolError> {
        let stored = stage_files(entry, workshop.store).map_err(failure)?;
        Self::known(workshop, entry, stored).await
    }

    /// The plugin as it was staged before.
    pub(super) async fn load(
        workshop: &Workshop<'_>,
        entry: &PluginEntry,
        digest: &Digest,
    ) -> Result<Arc<Self>, ToolError> {
        let stored = workshop.store.tree(digest).map_err(|error| failure(error.into()))?;
        Self::known(workshop, entry, stored).await
    }

    /// What was read of the same files for the same image, or is read now. What cannot be used is looked at again each time.
    async fn known(
        workshop: &Workshop<'_>,
        entry: &PluginEntry,
        stored: Stored,
    ) -> Result<Arc<Self>, ToolError> {
        let image = workshop.images.resolve(None).map_err(failure)?.digest.to_string();
        let key = (entry.plugin.name.clone(), stored.digest, image.clone());
        let standbys = workshop.backends.standbys.as_ref();
        if let Some(known) = standbys.and_then(|standbys| standbys.read_before(&key)) {
            return Ok(known);
        }
        let staged = StagedPlugin::read(entry, stored).map_err(failure)?;
        let shipped = Arc::new(Self::read(workshop, staged, image).await);
        if let Some(standbys) = standbys.filter(|_| shipped.silent.is_empty()) {
            standbys.remember(key, &shipped);
        }
        Ok(shipped)
    }

    async fn read(workshop: &Workshop<'_>, staged: StagedPlugin, image: String) -> Self {
        let mut shipped = Self { staged, tools: Vec::new(), silent: Vec::new(), image };
        for declared in shipped.staged.plugin.tools.clone() {
            match declared_offer(&declared, &shipped.staged.root) {
                Ok(offer) => shipped.tools.push(offer),
                Err(error) => shipped.silent.push((declared.name, error)),
            }
        }
        if let Some(path) = shipped.staged.plugin.tools_module.clone() {
            match module::registered(workshop, &shipped, &path).await {
                Ok(offers) => offers.into_iter().for_each(|offer| shipped.add(offer)),
                Err(error) => shipped.silent.push((path, error)),
            }
        }
        shipped
    }

    /// Adds what a module registered, unless its name is somebody's.
    fn add(&mut self, offer: Offer) {
        let (name, plugin) = (offer.name.clone(), &self.staged.plugin.name);
        if builtin_tools::names().any(|own| own == name) {
            let message = format!("plugin tool `{name}` of `{plugin}` conflicts with a built-in tool");
            self.silent.push((name, ToolError::Conflict(message)));
        } else if self.tools.iter().any(|known| known.name == name) {
            let message = format!("plugin tool `{name}` of `{plugin}` is registered multiple times");
            self.silent.push((name, ToolError::Conflict(message)));
        } else {
            self.tools.push(offer);
        }
    }

    /// A tool by name, or why it cannot be used.
    pub(super) fn tool(&self, name: &str) -> Result<Option<&Offer>, ToolError> {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == name) {
            return Ok(Some(tool));
        }
        // Whether a module that does not register would have had the tool cannot be known.
        let module = self.staged.plugin.tools_module.as_deref();
        let mut silent = self.silent.iter();
        match silent.find(|(what, _)| what == name || Some(what.as_str()) == module) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(None),
        }
    }

    /// A tool as callers see it.
    pub(super) fn described(&self, name: String, tool: &Offer) -> Tool {
        Tool {
            name,
            description: tool.description.clone(),
            input: tool.input.clone(),
            output: tool.output.clone(),
            is_read_only: tool.read_only,
            code: Some(self.staged.digest.to_string()),
            image: Some(self.image.clone()),
            environment: self.environment(),
            plugin: Some(self.staged.plugin.name.clone()),
        }
    }

    /// The names of the variables that reach its tools.
    pub(super) fn environment(&self) -> Vec<String> {
        let plugin = &self.staged.plugin;
        plugin.required_env.iter().chain(&plugin.optional_env).cloned().collect()
    }
}

fn declared_offer(declared: &ToolDeclaration, root: &Path) -> Result<Offer, ToolError> {
    let schema = |source: Option<&SchemaSource>| source.map(|source| schema(source, root)).transpose();
    Ok(Offer {
        name: declared.name.clone(),
        description: declared.description.clone(),
        run: Start::Declared(declared.run.clone()),
        input: schema(declared.input_schema.as_ref())?.unwrap_or_else(|| json!({"type": "object"})),
        output: schema(declared.output_schema.as_ref())?,
        read_only: declared.read_only,
        warm: declared.warm,
    })
}

/// A schema, from the manifest or from the file that it names.
fn schema(source: &SchemaSource, root: &Path) -> Result<Value, ToolError> {
    match source {
        SchemaSource::Inline(data) => Ok(data.to_json()),
        SchemaSource::File(path) => {
            let unusable =
                |why: String| ToolError::Failed(format!("the schema `{path}` cannot be used: {why}"));
            let bytes = std::fs::read(root.join(path)).map_err(|error| unusable(error.to_string()))?;
            serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))
        }
    }
}
