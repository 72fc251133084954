//! Who has a tool's name: Guildhall itself, or one of the plugins that are on.
//!
//! Whoever comes first has it. What becomes of the one who comes later is for the caller to say.

use std::collections::BTreeMap;

use guild_catalog::PluginEntry;
use thiserror::Error;

use super::merged::plugins_that_are_on;
use crate::hall::Hall;
use crate::{Code, Refusal, builtin_tools};

/// The names that are somebody's.
#[derive(Debug)]
pub(crate) struct Claims(BTreeMap<String, Owner>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    Guildhall,
    Plugin(String),
}

/// A name that is somebody's already.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum Claimed {
    #[error(
        "the tool `{tool}` is claimed by Guildhall itself and by plugin `{plugin}`, which has to name it otherwise"
    )]
    ByUs { tool: String, plugin: String },
    #[error(
        "the tool `{tool}` is claimed by plugin `{owner}` and by plugin `{plugin}`; only one of them can be on (`guild disable`)"
    )]
    ByPlugin { tool: String, owner: String, plugin: String },
}

impl Default for Claims {
    fn default() -> Self {
        Self(builtin_tools::names().map(|name| (name.to_owned(), Owner::Guildhall)).collect())
    }
}

impl Claims {
    /// Claims a name for a plugin.
    pub(crate) fn claim(&mut self, tool: &str, plugin: &str) -> Result<(), Claimed> {
        let (tool, plugin) = (tool.to_owned(), plugin.to_owned());
        match self.0.get(&tool).cloned() {
            None => {
                self.0.insert(tool, Owner::Plugin(plugin));
                Ok(())
            }
            Some(Owner::Guildhall) => Err(Claimed::ByUs { tool, plugin }),
            Some(Owner::Plugin(owner)) => Err(Claimed::ByPlugin { tool, owner, plugin }),
        }
    }
}

impl From<Claimed> for Refusal {
    fn from(claimed: Claimed) -> Self {
        Self::new(Code::ToolConflict, claimed.to_string())
    }
}

/// Whether the tools that a plugin declares would be nobody else's. Which a module has is known only once it may run.
pub(super) fn can_be_claimed(hall: &Hall, entry: &PluginEntry) -> Result<(), Refusal> {
    let mut claims = Claims::default();
    let others = plugins_that_are_on(hall).filter(|other| other.plugin.name != entry.plugin.name);
    for other in others {
        for tool in &other.plugin.tools {
            // Those that are on and collide are told elsewhere, and nothing is new about them.
            claims.claim(&tool.name, &other.plugin.name).ok();
        }
    }
    for tool in &entry.plugin.tools {
        claims.claim(&tool.name, &entry.plugin.name)?;
    }
    Ok(())
}
