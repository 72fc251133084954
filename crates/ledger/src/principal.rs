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
