//! Workspace changes: what skills have written aside, as a difference to apply or to drop.

use axum::extract::Path;
use axum::response::Response;
use guild_engine::reply::ChangesShow;
use guild_engine::{
    ApplyRequest, Refusal, Status, changes_apply, changes_drop, changes_list, changes_show, counted,
};

use super::diff;
use super::frame::Tab;
use super::html::{Html, Url, put};
use super::parts::{chip, empty};
use super::visit::Visit;

/// The change sets that wait.
pub(crate) async fn list(visit: Visit) -> Response {
    let listed = visit.beside(|premises, hall| changes_list(premises.workshop(hall).places)).await;
    let listed = match listed {
        Ok(listed) if listed.status == Status::Ok => listed.data,
        Ok(listed) => return visit.refuse(Tab::Changes, Refusal::new(listed.code, listed.message)).await,
        Err(refusal) => return visit.refuse(Tab::Changes, refusal).await,
    };
    let mut out = Html::default();
    put!(out; "<h1>Workspace changes</h1><div data-live>");
    if listed.changes.is_empty() {
        put!(out; {empty("No changes wait.", "A skill that writes to the workspace writes aside; what it wrote is shown here before anything is applied.")});
    } else {
        out.markup("<ul class=\"rows\">");
    }
    for set in &listed.changes {
        put!(out; "<li><div class=\"what\"><a href=\"" {Url::of(&["changes", &set.id])} "\">" {set.directory} "</a> ");
        if set.sensitive > 0 {
            put!(out; {chip("bad", &format!("{} sensitive", set.sensitive))});
        }
        put!(out; "<p class=\"dim\">" {set.added} " added, " {set.changed} " changed, " {set.deleted} " deleted · <code>" {set.id} "</code></p></div></li>");
    }
    if !listed.changes.is_empty() {
        out.markup("</ul>");
    }
    for reason in &listed.unusable {
        put!(out; "<p class=\"notice warn\">" {reason} "</p>");
    }
    out.markup("</div>");
    visit.view(Tab::Changes, "Changes", out).await
}

/// One change set, file by file.
pub(crate) async fn show(Path(id): Path<String>, visit: Visit) -> Response {
    let asked = id.clone();
    let shown =
        visit.beside(move |premises, hall| changes_show(premises.workshop(hall).places, &asked)).await;
    match shown {
        Ok(shown) if shown.status == Status::Ok => {
            let body = page(&visit, &id, &shown.data);
            visit.view(Tab::Changes, "Changes", body).await
        }
        Ok(shown) => visit.refuse(Tab::Changes, Refusal::new(shown.code, shown.message)).await,
        Err(refusal) => visit.refuse(Tab::Changes, refusal).await,
    }
}

/// A person's decision.
pub(crate) async fn decide(Path(id): Path<String>, visit: Visit) -> Response {
    let (hall, premises) = (visit.hall(), visit.premises());
    let workshop = premises.workshop(&hall);
    let (books, now, by) = (&premises.books, premises.now(), visit.by.clone());
    let back = Url::of(&["changes"]);
    match visit.field("decision") {
        Some("apply") => {
            let request = ApplyRequest { id: &id, sensitive: visit.field("sensitive").is_some() };
            let applied = changes_apply(workshop.places, books, now, request, by).await;
            let to = if applied.data.done { back } else { Url::of(&["changes", &id]) };
            visit.done(&applied, "Applied to the workspace.", &to)
        }
        Some("drop") => {
            let dropped = changes_drop(workshop.places, books, now, &id, by).await;
            visit.done(&dropped, "Dropped; the workspace is as it was.", &back)
        }
        _ => visit.told(false, "Nothing was decided.".to_owned(), &back),
    }
}

fn page(visit: &Visit, id: &str, shown: &ChangesShow) -> Html {
    let mut out = Html::default();
    let Some(summary) = &shown.summary else { return out };
    put!(out; "<p class=\"crumbs\"><a href=\"/changes\">Changes</a></p><h1>" {counted(shown.changes.len(), "path")} " in " {summary.directory} "</h1>");
    for refused in &summary.refused {
        put!(out; "<p class=\"notice bad\"><code>" {refused.path} "</code> is never applied: " {refused.reason} "</p>");
    }
    put!(out; {visit.form(&Url::of(&["changes", id]))} "<div class=\"answers\">");
    if summary.sensitive > 0 {
        put!(out; "<label><input type=\"checkbox\" name=\"sensitive\" value=\"1\"> I have looked at what decides what agents and machines do: " {counted(summary.sensitive, "file")} "</label>");
    }
    put!(out; "<button class=\"main\" name=\"decision\" value=\"apply\">Apply</button><button class=\"danger\" name=\"decision\" value=\"drop\">Drop</button></div></form>");
    for change in &shown.changes {
        if change.sensitive {
            put!(out; "<p class=\"notice warn\"><code>" {change.path} "</code> decides what agents or machines do.</p>");
        }
        put!(out; {diff::change(change)});
    }
    out
}
