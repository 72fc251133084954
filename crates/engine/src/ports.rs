//! What the engine asks of those around it: tools, skills to take, child agents, a person's answer.
//!
//! Each is an interface that an adapter implements; the engine knows none of them by name. A future that is dropped is a call
//! that was cancelled.

mod approver;
mod guest;
mod inquirer;
mod shelf;
mod subagent;
mod tool;

use std::future::Future;
use std::pin::Pin;

pub use approver::{Answer, Approver, Question};
pub use guest::{Guest, GuestAnswer, GuestCall, GuestError, GuestNote};
pub use inquirer::{Inquirer, Said};
pub use shelf::{OfferedFile, OfferedSkill, Shelf};
pub use subagent::{OfferedTool, SubagentError, SubagentRunner, SubagentTask, ToolWord, Toolbox};
pub use tool::{
    Contained, Content, Listed, Tool, ToolAnswer, ToolCall, ToolError, ToolProvider, ToolResult, Unlisted,
};

/// What is on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
