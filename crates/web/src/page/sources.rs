//! Sources: what is installed and from where, and adding more, which is looked at before anything is there.

use axum::response::Response;
use guild_engine::ledger::Timestamp;
use guild_engine::reply::{Add, CandidateLine, InstalledLine};
use guild_engine::{
    AddRequest, Choice, Envelope, HostGit, InstallScope, Installer, Principal, Registrar, RemoveRequest,
    Status, Workshop, add, counted, installed, may_install, remove,
};

use super::frame::Tab;
use super::html::{Exact, Html, Url, put};
use super::parts::{chip, empty};
use super::visit::Visit;
use super::{plugins, skill};

/// What is installed, and a form for more.
pub(crate) async fn list(visit: Visit) -> Response {
    let (hall, premises) = (visit.hall(), visit.premises());
    let workshop = premises.workshop(&hall);
    let desk = Desk::new(&workshop);
    let there = installed(&desk.installer(&workshop, None)).await.data;
    let mut out = Html::default();
    put!(out; "<h1>Sources</h1>" {ask(&visit, "", "")} "<h2>Installed <span class=\"count\">" {there.count} "</span></h2><div data-live>");
    if there.installed.is_empty() {
        put!(out; {empty("Nothing is installed.", "What you add is pinned by its content, and shown here with where it came from.")});
    } else {
        out.markup("<ul class=\"rows\">");
        for line in &there.installed {
            put!(out; {row(&visit, line)});
        }
        out.markup("</ul>");
    }
    out.markup("</div>");
    visit.view(Tab::Sources, "Sources", out).await
}

/// What a source holds; nothing of it is installed.
pub(crate) async fn preview(visit: Visit) -> Response {
    let listed = adding(&visit, Choice::List).await;
    let source = visit.field("source").unwrap_or_default();
    let mut out = Html::default();
    put!(out; "<p class=\"crumbs\"><a href=\"/sources\">Sources</a></p><h1>Add from a source</h1>" {ask(&visit, source, visit.field("ref").unwrap_or_default())});
    if listed.status == Status::Error {
        put!(out; "<p class=\"notice bad\" role=\"alert\">" {listed.message} " (" {listed.code.as_str()} ")</p>");
    } else {
        put!(out; {choice(&visit, source, &listed.data)});
    }
    visit.view(Tab::Sources, "Add from a source", out).await
}

/// Installs what was chosen.
pub(crate) async fn install(visit: Visit) -> Response {
    let names: Vec<String> = visit.all("name").map(str::to_owned).collect();
    if names.is_empty() {
        return visit.told(false, "Nothing was chosen.".to_owned(), &Url::of(&["sources"]));
    }
    let added = adding(&visit, Choice::Named(names)).await;
    visit.premises().catch_up().await;
    let mut out = Html::default();
    put!(out; "<p class=\"crumbs\"><a href=\"/sources\">Sources</a></p><h1>" {if added.status == Status::Ok { "Installed" } else { "Not installed" }} "</h1>");
    let class = if added.status == Status::Ok { "notice good" } else { "notice bad" };
    put!(out; "<p class=\"" {class} "\" role=\"status\">" {added.message} "</p><ul class=\"rows\">");
    for change in &added.data.installed {
        put!(out; "<li><div class=\"what\"><b>" {change.name} "</b> " {chip("", change.kind)} " " {chip(if change.status == Some("enabled") { "good" } else { "" }, change.status.unwrap_or("off"))}
            "<p class=\"dim\"><code class=\"hash\">" {change.digest} "</code></p></div></li>");
    }
    out.markup("</ul>");
    for vetted in &added.data.vetted {
        put!(out; "<h2>" {vetted.name} " " {chip(if vetted.verdict == "deny" { "bad" } else { "warn" }, vetted.verdict)} "</h2>" {skill::finding_list(&vetted.findings)});
    }
    for preview in &added.data.previews {
        put!(out; "<h2>" {preview.name} " is off until you enable it</h2>" {plugins::brings(preview)} {visit.form(&Url::of(&["plugins", &preview.name]))}
            "<div class=\"answers\"><button class=\"main\" name=\"on\" value=\"1\">Enable all of this</button></div></form>");
    }
    visit.view(Tab::Sources, "Sources", out).await
}

/// Takes something away.
pub(crate) async fn uninstall(visit: Visit) -> Response {
    let (hall, premises) = (visit.hall(), visit.premises());
    let back = Url::of(&["sources"]);
    let names: Vec<String> = visit.all("name").map(str::to_owned).collect();
    let scope = scope(visit.field("scope"));
    if let Err(refusal) = may_install(&premises.books, premises.now(), &visit.by).await {
        return visit.told(false, refusal.message, &back);
    }
    let workshop = premises.workshop(&hall);
    let desk = Desk::new(&workshop);
    let installer = desk.installer(&workshop, Some((visit.by.clone(), premises.now())));
    let removed = remove(&installer, &RemoveRequest { names: &names, scope, force: false }).await;
    premises.catch_up().await;
    visit.done(&removed, "Removed.", &back)
}

async fn adding(visit: &Visit, choice: Choice) -> Envelope<Add> {
    let (hall, premises) = (visit.hall(), visit.premises());
    if let Err(refusal) = may_install(&premises.books, premises.now(), &visit.by).await {
        return refusal.into_envelope();
    }
    let workshop = premises.workshop(&hall);
    let desk = Desk::new(&workshop);
    let request = AddRequest {
        source: visit.field("source").unwrap_or_default(),
        reference: visit.field("ref"),
        choice,
        scope: scope(visit.field("scope")),
        link: false,
        replace: false,
        skip_denied: false,
        ask: None,
    };
    add(&desk.installer(&workshop, Some((visit.by.clone(), premises.now()))), &request).await
}

pub(super) fn scope(word: Option<&str>) -> InstallScope {
    if word == Some("user") { InstallScope::User } else { InstallScope::Project }
}

/// Who fetches.
pub(super) struct Desk {
    git: HostGit,
}

impl Desk {
    pub(super) fn new(workshop: &Workshop<'_>) -> Self {
        Self { git: HostGit::new(&workshop.hall.machine.env, false) }
    }

    pub(super) fn installer<'a>(
        &'a self,
        workshop: &'a Workshop<'a>,
        by: Option<(Principal, Timestamp)>,
    ) -> Installer<'a> {
        Installer {
            hall: workshop.hall,
            places: workshop.places,
            store: workshop.store,
            git: &self.git,
            shelf: Some(workshop),
            progress: &|_| {},
            registrar: by.map(|(by, now)| Registrar { books: workshop.books, by, now }),
        }
    }
}

fn ask(visit: &Visit, source: &str, reference: &str) -> Html {
    let mut out = Html::default();
    put!(out; {visit.form(&Url::of(&["sources", "preview"]))} "<div class=\"fields card\"><div class=\"wide\"><label for=\"source\">Source</label>"
        "<input id=\"source\" name=\"source\" required autocomplete=\"off\" spellcheck=\"false\" placeholder=\"owner/repo, a URL, a directory, npm:package\" value=\"" {source}
        "\"></div><div><label for=\"ref\">Branch, tag or commit</label><input id=\"ref\" name=\"ref\" autocomplete=\"off\" spellcheck=\"false\" value=\"" {reference}
        "\"></div><button class=\"main\">Look at it</button><p class=\"dim wide\">Nothing is installed before you have chosen from what it holds.</p></div></form>");
    out
}

fn choice(visit: &Visit, source: &str, listed: &Add) -> Html {
    let mut out = visit.form(&Url::of(&["sources", "install"]));
    put!(out; "<input type=\"hidden\" name=\"source\" value=\"" {Exact(source)} "\"><input type=\"hidden\" name=\"ref\" value=\"" {visit.field("ref").map(Exact)} "\"><h2>"
        {counted(listed.candidates.len(), "candidate")} "</h2><p class=\"dim\">");
    if let Some(found) = &listed.source {
        put!(out; {found.source_type} " · " {found.source} " ");
        if let Some(resolved) = &found.resolved {
            put!(out; "<code class=\"hash\">" {resolved} "</code>");
        }
    }
    out.markup("</p><ul class=\"rows\">");
    for candidate in &listed.candidates {
        put!(out; {candidate_row(candidate)});
    }
    put!(out; "</ul><fieldset class=\"plain\"><legend>Install for</legend><label><input type=\"radio\" name=\"scope\" value=\"project\" checked> this project</label> "
        "<label><input type=\"radio\" name=\"scope\" value=\"user\"> me, in every project</label></fieldset><div class=\"answers\"><button class=\"main\">Install what is ticked</button></div></form>");
    out
}

fn candidate_row(candidate: &CandidateLine) -> Html {
    let mut out = Html::default();
    put!(out; "<li><label class=\"what\"><input type=\"checkbox\" name=\"name\" value=\"" {Exact(&candidate.name)} "\"");
    if !candidate.loaded {
        out.markup(" disabled");
    }
    put!(out; "> <b>" {candidate.name} "</b> " {chip("", candidate.kind)});
    if !candidate.loaded {
        put!(out; " " {chip("bad", "does not load")});
    }
    put!(out; "<span class=\"clamp\">" {candidate.description} "</span></label></li>");
    out
}

fn row(visit: &Visit, line: &InstalledLine) -> Html {
    let mut out = Html::default();
    put!(out; "<li><div class=\"what\"><b>" {line.name} "</b> " {chip("", line.kind)} " " {chip("", line.scope)} " "
        {chip(if line.state == "intact" { "good" } else { "warn" }, line.state)});
    if line.pinned {
        put!(out; " " {chip("", "pinned")});
    }
    put!(out; "<p class=\"dim\">" {line.source_type} " · " {line.source} "</p><p class=\"clamp\">" {line.preview} "</p></div>");
    if !line.pinned {
        put!(out; {about(visit, line, "update")} "<button class=\"quiet\">Update<span class=\"hidden\"> " {line.name} "</span></button></form>");
    }
    put!(out; {about(visit, line, "remove")} "<button class=\"quiet\">Remove<span class=\"hidden\"> " {line.name} "</span></button></form></li>");
    out
}

/// The beginning of a form that does something with what is installed.
fn about(visit: &Visit, line: &InstalledLine, what: &str) -> Html {
    let mut out = visit.form(&Url::of(&["sources", what]));
    put!(out; "<input type=\"hidden\" name=\"name\" value=\"" {Exact(&line.name)} "\"><input type=\"hidden\" name=\"scope\" value=\"" {line.scope} "\">");
    out
}
