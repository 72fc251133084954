//! Where a skill came from. The order is the precedence: what stands first wins.
//!
//! It ranks no two skills of one scope; the order of the roots does.

use serde::{Deserialize, Serialize};

/// Where a skill or plugin came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// The project and its ancestors up to the repository root.
    Project,
    /// Paths a person configured.
    Custom,
    /// The home directory.
    User,
    /// The machine.
    System,
    /// Paths configured to come after all others.
    Extra,
    /// A plugin.
    Plugin,
    /// Guildhall itself.
    Builtin,
}

impl Scope {
    /// Every scope, in order.
    pub const ALL: &'static [Self] =
        &[Self::Project, Self::Custom, Self::User, Self::System, Self::Extra, Self::Plugin, Self::Builtin];

    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Custom => "custom",
            Self::User => "user",
            Self::System => "system",
            Self::Extra => "extra",
            Self::Plugin => "plugin",
            Self::Builtin => "builtin",
        }
    }

    /// The scope of that name; `session` and `global` are read as `project` and `user`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "session" => Some(Self::Project),
            "global" => Some(Self::User),
            _ => Self::ALL.iter().copied().find(|scope| scope.as_str() == name),
        }
    }
}
