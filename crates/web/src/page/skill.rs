//! One skill: what it says, what it may do, where it came from, what is wrong with it, and what became of its runs.

use std::collections::BTreeSet;

use axum::extract::Path;
use axum::response::Response;
use guild_engine::ledger::{Filter, SubjectKind};
use guild_engine::reply::{Detail, FindingLine, ReceiptLine, Vetted};
use guild_engine::{
    Code, Hall, Premises, ReceiptsRequest, Refusal, Target, ToggleRequest, VetRequest, counted, hash,
    receipts_list, show, toggle, token_list, vet,
};

use super::frame::Tab;
use super::html::{Exact, Html, Url, put};
use super::markdown;
use super::parts::{chip, fact, shortened};
use super::runs;
use super::skills::status;
use super::visit::Visit;

/// Receipts that are looked at for the rate of success, and shown.
const LOOKED_AT: usize = 100;
const SHOWN: usize = 10;

/// Everything about one skill.
pub(crate) async fn view(Path(name): Path<String>, visit: Visit) -> Response {
    let agents = agents(&visit).await;
    let filter = Filter { skill: Some(name.clone()), ..Filter::default() };
    let request = ReceiptsRequest { filter, limit: LOOKED_AT, after: None };
    let receipts = receipts_list(&visit.premises().books, &request).await.data.receipts;
    let form = visit.form(&Url::of(&["skills", &name, "toggle"]));
    let run = visit.form(&Url::of(&["skills", &name, "run"]));
    let asked = name.clone();
    let made = visit
        .beside(move |premises, hall| page(premises, hall, &asked, Around { agents, receipts, form, run }))
        .await;
    match made {
        Ok(Ok(body)) => visit.view(Tab::Skills, &name, body).await,
        Ok(Err(refusal)) | Err(refusal) => visit.refuse(Tab::Skills, refusal).await,
    }
}

/// Switches a skill, for everybody or for one agent.
pub(crate) async fn switch(Path(name): Path<String>, visit: Visit) -> Response {
    let (hall, premises) = (visit.hall(), visit.premises());
    let (on, agent, user) = (visit.field("on") == Some("1"), visit.field("agent"), hall.user());
    let kind = Some(SubjectKind::Skill);
    let request = ToggleRequest { kind, agent, ..ToggleRequest::new(&name, on, &visit.by, &user) };
    let switched = toggle(&premises.workshop(&hall), request).await;
    premises.catch_up().await;
    let back = if agent.is_some() { Url::of(&["skills", &name]) } else { Url::of(&["skills"]) };
    let back = if visit.field("back").is_some() { Url::of(&["skills", &name]) } else { back };
    visit.done(&switched, "", &back)
}

/// The agents that there are: those that are configured, and those with a token.
pub(crate) async fn agents(visit: &Visit) -> Vec<String> {
    let premises = visit.premises();
    let tokens = token_list(&premises.books, premises.now()).await.data.tokens;
    let named = tokens.into_iter().filter_map(|token| token.agent);
    let all: BTreeSet<String> = visit.hall().config.agents.keys().cloned().chain(named).collect();
    all.into_iter().collect()
}

/// What is not in the hall.
struct Around {
    agents: Vec<String>,
    receipts: Vec<ReceiptLine>,
    form: Html,
    /// The beginning of the form that runs it.
    run: Html,
}

fn page(premises: &Premises, hall: &Hall, name: &str, around: Around) -> Result<Html, Refusal> {
    let shown = show(hall, name);
    let Some(skill) = shown.data.skill else {
        return Err(Refusal::new(shown.code, shown.message));
    };
    let name = skill.summary.qualified_name.as_ref();
    let request = VetRequest { target: Target::Named(vec![name.to_owned()]), progress: &|_, _| {} };
    let vetted = vet(hall, &request).data.skills.into_iter().next();
    let workshop = premises.workshop(hall);
    let hashed = hash(hall, workshop.images, workshop.places, name);
    let security_hash = hashed.data.security_hash.unwrap_or(hashed.message);
    let mut out = Html::default();
    put!(out; "<p class=\"crumbs\"><a href=\"/skills\">Skills</a></p><div class=\"top\"><h1>" {name} "</h1> " {status(&skill.summary)});
    if matches!(skill.summary.scope, "project" | "user") && skill.summary.plugin.is_none() {
        put!(out; " <a class=\"button\" href=\"" {Url::of(&["editor"]).with("skill", name)} "\">Edit</a>");
    }
    put!(out; "</div><p class=\"lead\">" {shortened(skill.summary.description)} "</p>");
    if let Some(off) = skill.summary.off {
        put!(out; "<p class=\"notice warn\">It is off: " {off} "</p>");
    }
    for unmet in skill.summary.unmet {
        put!(out; "<p class=\"notice warn\">" {unmet} "</p>");
    }
    put!(out; "<div class=\"split\"><div>" {wrong(&skill, vetted.as_ref())} "<section aria-label=\"Instructions\"><h2>Instructions</h2><div class=\"prose card\">"
        {markdown::rendered(&skill.body)} "</div></section></div><aside>" {super::jobs::form(&around.run, &skill)} {switches(&skill, &around)} {contract(&skill)} {origin(&skill, &security_hash)}
        "</aside></div>" {ran(&around.receipts)});
    Ok(out)
}

/// Problems and findings.
fn wrong(skill: &Detail<'_>, vetted: Option<&Vetted>) -> Html {
    let mut out = Html::default();
    let findings = vetted.map(|vetted| vetted.findings.as_slice()).unwrap_or_default();
    if !findings.is_empty() {
        put!(out; "<h2>Findings <span class=\"count warn\">" {findings.len()} "</span></h2>" {finding_list(findings)});
    }
    if !skill.diagnostics.is_empty() {
        put!(out; "<h2>Problems <span class=\"count warn\">" {skill.diagnostics.len()} "</span></h2>" {super::parts::problems(&skill.diagnostics)});
    }
    out
}

/// What the vet found, with what to do.
pub(crate) fn finding_list(findings: &[FindingLine]) -> Html {
    let mut out = Html::default();
    out.markup("<ul class=\"findings\">");
    for finding in findings {
        put!(out; "<li class=\"" {if finding.severity == "deny" { "bad" } else { "warn" }} "\"><p><span class=\"chip\">" {finding.severity} "</span> " {finding.message}
            "</p><p class=\"dim\"><code>" {finding.code} "</code> in <code>" {finding.path} ":" {finding.line} "</code></p><pre>" {finding.evidence} "</pre><p class=\"dim\">" {finding.advice} "</p></li>");
    }
    out.markup("</ul>");
    out
}

/// For whom it is on.
fn switches(skill: &Detail<'_>, around: &Around) -> Html {
    let mut out = Html::default();
    let name = skill.summary.qualified_name.as_ref();
    put!(out; "<section class=\"card\"><h2>On for</h2><ul class=\"rows tight\"><li><div class=\"what\">everybody</div>" {around.form}
        "<input type=\"hidden\" name=\"back\" value=\"1\">" {button("everybody", skill.summary.enabled)} "</form></li>");
    for agent in &around.agents {
        let is_on = !skill.summary.off_for.contains(&agent.as_str());
        put!(out; "<li><div class=\"what\">" {agent} "</div>" {around.form} "<input type=\"hidden\" name=\"agent\" value=\"" {Exact(agent)} "\">" {button(agent, is_on)} "</form></li>");
    }
    put!(out; "</ul><p class=\"dim\">An agent's allowlist counts too: see <a href=\"/agents\">Agents</a>. Command: <code>guild disable " {name} " --agent NAME</code></p></section>");
    out
}

fn button(whom: &str, is_on: bool) -> Html {
    let mut out = Html::default();
    put!(out; "<button class=\"switch\" role=\"switch\" aria-checked=\"" {if is_on { "true" } else { "false" }} "\" name=\"on\" value=\"" {if is_on { "0" } else { "1" }}
        "\" id=\"on-" {whom} "\"><span class=\"hidden\">on for " {whom} "</span></button>");
    out
}

fn contract(skill: &Detail<'_>) -> Html {
    let mut out = Html::default();
    let contract = &skill.contract;
    put!(out; "<section class=\"card\"><h2>Contract</h2><dl class=\"facts\">" {fact("workspace", contract.workspace)} {fact("network", contract.network)});
    if !contract.env.is_empty() {
        put!(out; {fact("environment", &contract.env.join(", "))});
    }
    if !contract.tools.is_empty() {
        put!(out; {fact("tools", &contract.tools.join(", "))});
    }
    if let Some(script) = skill.script {
        put!(out; {fact("script", script)});
    }
    put!(out; {fact("image", contract.image_role)} {fact("time-out", &format!("{} s", skill.timeout_seconds))});
    for param in &skill.params {
        put!(out; "<div><dt>parameter <b>" {param.name} "</b></dt><dd>" {param.kind} {if param.required { ", required" } else { "" }});
        if let Some(description) = param.description {
            put!(out; "<br><span class=\"dim\">" {description} "</span>");
        }
        out.markup("</dd></div>");
    }
    out.markup("</dl>");
    if !contract.declared {
        put!(out; "<p class=\"dim\">It declares nothing, so the safest defaults hold.</p>");
    }
    out.markup("</section>");
    out
}

fn origin(skill: &Detail<'_>, security_hash: &str) -> Html {
    let mut out = Html::default();
    put!(out; "<section class=\"card\"><h2>Origin</h2><dl class=\"facts\">" {fact("scope", skill.summary.scope)});
    if let Some(plugin) = skill.summary.plugin {
        put!(out; "<div><dt>plugin</dt><dd><a href=\"" {Url::of(&["plugins", plugin])} "\">" {plugin} "</a></dd></div>");
    }
    put!(out; "<div><dt>file</dt><dd><code>" {skill.summary.path.to_string()} "</code></dd></div><div><dt>security hash</dt><dd><code class=\"hash\">" {security_hash} "</code></dd></div>");
    for shadowed in &skill.shadows {
        put!(out; "<div><dt>shadows</dt><dd><code>" {shadowed.to_string_lossy()} "</code></dd></div>");
    }
    put!(out; "</dl><details><summary>" {counted(skill.files.len(), "file")} "</summary><ul class=\"plain\">");
    for file in skill.files.iter().take(200) {
        put!(out; "<li><code>" {file} "</code></li>");
    }
    out.markup("</ul></details></section>");
    out
}

/// Its runs, and how many of them went well.
fn ran(receipts: &[ReceiptLine]) -> Html {
    let mut out = Html::default();
    let ended: Vec<&ReceiptLine> = receipts.iter().filter(|receipt| receipt.kind == "finished").collect();
    let good = ended.iter().filter(|receipt| receipt.code == Code::Ok.as_str()).count();
    put!(out; "<h2>Runs</h2>");
    if receipts.is_empty() {
        put!(out; "<p class=\"dim\">It has not been run, loaded or asked for.</p>");
        return out;
    }
    if !ended.is_empty() {
        let class = if good == ended.len() { "good" } else { "warn" };
        put!(out; "<p>" {chip(class, &format!("{good} of {} succeeded", ended.len()))} " <span class=\"dim\">among the last " {counted(receipts.len(), "receipt")} "</span></p>");
    }
    put!(out; {runs::table(receipts.iter().take(SHOWN))});
    out
}
