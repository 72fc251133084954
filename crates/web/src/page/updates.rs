//! Updating what is installed: what would change is shown first, and exactly that is installed.
//!
//! What was shown is named by its digest in the form. A source that has moved on meanwhile is shown again instead of installed.

use axum::response::Response;
use guild_engine::manifest::Digest;
use guild_engine::reply::{Update, UpdateLine};
use guild_engine::{Code, Edits, Envelope, Status, UpdateRequest, may_install, update};

use super::diff;
use super::frame::Tab;
use super::html::{Exact, Html, Url, put};
use super::parts::chip;
use super::skill;
use super::sources::{Desk, scope};
use super::visit::Visit;

/// What may become of a person's own edits, and how that is called here.
const EDITS: &[(&str, Edits, &str)] = &[
    ("keep", Edits::Keep, "Leave it as I edited it"),
    ("replace", Edits::Replace, "Look at the update without my edits"),
    ("merge", Edits::Merge, "Look at the update merged with my edits"),
];

/// Shows what an update would do, or does what was shown.
pub(crate) async fn view(visit: Visit) -> Response {
    let seen = visit.field("plan");
    let made = updating(&visit, seen).await;
    let back = Url::of(&["sources"]);
    match made.code {
        Code::NotConfirmed | Code::SecurityPreflightDenied | Code::LocallyEdited => {}
        _ if made.status == Status::Ok || !made.data.changes.is_empty() => {
            visit.premises().catch_up().await;
            return visit.done(&made, "", &back);
        }
        _ => return visit.done(&made, "", &back),
    }
    let mut out = Html::default();
    put!(out; "<p class=\"crumbs\"><a href=\"/sources\">Sources</a></p><h1>Update</h1>");
    match made.code {
        Code::NotConfirmed if seen.is_some() => {
            put!(out; "<p class=\"notice warn\" role=\"alert\">The source has changed since you looked. Nothing was installed; this is what it holds now.</p>");
        }
        Code::NotConfirmed => {}
        code => {
            put!(out; "<p class=\"notice bad\" role=\"alert\">" {made.message} " (" {code.as_str()} ")</p>");
        }
    }
    for line in made.data.updates.iter().filter(|line| line.state == "update") {
        put!(out; {planned(line)});
    }
    for vetted in &made.data.vetted {
        put!(out; "<h2>Findings in " {vetted.name} " " {chip(if vetted.verdict == "deny" { "bad" } else { "warn" }, vetted.verdict)} "</h2>" {skill::finding_list(&vetted.findings)});
    }
    put!(out; {answers(&visit, &made)});
    visit.view(Tab::Sources, "Update", out).await
}

async fn updating(visit: &Visit, seen: Option<&str>) -> Envelope<Update> {
    let (hall, premises) = (visit.hall(), visit.premises());
    if let Err(refusal) = may_install(&premises.books, premises.now(), &visit.by).await {
        return refusal.into_envelope();
    }
    let names: Vec<String> = visit.all("name").map(str::to_owned).collect();
    let word = visit.field("edits");
    let edits =
        EDITS.iter().find(|(known, ..)| Some(*known) == word).map_or(Edits::Refuse, |(_, edits, _)| *edits);
    let confirm = |reply: &Update| seen.is_some_and(|seen| seen == plan(reply));
    let workshop = premises.workshop(&hall);
    let desk = Desk::new(&workshop);
    let installer = desk.installer(&workshop, Some((visit.by.clone(), premises.now())));
    let scope = scope(visit.field("scope"));
    let request = UpdateRequest { names: &names, scope, edits, agreed: false, confirm: Some(&confirm) };
    update(&installer, &request).await
}

/// Names everything that a person is shown.
fn plan(reply: &Update) -> String {
    let text = serde_json::to_string(&(&reply.updates, &reply.vetted)).unwrap_or_default();
    Digest::of(text.as_bytes()).to_hex()
}

/// What an update does to one thing.
fn planned(line: &UpdateLine) -> Html {
    let mut out = Html::default();
    let short = |text: &Option<String>| text.as_deref().unwrap_or("-").chars().take(19).collect::<String>();
    put!(out; "<section class=\"card\"><h2>" {line.name} " " {chip("", line.kind)} "</h2><p class=\"dim\"><code>" {short(&line.from)} "</code> → <code>" {short(&line.to)} "</code>");
    if line.edits != "none" {
        put!(out; " " {chip("warn", &format!("your edits are {}", line.edits))});
    }
    out.markup("</p>");
    if line.comparison.capabilities.is_empty() {
        put!(out; "<p>It may do no more than before.</p>");
    } else {
        put!(out; "<h3>What it may do</h3>" {diff::capabilities(&line.comparison)});
    }
    put!(out; "<h3>Files <span class=\"count\">" {line.comparison.files.len()} "</span></h3>" {diff::files(&line.comparison, true)} "</section>");
    out
}

/// What a person can say to it: yes to exactly this, or what becomes of their edits.
fn answers(visit: &Visit, made: &Envelope<Update>) -> Html {
    let mut out = visit.form(&Url::of(&["sources", "update"]));
    for name in visit.all("name") {
        put!(out; "<input type=\"hidden\" name=\"name\" value=\"" {Exact(name)} "\">");
    }
    put!(out; "<input type=\"hidden\" name=\"scope\" value=\"" {visit.field("scope").map(Exact)} "\"><div class=\"answers\">");
    match made.code {
        Code::NotConfirmed => {
            put!(out; "<input type=\"hidden\" name=\"edits\" value=\"" {visit.field("edits").map(Exact)} "\">"
                "<button class=\"main\" name=\"plan\" value=\"" {plan(&made.data)} "\">Update to exactly this</button>");
        }
        Code::LocallyEdited => {
            for (word, _, label) in EDITS {
                put!(out; "<button name=\"edits\" value=\"" {*word} "\">" {*label} "</button>");
            }
        }
        _ => {}
    }
    put!(out; "<a class=\"button\" href=\"/sources\">Leave it</a></div></form>");
    out
}
