//! Tools, prompt sections, components, query types and action handlers, and whether they agree with each other.

use crate::fold::nearest;
use crate::plugin::contribution::{
    ActionHandler, Capability, Component, PromptSection, QueryType, SchemaSource, ToolDeclaration, ToolRun,
};
use crate::plugin::dialect::NameRule;
use crate::plugin::fields::Fields;
use crate::plugin::inspection::shown;
use crate::plugin::model::Plugin;
use crate::tree::{Data, Node, parse_int};
use crate::{Code, Problem};

/// The longest name of a tool; models' interfaces take no longer one.
const LONGEST_TOOL_NAME: usize = 64;

/// Every key that a tool may have.
const TOOL_KEYS: [&str; 8] =
    ["name", "description", "entrypoint", "command", "inputSchema", "outputSchema", "readOnly", "warm"];

/// Reads everything that the plugin contributes.
pub(super) fn read(fields: &mut Fields<'_>, plugin: &mut Plugin) {
    let declared = tools(fields, plugin);
    let usable: Vec<&str> = plugin.tools.iter().map(|tool| tool.name.as_str()).collect();
    let tools = Tools { declared: &declared, usable: &usable };
    plugin.prompt_sections =
        objects(fields, "promptSections").into_iter().filter_map(prompt_section).collect();
    plugin.components = objects(fields, "components").into_iter().filter_map(component).collect();
    let query_types =
        objects(fields, "queryTypes").into_iter().filter_map(|parts| query_type(parts, tools)).collect();
    let action_handlers = objects(fields, "actionHandlers")
        .into_iter()
        .filter_map(|parts| action_handler(parts, tools))
        .collect();
    (plugin.query_types, plugin.action_handlers) = (query_types, action_handlers);
    check_capabilities(fields, plugin);
}

/// The names of a plugin's tools: those that its manifest declares, and of these the ones that can be used.
#[derive(Clone, Copy)]
struct Tools<'a> {
    declared: &'a [String],
    usable: &'a [&'a str],
}

/// Reads the tools, as a list or keyed by name, and returns every name declared, of unusable tools too.
fn tools<'a>(fields: &mut Fields<'a>, plugin: &mut Plugin) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let declared: Vec<(Option<String>, Fields<'a>)> = match fields.peek("tools").and_then(Node::as_map) {
        None => objects(fields, "tools").into_iter().map(|parts| (None, parts)).collect(),
        Some(map) => {
            fields.take("tools");
            let pairs = map.entries().iter();
            let within = pairs.map(|entry| {
                let parts = fields.within(&format!("tools.{}", entry.key), &entry.value)?;
                Some((Some(entry.key.clone()), parts))
            });
            within.flatten().collect()
        }
    };
    for (key, mut parts) in declared {
        let Some(name) = tool_name(key, &mut parts) else { continue };
        if names.contains(&name) {
            let message = format!("the tool `{}` is declared twice", shown(&name));
            parts.refuse(parts.at(), message, "give each tool a name of its own");
            continue;
        }
        plugin.tools.extend(tool(name.clone(), &mut parts));
        names.push(name);
    }
    names
}

fn tool_name(key: Option<String>, parts: &mut Fields<'_>) -> Option<String> {
    let name = match key {
        Some(key) => key,
        None => parts.required("name")?,
    };
    if !NameRule::Word.allows(&name) || name.len() > LONGEST_TOOL_NAME {
        let message = format!("`{}` is no name of a tool", shown(&name));
        let hint = format!("use at most {LONGEST_TOOL_NAME} {}", NameRule::Word.in_words());
        parts.refuse(parts.at_key("name"), message, hint);
    }
    Some(name)
}

fn tool(name: String, parts: &mut Fields<'_>) -> Option<ToolDeclaration> {
    let description = parts.required("description");
    let run = run(parts);
    let input = schema(parts, ["inputSchema", "input"]);
    let output = schema(parts, ["outputSchema", "output"]);
    let read_only = parts.flag("readOnly").unwrap_or(false);
    let warm = parts.flag("warm").unwrap_or(false);
    parts.report_unknown(&TOOL_KEYS);
    // A tool whose schema cannot be had would run unchecked, so it is left out.
    let (input_schema, output_schema) = (input?, output?);
    Some(ToolDeclaration {
        name,
        description: description?,
        run: run?,
        input_schema,
        output_schema,
        read_only,
        warm,
    })
}

fn run(parts: &mut Fields<'_>) -> Option<ToolRun> {
    match (parts.take("entrypoint"), parts.take("command")) {
        (Some(node), None) => {
            let place = parts.as_text("entrypoint", node)?;
            let label = parts.named("entrypoint");
            let file =
                parts.inspection.existing(&label, (&place, node.at), |files, path| files.is_file(path));
            file.map(ToolRun::Entrypoint)
        }
        (None, Some(node)) => command(parts, node).map(ToolRun::Command),
        (None, None) => {
            let message = format!("`{}` says neither `entrypoint` nor `command`", parts.name());
            parts.refuse(parts.at(), message, "name the file or the command that is run");
            None
        }
        (Some(_), Some(node)) => {
            let message = format!("`{}` has both an `entrypoint` and a `command`", parts.name());
            parts.refuse(node.at, message, "keep one of the two");
            None
        }
    }
}

/// A program and its arguments; one text is the program alone, for nobody can say how it would be split.
fn command(parts: &Fields<'_>, node: &Node) -> Option<Vec<String>> {
    let words: Option<Vec<String>> = match node.as_list() {
        Some(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        None => {
            node.as_str().filter(|word| !word.contains(char::is_whitespace)).map(|word| vec![word.to_owned()])
        }
    };
    let words = words.filter(|words| words.first().is_some_and(|program| !program.is_empty()));
    if words.is_none() {
        let message = format!("`{}` is no list of a program and its arguments", parts.named("command"));
        parts.refuse(node.at, message, "write a list, such as [\"python3\", \"tool.py\"]");
    }
    words
}

/// The schema under either key, none if there is none; no answer if it was refused.
fn schema(parts: &mut Fields<'_>, keys: [&str; 2]) -> Option<Option<SchemaSource>> {
    let Some(node) = parts.take_any(&keys) else { return Some(None) };
    let [key, _] = keys;
    match (node.as_map(), node.as_str()) {
        (Some(map), _) => Some(Some(SchemaSource::Inline(map.to_data()))),
        (None, Some(place)) => {
            let label = parts.named(key);
            let file =
                parts.inspection.existing(&label, (place, node.at), |files, path| files.is_file(path))?;
            Some(Some(SchemaSource::File(file)))
        }
        (None, None) => {
            parts.wrong(key, node, "a JSON Schema or the path of one");
            None
        }
    }
}

fn prompt_section(mut parts: Fields<'_>) -> Option<PromptSection> {
    let (heading, content) = (parts.required("heading"), parts.required("content"));
    let priority = match parts.take("priority") {
        None => Some(PromptSection::DEFAULT_PRIORITY),
        Some(node) => {
            let number = node.as_scalar().filter(|_| node.as_str().is_none());
            let number = number.and_then(|scalar| parse_int(&scalar.text));
            if number.is_none() {
                parts.wrong("priority", node, "a whole number");
            }
            number
        }
    };
    parts.report_unknown(&["heading", "content", "priority"]);
    Some(PromptSection { heading: heading?, content: content?, priority: priority? })
}

fn component(mut parts: Fields<'_>) -> Option<Component> {
    let (kind, description) = (parts.required("type"), parts.required("description"));
    let props = match parts.peek("props") {
        None => Some(Data::Map(Vec::new())),
        Some(_) => parts.data("props"),
    };
    parts.report_unknown(&["type", "description", "props"]);
    Some(Component { kind: kind?, description: description?, props: props? })
}

fn query_type(mut parts: Fields<'_>, tools: Tools<'_>) -> Option<QueryType> {
    let (name, description) = (parts.required("name"), parts.required("description"));
    let tool = known_tool(&mut parts, tools);
    parts.report_unknown(&["name", "description", "tool"]);
    Some(QueryType { name: name?, description: description?, tool: tool? })
}

fn action_handler(mut parts: Fields<'_>, tools: Tools<'_>) -> Option<ActionHandler> {
    let (action, description) = (parts.required("action"), parts.required("description"));
    let tool = known_tool(&mut parts, tools);
    parts.report_unknown(&["action", "description", "tool"]);
    Some(ActionHandler { action: action?, description: description?, tool: tool? })
}

/// The tool that does the work: one of the plugin's own, or another provider's by its full name.
fn known_tool(parts: &mut Fields<'_>, tools: Tools<'_>) -> Option<String> {
    let tool = parts.required("tool")?;
    if tool.contains(':') || tools.usable.contains(&tool.as_str()) {
        return Some(tool);
    }
    let at = parts.at_key("tool");
    if tools.declared.contains(&tool) {
        let message = format!("`{}` is `{}`, which cannot be used either", parts.named("tool"), shown(&tool));
        parts.inspection.report(Problem::new(Code::PluginField, at, message, "mend the tool first"));
        return None;
    }
    let message = format!("`{}` is `{}`, which `tools` does not declare", parts.named("tool"), shown(&tool));
    let hint = match nearest(&tool, tools.usable.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "declare it, or name its provider too, such as `builtin:read`".to_owned(),
    };
    parts.refuse(at, message, hint);
    Some(tool)
}

/// What a plugin contributes it has to declare: a person is shown the declaration before they let it in.
fn check_capabilities(fields: &Fields<'_>, plugin: &Plugin) {
    let contributed = [
        (Capability::Tools, "tools", !plugin.tools.is_empty()),
        (Capability::Tools, "toolsModule", plugin.tools_module.is_some()),
        (Capability::Prompt, "promptSections", !plugin.prompt_sections.is_empty()),
        (Capability::Components, "components", !plugin.components.is_empty()),
        (Capability::Queries, "queryTypes", !plugin.query_types.is_empty()),
        (Capability::Actions, "actionHandlers", !plugin.action_handlers.is_empty()),
    ];
    for (capability, key, given) in contributed {
        if given && !plugin.capabilities.contains(&capability) {
            let word = capability.as_str();
            let message = format!("`{key}` is given, but `capabilities` does not name `{word}`");
            fields.refuse(fields.at_key(key), message, format!("add \"{word}\" to `capabilities`"));
        }
    }
}

/// The objects in the list under `key`.
fn objects<'a>(fields: &mut Fields<'a>, key: &str) -> Vec<Fields<'a>> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let Some(items) = node.as_list() else {
        fields.wrong(key, node, "a list of objects");
        return Vec::new();
    };
    let labelled = items.iter().enumerate();
    labelled.filter_map(|(index, item)| fields.within(&format!("{key}[{index}]"), item)).collect()
}
