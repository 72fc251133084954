//! Agents: what each may use, the prompt that it gets, and what that costs.

use axum::response::Response;
use guild_engine::manifest::config::Allowlist;
use guild_engine::{Hall, PromptRequest, counted, prompt};

use super::charts;
use super::frame::Tab;
use super::html::{Html, put};
use super::parts::{chip, empty, fact};
use super::skill;
use super::visit::Visit;

/// Characters to a token, as a common estimate for English.
const CHARACTERS_A_TOKEN: usize = 4;

/// Every agent.
pub(crate) async fn view(visit: Visit) -> Response {
    let agents = skill::agents(&visit).await;
    match visit.beside(move |_, hall| page(hall, &agents)).await {
        Ok(body) => visit.view(Tab::Agents, "Agents", body).await,
        Err(refusal) => visit.refuse(Tab::Agents, refusal).await,
    }
}

fn page(hall: &Hall, agents: &[String]) -> Html {
    let mut out = Html::default();
    put!(out; "<h1>Agents</h1><p class=\"lead\">What each agent may use stands in your configuration under <code>[agents]</code>; an agent that nobody configured is <b>default</b>.</p>");
    if agents.is_empty() {
        put!(out; {empty("No agent is known.", "guild token create --agent NAME lets one in.")});
    }
    let mut cards = Html::default();
    let mut costs = Vec::new();
    for agent in agents {
        let (tokens, card) = card(hall, agent);
        costs.push((agent.clone(), tokens));
        put!(cards; {card});
    }
    put!(out; {charts::bars("Tokens of each agent's catalog", &costs)} {cards});
    out
}

fn card(hall: &Hall, agent: &str) -> (usize, Html) {
    let request = PromptRequest { agent, format: None, budget: None, file: None };
    let made = prompt(hall, &request);
    let data = &made.data;
    let tokens = data.characters.div_ceil(CHARACTERS_A_TOKEN);
    let mut out = Html::default();
    put!(out; "<article class=\"card\"><h2>" {agent} " ");
    if !hall.config.agents.contains_key(agent) {
        put!(out; {chip("", "as default")});
    }
    put!(out; "</h2><dl class=\"facts\">");
    match hall.config.allowlist(agent) {
        Allowlist::Everything => put!(out; {fact("allowlist", "everything that is on and usable")}),
        Allowlist::Only(names) if names.is_empty() => put!(out; {fact("allowlist", "nothing")}),
        Allowlist::Only(names) => put!(out; {fact("allowlist", &names.join(", "))}),
    }
    put!(out; {fact("skills", &format!("{} in its prompt, of {}", data.shown, counted(data.available, "skill")))}
        {fact("cost", &format!("about {tokens} tokens ({} characters)", data.characters))});
    if !made.message.is_empty() {
        put!(out; {fact("note", &made.message)});
    }
    put!(out; "</dl><details><summary>The prompt</summary><pre tabindex=\"0\">" {data.text} "</pre></details></article>");
    (tokens, out)
}
