//! Approvals: what waits for a person, with everything that the decision is about.
//!
//! The first thing that a person sees. What they answer is written down by the engine, once, whoever else is asked too.

use axum::extract::Path;
use axum::response::Response;
use guild_engine::reply::{Comparison, GrantLine, RequestLine};
use guild_engine::{
    ANSWER, Decision, Shown, ShownFinding, answer as give, command_line, counted, decide as answer,
    grants_lift, grants_list, grants_revoke, is_management, request, request_contents, requests,
};

use super::answering;
use super::diff;
use super::frame::Tab;
use super::html::{Html, Url, put};
use super::parts::{empty, fact, when};
use super::visit::Visit;

/// What waits.
pub(crate) async fn list(visit: Visit) -> Response {
    let premises = visit.premises();
    let waiting = requests(&premises.books, premises.now()).await;
    if waiting.code != guild_engine::Code::Ok {
        return visit.refuse(Tab::Approvals, guild_engine::Refusal::new(waiting.code, waiting.message)).await;
    }
    let requests = waiting.data.requests;
    let asked = requests.clone();
    let contents = visit.beside(move |premises, _| {
        asked.iter().map(|asked| request_contents(premises.store(), asked).ok()).collect::<Vec<_>>()
    });
    let contents = contents.await.unwrap_or_default();
    let grants = grants_list(&premises.books, premises.now()).await.data.grants;
    let mut out = Html::default();
    put!(out; "<h1>Approvals</h1><div data-live>");
    if requests.is_empty() {
        put!(out; {empty("Nothing waits for you.", "When an agent asks to run a skill, it appears here at once.")});
    }
    for (request, contents) in requests.iter().zip(contents.iter().chain(std::iter::repeat(&None))) {
        put!(out; {card(&visit, request, contents.as_ref())});
    }
    put!(out; {standing(&visit, &grants)} "</div>");
    visit.view(Tab::Approvals, "Approvals", out).await
}

/// A person's answer.
pub(crate) async fn decide(Path(id): Path<String>, visit: Visit) -> Response {
    if visit.field("decision") == Some("answer") {
        return fill_in(&id, &visit).await;
    }
    let decision = match visit.field("decision") {
        Some("once") => Some(Decision::Once),
        Some("always") => Some(Decision::Always),
        Some("deny") => None,
        _ => return visit.told(false, "Nothing was decided.".to_owned(), &Url::of(&[])),
    };
    let decided =
        answer(visit.premises(), &id, decision.map(|decision| (decision, None)), visit.by.clone()).await;
    let done = decided.data.request.as_ref().map(|request| {
        let what = format!("{} of {} for {}", request.action, request.skill, request.agent);
        match decision {
            Some(Decision::Once) => format!("Allowed once: {what}."),
            Some(Decision::Always) => format!("Allowed from now on: {what}."),
            None => format!("Denied: {what}."),
        }
    });
    visit.done(&decided, &done.unwrap_or_default(), &Url::of(&[]))
}

/// What a person has filled in.
async fn fill_in(id: &str, visit: &Visit) -> Response {
    let (premises, by) = (visit.premises(), visit.by.clone());
    let waits = request(&premises.books, premises.now(), id).await.ok();
    let asks = waits.and_then(|waits| Shown::read(&waits.shown)?.asks).unwrap_or_default();
    let values = answering::filled_in(visit, &asks);
    let decided = give(&premises.books, premises.now(), id, &values, by).await;
    visit.done(&decided, "Sent to the tool that asked.", &Url::of(&[]))
}

/// Takes back a grant, or a denial.
pub(crate) async fn end(Path(id): Path<String>, visit: Visit) -> Response {
    let (premises, by) = (visit.premises(), visit.by.clone());
    let ended = match visit.field("mode") {
        Some("deny") => grants_lift(&premises.books, premises.now(), &id, by).await,
        _ => grants_revoke(&premises.books, premises.now(), &id, by).await,
    };
    visit.done(&ended, "Taken back; it will be asked again.", &Url::of(&[]))
}

fn card(visit: &Visit, request: &RequestLine, contents: Option<&Comparison>) -> Html {
    let mut out = Html::default();
    let shown = Shown::read(&request.shown);
    put!(out; "<article class=\"card request\" id=\"" {request.id} "\" aria-labelledby=\"h-" {request.id} "\"><h2 id=\"h-" {request.id} "\"><span class=\"who\">"
        {request.agent} "</span> asks to " {request.action} " <a href=\"" {Url::of(&["skills", &request.skill])} "\">" {request.skill} "</a></h2>"
        "<p class=\"dim\">asked " {when(&request.at)} " by " {request.by.kind} " via " {request.by.via} " · expires " {when(&request.expires)} "</p>");
    match &shown {
        Some(shown) => put!(out; {matter(request, shown, contents)}),
        // Another program has asked, in words of its own.
        None => put!(out; "<pre class=\"command\">" {request.shown.to_string()} "</pre>"),
    }
    put!(out; {buttons(visit, request, shown.as_ref())} "</article>");
    out
}

/// What would happen.
fn matter(request: &RequestLine, shown: &Shown, contents: Option<&Comparison>) -> Html {
    let mut out = shown.asks.as_ref().map(answering::question).unwrap_or_default();
    if !shown.command.is_empty() {
        put!(out; "<h3>Exact command</h3><pre class=\"command\">" {command_line(&shown.command)} "</pre>");
    }
    let danger = shown.findings.iter().filter(|finding| finding.severity == "deny").count();
    if !shown.findings.is_empty() {
        put!(out; "<h3>Findings <span class=\"count " {if danger > 0 { "bad" } else { "warn" }} "\">" {shown.findings.len()} "</span></h3>" {findings(&shown.findings)});
    }
    put!(out; {changes(shown, contents)} "<h3>What it gets and may use</h3><dl class=\"facts\">");
    for (name, value) in &shown.parameters {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        put!(out; "<div><dt>parameter <b>" {name} "</b></dt><dd><code>" {text} "</code></dd></div>");
    }
    for needed in &shown.capabilities {
        put!(out; "<div><dt>" {needed.name} "</dt><dd>" {needed.value});
        if needed.is_new {
            out.markup(" <span class=\"chip warn\">new</span>");
        }
        out.markup("</dd></div>");
    }
    if !shown.source.is_empty() {
        put!(out; {fact("source", &shown.source)});
    }
    put!(out; {fact("works in", &request.workspace)});
    if let Some(hash) = &request.security_hash {
        put!(out; "<div><dt>hash</dt><dd><code class=\"hash\">" {hash} "</code></dd></div>");
    }
    out.markup("</dl>");
    out
}

/// What has changed since it was approved, or all of it.
fn changes(shown: &Shown, contents: Option<&Comparison>) -> Html {
    let mut out = Html::default();
    let Some(contents) = contents else {
        if shown.approved.is_some() {
            put!(out; "<p class=\"notice warn\">Another state was approved before, and what has changed since is no longer known here.</p>");
        }
        return out;
    };
    if shown.approved.is_some() {
        put!(out; "<h3>Changed since you approved it <span class=\"count warn\">" {contents.files.len()} "</span></h3>" {diff::capabilities(contents)} {diff::files(contents, true)});
    } else if !contents.files.is_empty() {
        put!(out; "<details class=\"all\"");
        if diff::is_short(contents) {
            out.markup(" open");
        }
        put!(out; "><summary>Never approved before: read all of it, " {counted(contents.files.len(), "file")} "</summary>" {diff::files(contents, true)} "</details>");
    }
    out
}

/// What the vet found.
pub(crate) fn findings(findings: &[ShownFinding]) -> Html {
    let mut out = Html::default();
    out.markup("<ul class=\"findings\">");
    for finding in findings {
        put!(out; "<li class=\"" {if finding.severity == "deny" { "bad" } else { "warn" }} "\"><p><span class=\"chip\">" {finding.severity} "</span> " {finding.message}
            "</p><p class=\"dim\"><code>" {finding.code} "</code> in <code>" {finding.path} ":" {finding.line} "</code></p>");
        if !finding.evidence.is_empty() {
            put!(out; "<pre>" {finding.evidence} "</pre>");
        }
        out.markup("</li>");
    }
    out.markup("</ul>");
    out
}

fn buttons(visit: &Visit, request: &RequestLine, shown: Option<&Shown>) -> Html {
    let mut out = visit.form(&Url::of(&["approvals", &request.id]));
    let id = &request.id;
    let asks = shown.and_then(|shown| shown.asks.as_ref()).filter(|_| request.action == ANSWER);
    if let Some(asks) = asks {
        put!(out; {answering::fields(id, asks)} "<div class=\"answers\"><button class=\"main\" name=\"decision\" value=\"answer\" id=\"once-" {id} "\">Send</button>"
            "<button class=\"danger\" name=\"decision\" value=\"deny\" id=\"deny-" {id} "\" formnovalidate>Decline</button></div></form>");
        return out;
    }
    put!(out; "<div class=\"answers\">");
    if is_management(&request.action) {
        put!(out; "<button class=\"main\" name=\"decision\" value=\"once\" id=\"once-" {id} "\">Approve</button>");
    } else if shown.is_some() {
        put!(out; "<button class=\"main\" name=\"decision\" value=\"once\" id=\"once-" {id} "\">Allow once</button>"
            "<button name=\"decision\" value=\"always\" id=\"always-" {id} "\" aria-describedby=\"note-" {id} "\">Allow always</button>");
    }
    put!(out; "<button class=\"danger\" name=\"decision\" value=\"deny\" id=\"deny-" {id} "\">Deny</button></div>");
    if !is_management(&request.action) {
        put!(out; "<p class=\"dim\" id=\"note-" {id} "\">Always: this agent, this state of the skill, this workspace. A denial holds until the skill changes or you take it back.</p>");
    }
    out.markup("</form>");
    out
}

/// What was decided and holds.
fn standing(visit: &Visit, grants: &[GrantLine]) -> Html {
    let mut out = Html::default();
    if grants.is_empty() {
        return out;
    }
    put!(out; "<h2>What holds <span class=\"count\">" {grants.len()} "</span></h2><div class=\"scroll\"><table><thead><tr><th>Skill</th><th>Agent</th><th>Decision</th><th>Since</th><th><span class=\"hidden\">Take back</span></th></tr></thead><tbody>");
    for grant in grants.iter().rev() {
        let form = visit.form(&Url::of(&["grants", &grant.id]));
        put!(out; "<tr><td><a href=\"" {Url::of(&["skills", &grant.skill])} "\">" {grant.skill} "</a></td><td>" {grant.agent} "</td><td><span class=\"chip "
            {if grant.mode == "deny" { "bad" } else { "good" }} "\">" {grant.mode} "</span></td><td>" {when(&grant.at)} "</td><td class=\"end\">" {form}
            "<input type=\"hidden\" name=\"mode\" value=\"" {grant.mode} "\"><button class=\"quiet\">" {if grant.mode == "deny" { "Lift" } else { "Revoke" }} "<span class=\"hidden\"> for " {grant.skill} "</span></button></form></td></tr>");
    }
    out.markup("</tbody></table></div>");
    out
}
