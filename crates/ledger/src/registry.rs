//! The registry: what is installed here, whether it is on, for whom it is off, and how it is set.
//!
//! Each state of a skill or plugin is a signed record, begun by one receipt and ended by the next, so that nobody brings an old
//! state back unseen. The tables `plugins`, `plugin_config` and `plugin_events` hold the same for finding and reading, and are
//! changed in the same transaction. What being on means, and who may change it, is decided above.

mod begin;
mod change;
mod identity;
mod known;
mod read;
mod rows;
mod settle;

use std::collections::BTreeMap;

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

pub use change::{Arrival, Change, RegistryError};
pub use identity::plugin_id;
pub use read::{ConfigValue, PluginEvent};
pub(crate) use rows::columns;

use crate::record::{Lookup, Record};
use crate::{Principal, RegistrationId, Timestamp};

/// The kind of these records.
pub(crate) const REGISTRATION: &str = "registration";

/// A skill or plugin as the registry knows it, in one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    /// The name of this state.
    pub id: RegistrationId,
    /// The stable id of the skill or plugin: [`plugin_id`] of its source.
    pub plugin: String,
    /// What it is, where it comes from and where it lies.
    #[serde(flatten)]
    pub subject: Subject,
    /// Whether it is on.
    pub status: Status,
    /// Why it is not, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who switched it on; nobody while it is off, or on by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<Switch>,
    /// The agents that it is off for although it is on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub off_for: BTreeMap<String, Switch>,
    /// What is set, without the values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config: BTreeMap<String, Configured>,
    /// When it was installed, or first met.
    pub installed_at: Timestamp,
    /// When this state began.
    pub updated_at: Timestamp,
}

/// What a skill or plugin is, where it comes from and where it lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// A skill or a plugin.
    pub kind: SubjectKind,
    /// Its qualified name.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its version, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// By what way it came.
    pub source_type: SourceType,
    /// What was asked for: a path, `owner/repo/name`, a package.
    pub source: String,
    /// What that was at the time: a commit, a version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
    /// The digest of its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Where it lies: a directory or file, or `builtin:` and a name.
    pub place: String,
    /// What it says it contributes.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The environment variables that it cannot do without.
    #[serde(default)]
    pub required_env: Vec<String>,
}

/// Who threw a switch, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// Who.
    pub by: Principal,
    /// When.
    pub at: Timestamp,
}

/// That a key is set, and to what, as far as that may be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configured {
    /// Whether the value is encrypted.
    #[serde(default)]
    pub encrypted: bool,
    /// The digest of the value as it is kept.
    pub digest: Digest,
    /// Since when.
    pub at: Timestamp,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    )*};
}

words! {
    /// Whether it is one skill or a plugin.
    SubjectKind {
        /// A skill.
        Skill = "skill",
        /// A plugin.
        Plugin = "plugin",
    }

    /// Whether it is on.
    Status {
        /// It is on.
        Enabled = "enabled",
        /// It is off.
        Disabled = "disabled",
        /// It is off, because it could not be switched on or off.
        Error = "error",
    }

    /// By what way something came here.
    SourceType {
        /// It is part of Guildhall.
        Builtin = "builtin",
        /// It was found on this machine.
        Local = "local",
        /// A package of npm.
        Npm = "npm",
        /// `owner/repo` of a forge.
        Skills = "skills",
        /// Any git repository.
        Git = "git",
        /// An archive.
        Archive = "archive",
        /// A site's own index.
        WellKnown = "well-known",
        /// An artifact of an OCI registry.
        Oci = "oci",
        /// A skill that an MCP server offers.
        Mcp = "mcp",
        /// An entry of a marketplace.
        Marketplace = "marketplace",
        /// A Python package.
        Pypi = "pypi",
    }

    /// What happened to a skill or plugin.
    EventType {
        /// It was installed, updated, or first met.
        Installed = "installed",
        /// It was switched on, for everybody or an agent.
        Enabled = "enabled",
        /// It was switched off, for everybody or an agent.
        Disabled = "disabled",
        /// A value was set or unset.
        Configured = "configured",
        /// It could not be switched on or off.
        Error = "error",
        /// It was removed; only the receipt of that stays.
        Uninstalled = "uninstalled",
    }
}

impl Registration {
    /// Whether it is on for this agent, or on at all where none is named.
    pub fn is_on_for(&self, agent: Option<&str>) -> bool {
        self.status == Status::Enabled && agent.is_none_or(|agent| !self.off_for.contains_key(agent))
    }
}

impl Record for Registration {
    fn kind(&self) -> &'static str {
        REGISTRATION
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup { id: self.id.to_string(), skill: Some(&self.plugin), ..Lookup::default() }
    }
}
