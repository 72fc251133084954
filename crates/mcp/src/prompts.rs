//! Skills that people call by name, as prompts: clients make commands of them.

use guild_engine::{HeldSkill, RenderRequest, Status, held_page, load};
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResult,
    ListPromptsResult, Prompt, PromptArgument, PromptMessage, Reference, Role,
};
use serde_json::Value;

use crate::outcome;
use crate::resources::page;
use crate::server::Server;

/// Skills on a page.
const PAGE: usize = 100;
/// The one argument of a skill that names none.
const REST: &str = "arguments";

/// A page of them.
pub(crate) fn list(server: &Server, cursor: Option<String>) -> Result<ListPromptsResult, ErrorData> {
    let hall = server.hall();
    let (held, next) = held_page(&hall, server.agent(), (page(cursor)?, PAGE));
    let for_people = held.iter().filter(|skill| skill.entry().skill.user_invocable);
    let mut result = ListPromptsResult::with_all_items(for_people.map(prompt).collect());
    result.next_cursor = next.map(|next| next.to_string());
    Ok(result)
}

/// A skill's text, with what was given filled in.
pub(crate) async fn get(
    server: &Server,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let (hall, caller) = (server.hall(), server.principal());
    let given = request.arguments.unwrap_or_default();
    let words: Vec<String> = given.values().flat_map(words).collect();
    let asked = RenderRequest { name: &request.name, arguments: &words, caller: &caller };
    let loaded = load(&hall, &server.premises().books, server.premises().now(), &asked).await;
    match loaded.status {
        Status::Ok => Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, loaded.data.text)])),
        Status::Error => Err(ErrorData::invalid_params(outcome::said(loaded.code, &loaded.message), None)),
    }
}

/// Names of skills, where an address wants one; of what a skill takes nobody knows more than its words.
pub(crate) fn complete(
    server: &Server,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let names = match &request.r#ref {
        Reference::Resource(_) if request.argument.name == "skill" => names(server, &request.argument.value),
        _ => Vec::new(),
    };
    let info = CompletionInfo::new(names).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

fn names(server: &Server, begun: &str) -> Vec<String> {
    let hall = server.hall();
    let skills = guild_engine::offered(&hall, server.agent());
    let names = skills.iter().map(|entry| entry.qualified_name().into_owned());
    names.filter(|name| name.starts_with(begun)).take(CompletionInfo::MAX_VALUES).collect()
}

fn prompt(skill: &HeldSkill<'_>) -> Prompt {
    let named = skill.argument_names();
    let arguments = if named.is_empty() { vec![REST.to_owned()] } else { named };
    let arguments = arguments.into_iter().map(|name| PromptArgument::new(name).with_required(false));
    let entry = skill.entry();
    Prompt::new(entry.qualified_name(), Some(entry.skill.description.clone()), Some(arguments.collect()))
}

/// The words of one argument; several of an only one.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text.split_whitespace().map(str::to_owned).collect(),
        other => vec![other.to_string()],
    }
}
