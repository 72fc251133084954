//! What a skill tells hosts and people beyond what Guildhall acts on now.
//!
//! None of it grants or forbids anything.

use super::{Form, flag, list_of, text_of};
use crate::tree::{Data, Map, Node};
use crate::{Problem, coerce};
use serde::{Deserialize, Serialize};

/// Keys that hosts interpret, kept typed so that every surface can show them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// Licence, free text.
    pub license: Option<String>,
    /// What the skill needs around it, free text.
    pub compatibility: Option<String>,
    /// Where it lives on the web.
    pub homepage: Option<String>,
    /// What to show where arguments are typed.
    pub argument_hint: Option<String>,
    /// Names for `$name` in the body, in order.
    pub arguments: Vec<String>,
    /// Tools that a subagent is scoped to; it grants nothing.
    pub allowed_tools: Vec<String>,
    /// Tools that are taken away while the skill is active.
    pub disallowed_tools: Vec<String>,
    /// The model to use.
    pub model: Option<String>,
    /// How hard the model should think.
    pub effort: Option<String>,
    /// The type of agent that runs a forked skill.
    pub agent: Option<String>,
    /// Whether a forked skill runs in the background.
    pub background: Option<bool>,
    /// The shell of injected commands.
    pub shell: Option<String>,
    /// Hooks of other hosts, as written.
    pub hooks: Option<Data>,
}

/// Reads the hints; `None` where there is none of them. Those of a plain file are few.
pub fn read(map: &Map, form: Form, is_plain: bool, problems: &mut Vec<Problem>) -> Option<Hints> {
    let mut hints = Hints {
        license: text_of(map, "license", problems),
        compatibility: text_of(map, "compatibility", problems),
        allowed_tools: tools(map, "allowed-tools", problems),
        ..Hints::default()
    };
    if !is_plain {
        hints.fill(map, form, problems);
    }
    (hints != Hints::default()).then_some(hints)
}

impl Hints {
    /// Adds those that plain files do not have.
    fn fill(&mut self, map: &Map, form: Form, problems: &mut Vec<Problem>) {
        self.homepage = text_of(map, "homepage", problems);
        self.argument_hint = text_of(map, "argument-hint", problems).map(|hint| hint.replace('\n', " "));
        self.arguments = list_of(map, "arguments", problems);
        self.disallowed_tools = tools(map, "disallowed-tools", problems);
        self.model = text_of(map, "model", problems);
        self.effort = text_of(map, "effort", problems);
        self.agent = text_of(map, "agent", &mut Vec::new());
        self.background = flag(map, "background", problems);
        self.shell = text_of(map, "shell", problems);
        self.hooks = map.get("hooks").filter(|node| !node.is_null()).map(Node::to_data);
        if form == Form::Agent && self.allowed_tools.is_empty() {
            self.allowed_tools = tools(map, "tools", problems);
        }
    }
}

/// Names of tools, which hold blanks in brackets only.
fn tools(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    match map.get(key).filter(|node| node.as_scalar().is_some()) {
        Some(node) => coerce::names(node),
        None => list_of(map, key, problems),
    }
}
