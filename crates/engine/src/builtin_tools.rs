//! The tools that every installation has: a little arithmetic, and looking at skills.
//!
//! All of them only look. What an agent may not see, they do not show it.

mod arithmetic;
mod skills;

use serde_json::{Map, Value};

use crate::hall::Hall;
use crate::ports::{Listed, Pending, Tool, ToolAnswer, ToolCall, ToolError, ToolProvider, ToolResult};
use crate::workshop::Workshop;

/// The name of the provider.
pub const PROVIDER: &str = "builtin";

/// The provider of our own tools.
pub struct BuiltinTools;

/// Who asks, and what there is.
struct Asked<'h> {
    hall: &'h Hall,
    agent: &'h str,
}

/// One of our own tools.
struct Builtin {
    name: &'static str,
    description: &'static str,
    input: fn() -> Value,
    output: fn() -> Value,
    run: fn(&Asked<'_>, &Map<String, Value>) -> Result<ToolResult, ToolError>,
}

const TOOLS: &[Builtin] = &[
    arithmetic::ADD,
    arithmetic::SUBTRACT,
    arithmetic::MULTIPLY,
    skills::READ_FILE,
    skills::LIST_FILES,
    skills::SEARCH,
];

impl Builtin {
    fn described(&self) -> Tool {
        Tool {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            input: (self.input)(),
            output: Some((self.output)()),
            is_read_only: true,
            code: None,
            image: None,
            environment: Vec::new(),
            plugin: None,
        }
    }
}

/// The names of our own tools, which no plugin's may have.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

fn find(name: &str) -> Option<&'static Builtin> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl ToolProvider for BuiltinTools {
    fn id(&self) -> &str {
        PROVIDER
    }

    fn list<'a>(&'a self, _: &'a Workshop<'_>) -> Pending<'a, Listed> {
        let tools = TOOLS.iter().map(Builtin::described).collect();
        Box::pin(async move { Listed { tools, ..Listed::default() } })
    }

    fn find<'a>(
        &'a self,
        _: &'a Workshop<'_>,
        tool: &'a str,
    ) -> Pending<'a, Result<Option<Tool>, ToolError>> {
        Box::pin(async move { Ok(find(tool).map(Builtin::described)) })
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        call: ToolCall<'a>,
    ) -> Pending<'a, Result<ToolAnswer, ToolError>> {
        Box::pin(async move {
            let tool = find(call.tool)
                .ok_or_else(|| ToolError::Failed(format!("there is no tool `{}`", call.tool)))?;
            (tool.run)(&Asked { hall: workshop.hall, agent: call.agent }, call.input).map(ToolAnswer::Done)
        })
    }
}
