//! What is written into a host's file: which program it starts, for which agent.

use serde_json::{Value, json};

/// The server as a host starts it.
pub(super) struct Entry<'a> {
    /// The program.
    pub program: &'a str,
    /// The agent's id.
    pub agent: &'a str,
}

impl Entry<'_> {
    /// What stands behind the program.
    pub fn arguments(&self) -> [&str; 3] {
        ["mcp", "--agent", self.agent]
    }
}

/// `command` and `args`, as most hosts want it.
pub(super) fn command_and_args(entry: &Entry<'_>) -> Value {
    json!({"command": entry.program, "args": entry.arguments()})
}

/// The same with the transport named.
pub(super) fn typed(entry: &Entry<'_>) -> Value {
    json!({"type": "stdio", "command": entry.program, "args": entry.arguments()})
}

/// One list of words.
pub(super) fn one_list(entry: &Entry<'_>) -> Value {
    let [first, second, third] = entry.arguments();
    json!({"type": "local", "command": [entry.program, first, second, third], "enabled": true})
}
