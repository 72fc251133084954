//! Who asked for something: a person or an agent, with a role, and the way the asking came.
//!
//! Which of them may do what is decided above; here they are recorded.

use serde::{Deserialize, Serialize};

/// Who a call comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// A person or an agent.
    pub kind: PrincipalKind,
    /// The agent that is spoken for.
    pub agent: String,
    /// What they may do.
    pub role: Role,
    /// How the call came: `terminal`, `flag`, `mcp`, `http`, …
    pub via: String,
}

/// The ways a call can come that decisions depend on.
pub mod via {
    /// A person at a terminal, who was shown what they decide about.
    pub const TERMINAL: &str = "terminal";
    /// A person's command without a terminal.
    pub const FLAG: &str = "flag";
    /// An agent's command.
    pub const COMMAND: &str = "command";
    /// A person's answer that an agent's program has forwarded.
    pub const ELICITATION: &str = "elicitation";
    /// What a person had decided before, and a process that was killed had not finished.
    pub const JOURNAL: &str = "journal";
}

/// The agent that is spoken for where nobody names one.
pub const DEFAULT_AGENT: &str = "default";

impl Principal {
    /// Whoever sits at this machine: a person, and on a machine of one's own its admin.
    pub fn person(via: impl Into<String>) -> Self {
        let (kind, role) = (PrincipalKind::Person, Role::Admin);
        Self { kind, agent: DEFAULT_AGENT.to_owned(), role, via: via.into() }
    }

    /// The agent of this id, which may ask and look, and decides nothing.
    pub fn agent(id: impl Into<String>, via: impl Into<String>) -> Self {
        Self { kind: PrincipalKind::Agent, agent: id.into(), role: Role::Viewer, via: via.into() }
    }

    /// Whether it is an agent, so that what it asks for waits for a person.
    pub fn is_agent(&self) -> bool {
        self.kind == PrincipalKind::Agent
    }
}

/// Whether somebody decides, or something asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    /// A human being.
    Person,
    /// A program that acts for one.
    Agent,
}

/// What a principal may do, each role including the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// May look.
    Viewer,
    /// May answer requests for approval.
    Operator,
    /// May change what is installed or trusted.
    Admin,
}

impl PrincipalKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }
}

impl Role {
    /// Every role, the least first.
    pub const ALL: &'static [Self] = &[Self::Viewer, Self::Operator, Self::Admin];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}
