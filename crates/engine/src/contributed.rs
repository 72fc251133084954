//! Questions about data and actions of a page, which plugins answer by their tools: `query_data` and `handle_action`.
//!
//! Each becomes a call of the tool that the plugin names for it, with everything that such a call takes; nothing is answered here.

use crate::registry::gather;
use crate::run::{ToolRequest, tools_call};
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, reply};

/// Asks a question of this type; the tool of the request is chosen here.
pub async fn query_data(
    workshop: &Workshop<'_>,
    name: &str,
    request: ToolRequest<'_>,
) -> Envelope<reply::Run> {
    let known = gather(workshop.hall, Some(&request.principal.agent)).map(|merged| {
        let queries = merged.query_types.into_iter();
        queries.map(|query| Known { name: query.name, tool: query.tool, plugin: query.plugin }).collect()
    });
    answered(workshop, "type of query", name, known, request).await
}

/// Handles an action of this name; the tool of the request is chosen here.
pub async fn handle_action(
    workshop: &Workshop<'_>,
    name: &str,
    request: ToolRequest<'_>,
) -> Envelope<reply::Run> {
    let known = gather(workshop.hall, Some(&request.principal.agent)).map(|merged| {
        let actions = merged.action_handlers.into_iter();
        actions
            .map(|action| Known { name: action.action, tool: action.tool, plugin: action.plugin })
            .collect()
    });
    answered(workshop, "action", name, known, request).await
}

/// Something that a plugin answers, and by which tool.
struct Known {
    name: String,
    tool: String,
    plugin: String,
}

async fn answered(
    workshop: &Workshop<'_>,
    what: &str,
    name: &str,
    known: Result<Vec<Known>, Refusal>,
    request: ToolRequest<'_>,
) -> Envelope<reply::Run> {
    match known.and_then(|known| tool(what, name, &known)) {
        Ok(tool) => tools_call(workshop, ToolRequest { tool: &tool, ..request }).await,
        Err(refusal) => Envelope::error(refusal.code, refusal.message, reply::Run::nothing(name)),
    }
}

/// The tool for a name; one that two plugins have is called `plugin/name`.
fn tool(what: &str, name: &str, known: &[Known]) -> Result<String, Refusal> {
    let is_meant = |one: &&Known| one.name == name || format!("{}/{}", one.plugin, one.name) == name;
    let mut meant = known.iter().filter(is_meant);
    let all = |known: &[Known]| {
        let names: Vec<String> = known.iter().map(|one| format!("`{}/{}`", one.plugin, one.name)).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    match (meant.next(), meant.next()) {
        (Some(found), None) => Ok(found.tool.clone()),
        (Some(_), Some(_)) => {
            let message = format!("several plugins know the {what} `{name}`; there are: {}", all(known));
            Err(Refusal::new(Code::ToolConflict, message))
        }
        (None, _) => {
            let message =
                format!("no plugin that is on knows the {what} `{name}`; there are: {}", all(known));
            Err(Refusal::new(Code::ProviderToolUnregistered, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_one_tool_or_to_none() {
        let one = |plugin: &str, name: &str| Known {
            name: name.to_owned(),
            tool: format!("plugin:{plugin}/t"),
            plugin: plugin.to_owned(),
        };
        let known = [one("a", "rain"), one("b", "rain"), one("b", "sun")];
        let told = |name: &str| tool("action", name, &known).map_err(|refusal| refusal.code.as_str());
        assert_eq!(told("sun"), Ok("plugin:b/t".to_owned()));
        assert_eq!(told("a/rain"), Ok("plugin:a/t".to_owned()));
        assert_eq!(told("rain"), Err("tool_conflict"));
        assert_eq!(told("snow"), Err("provider_tool_unregistered"));
    }
}
