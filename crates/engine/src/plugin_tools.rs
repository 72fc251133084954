//! Tools that plugins bring, in any language: `plugin:<plugin>/<tool>`.
//!
//! A plugin's tools are there once a person has switched the plugin on, and as long as the vet does not deny it. A tool is run from a
//! staged copy of the whole plugin, in a container; the digest of that copy is part of what is approved.

mod answer;
mod call;

use guild_manifest::plugin::{SchemaSource, ToolDeclaration};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

use crate::ports::{Listed, Pending, Tool, ToolAnswer, ToolCall, ToolError, ToolProvider, Unlisted};
use crate::registry::{merge, plugin_that_counts};
use crate::security_hash::{StagedPlugin, stage_plugin};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// The name of the provider.
const PROVIDER: &str = "plugin";

/// The tools of the plugins that are on.
pub struct PluginTools;

/// A tool of a staged plugin.
struct Found {
    staged: StagedPlugin,
    tool: ToolDeclaration,
    /// The agents for which the plugin is off.
    off_for: BTreeSet<String>,
}

impl ToolProvider for PluginTools {
    fn id(&self) -> &str {
        PROVIDER
    }

    fn list<'a>(&'a self, workshop: &'a Workshop<'_>) -> Pending<'a, Listed> {
        Box::pin(async move {
            let merged = match merge(workshop.hall, None) {
                Ok(merged) => merged,
                Err(refusal) => {
                    let error = failure(refusal);
                    return Listed {
                        silent: vec![Unlisted { whose: "*".to_owned(), error }],
                        ..Listed::default()
                    };
                }
            };
            let mut listed = Listed::default();
            for tool in merged.tools {
                let name = format!("{}/{}", tool.plugin, tool.name);
                match found(workshop, &name)
                    .and_then(|found| found.map(|found| found.described(&name)).transpose())
                {
                    Ok(found) => listed.tools.extend(found),
                    Err(error) => listed.silent.push(Unlisted { whose: name, error }),
                }
            }
            listed
        })
    }

    fn find<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        tool: &'a str,
    ) -> Pending<'a, Result<Option<Tool>, ToolError>> {
        Box::pin(async move { found(workshop, tool)?.map(|found| found.described(tool)).transpose() })
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        call: ToolCall<'a>,
    ) -> Pending<'a, Result<ToolAnswer, ToolError>> {
        Box::pin(async move {
            let Some(found) = found(workshop, call.tool)? else {
                return Err(ToolError::Failed(format!("there is no tool `{}`", call.tool)));
            };
            if found.off_for.contains(call.agent) {
                let (plugin, agent) = (&found.staged.plugin.name, call.agent);
                return Err(ToolError::Denied(format!("plugin `{plugin}` is off for agent `{agent}`")));
            }
            if call.code != Some(found.staged.tree.digest().to_string().as_str()) {
                let message = format!("the plugin of `{}` has changed since it was approved", call.tool);
                return Err(ToolError::Denied(message));
            }
            found.run(workshop, &call).await.map(ToolAnswer::Done)
        })
    }
}

/// The tool of this name, if its plugin is on and has it.
fn found(workshop: &Workshop<'_>, name: &str) -> Result<Option<Found>, ToolError> {
    let Some((plugin, tool)) = name.split_once('/') else {
        let message =
            format!("`plugin:{name}` names no plugin; tools of plugins are `plugin:<plugin>/<tool>`");
        return Err(ToolError::Input(message));
    };
    let Some(entry) = plugin_that_counts(workshop.hall, plugin).map_err(failure)? else { return Ok(None) };
    let staged = stage_plugin(entry, workshop.store).map_err(failure)?;
    let declared = staged.plugin.tools.iter().find(|declared| declared.name == tool).cloned();
    Ok(declared.map(|tool| Found { staged, tool, off_for: entry.switched.off_for.clone() }))
}

fn failure(refusal: Refusal) -> ToolError {
    match refusal.code {
        Code::SecurityPreflightDenied => ToolError::Denied(refusal.message),
        _ => ToolError::Unavailable(refusal.message),
    }
}

impl Found {
    fn described(&self, name: &str) -> Result<Tool, ToolError> {
        let schema = |source: Option<&SchemaSource>| {
            source.map(|source| schema(source, &self.staged.root)).transpose()
        };
        Ok(Tool {
            name: name.to_owned(),
            description: self.tool.description.clone(),
            input: schema(self.tool.input_schema.as_ref())?.unwrap_or_else(|| json!({"type": "object"})),
            output: schema(self.tool.output_schema.as_ref())?,
            is_read_only: self.tool.read_only,
            code: Some(self.staged.tree.digest().to_string()),
        })
    }
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
