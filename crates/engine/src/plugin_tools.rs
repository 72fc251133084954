//! Tools that plugins bring, in any language: `plugin:<plugin>/<tool>`.
//!
//! A plugin's tools are there once a person has switched the plugin on, and as long as the vet does not deny it. A tool is run from a
//! staged copy of the whole plugin, in a container; the digest of that copy is part of what is approved.

mod answer;
mod call;
mod contained;
mod kit;
mod module;
mod shipped;
mod standby;
mod worker;

use crate::ports::{Listed, Pending, Tool, ToolAnswer, ToolCall, ToolError, ToolProvider, Unlisted};
use crate::registry::{Claims, gather, plugin_that_counts, plugin_that_is_on};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

use shipped::Shipped;

pub(crate) use standby::Standbys;

/// The name of the provider.
const PROVIDER: &str = "plugin";

/// The tools of the plugins that are on.
pub struct PluginTools;

impl ToolProvider for PluginTools {
    fn id(&self) -> &str {
        PROVIDER
    }

    fn is_fixed_by_code(&self) -> bool {
        true
    }

    fn list<'a>(&'a self, workshop: &'a Workshop<'_>) -> Pending<'a, Listed> {
        Box::pin(async move {
            let merged = match gather(workshop.hall, None) {
                Ok(merged) => merged,
                Err(refusal) => return nobody("*".to_owned(), failure(refusal)),
            };
            let mut listed = Listed::default();
            let mut claims = Claims::default();
            for plugin in merged.plugins {
                let Some(entry) = plugin_that_is_on(workshop.hall, &plugin.name) else { continue };
                let shipped = match Shipped::of(workshop, entry).await {
                    Ok(shipped) => shipped,
                    Err(error) => {
                        listed.silent.push(Unlisted { whose: plugin.name, error });
                        continue;
                    }
                };
                for tool in &shipped.tools {
                    let name = format!("{}/{}", plugin.name, tool.name);
                    match claims.claim(&tool.name, &plugin.name) {
                        Ok(()) => listed.tools.push(shipped.described(name, tool)),
                        Err(claimed) => {
                            let error = ToolError::Conflict(claimed.to_string());
                            listed.silent.push(Unlisted { whose: name, error });
                        }
                    }
                }
                let whose = |what: &String| format!("{}/{what}", plugin.name);
                let silent = shipped.silent.iter();
                listed.silent.extend(
                    silent.map(|(what, error)| Unlisted { whose: whose(what), error: error.clone() }),
                );
            }
            listed
        })
    }

    fn find<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        tool: &'a str,
    ) -> Pending<'a, Result<Option<Tool>, ToolError>> {
        Box::pin(async move {
            let (plugin, name) = named(tool)?;
            let Some(entry) = plugin_that_counts(workshop.hall, plugin).map_err(failure)? else {
                return Ok(None);
            };
            let shipped = Shipped::of(workshop, entry).await?;
            Ok(shipped.tool(name)?.map(|found| shipped.described(tool.to_owned(), found)))
        })
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        call: ToolCall<'a>,
    ) -> Pending<'a, Result<ToolAnswer, ToolError>> {
        Box::pin(async move {
            let (plugin, name) = named(call.tool)?;
            let missing = || ToolError::Failed(format!("there is no tool `{}`", call.tool));
            let entry = plugin_that_is_on(workshop.hall, plugin).ok_or_else(missing)?;
            if entry.switched.off_for.contains(call.agent) {
                let agent = call.agent;
                return Err(ToolError::Denied(format!("plugin `{plugin}` is off for agent `{agent}`")));
            }
            let approved = call.code.and_then(|code| code.parse().ok());
            let approved = approved.ok_or_else(|| {
                ToolError::Denied(format!("nobody has approved the code of `{}`", call.tool))
            })?;
            let shipped = Shipped::load(workshop, entry, &approved).await?;
            let tool = shipped.tool(name)?.ok_or_else(missing)?;
            shipped.run(workshop, tool, &call).await.map(ToolAnswer::Done)
        })
    }
}

fn nobody(whose: String, error: ToolError) -> Listed {
    Listed { silent: vec![Unlisted { whose, error }], ..Listed::default() }
}

/// The plugin and the tool of a name.
fn named(name: &str) -> Result<(&str, &str), ToolError> {
    name.split_once('/').ok_or_else(|| {
        let message =
            format!("`plugin:{name}` names no plugin; tools of plugins are `plugin:<plugin>/<tool>`");
        ToolError::Input(message)
    })
}

fn failure(refusal: Refusal) -> ToolError {
    match refusal.code {
        Code::SecurityPreflightDenied => ToolError::Denied(refusal.message),
        _ => ToolError::Unavailable(refusal.message),
    }
}
