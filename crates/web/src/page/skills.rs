//! Skills: everything that was found, grouped by where it came from, with what is wrong at a glance.

use axum::response::Response;
use guild_engine::catalog::Scope;
use guild_engine::reply::{BrokenLine, List, SkillSummary};
use guild_engine::{Hall, ListRequest, SearchRequest, counted, list, search};

use super::frame::Tab;
use super::html::{Html, Url, put};
use super::parts::{chip, empty, pager, shortened};
use super::visit::Visit;

/// Skills on one page.
const EACH: usize = 50;
/// Hits of a search.
const HITS: usize = 50;
/// Skills that do not load, shown before the others.
const BROKEN: usize = 20;

/// What a person wants to see.
#[derive(Clone, Default)]
struct Wanted {
    query: Option<String>,
    scope: Option<String>,
    page: usize,
    /// The forms' beginning.
    form: Html,
}

/// The skills, or those that a query finds.
pub(crate) async fn view(visit: Visit) -> Response {
    let text = |name: &str| visit.field(name).map(str::to_owned);
    let wanted = Wanted {
        query: text("q").map(|query| query.trim().to_owned()).filter(|query| !query.is_empty()),
        scope: text("scope").filter(|scope| Scope::named(scope).is_some()),
        page: visit.page_number(),
        form: visit.form(&Url::of(&["skills"])),
    };
    let made = visit.beside(move |_, hall| page(hall, &wanted)).await;
    match made {
        Ok(body) => visit.view(Tab::Skills, "Skills", body).await,
        Err(refusal) => visit.refuse(Tab::Skills, refusal).await,
    }
}

fn page(hall: &Hall, wanted: &Wanted) -> Html {
    let mut out = Html::default();
    put!(out; "<div class=\"top\"><h1>Skills</h1><a class=\"button\" href=\"/editor\">New skill</a></div>"
        "<form class=\"search\" role=\"search\" method=\"get\" action=\"/skills\" data-search>"
        "<label class=\"hidden\" for=\"q\">Search skills</label><input id=\"q\" name=\"q\" type=\"search\" autocomplete=\"off\" "
        "placeholder=\"Search names, descriptions and texts\" value=\"" {wanted.query} "\"><button>Search</button></form><div id=\"results\" data-live>");
    match &wanted.query {
        Some(query) => put!(out; {found(hall, query, wanted)}),
        None => put!(out; {everything(hall, wanted)}),
    }
    out.markup("</div>");
    out
}

fn found(hall: &Hall, query: &str, wanted: &Wanted) -> Html {
    let mut out = Html::default();
    let request = SearchRequest { query, limit: HITS, agent: None, file: None };
    let found = search(hall, &request).data;
    put!(out; "<p class=\"dim\" role=\"status\">" {counted(found.count, "skill")} " for “" {query} "”, the best first</p>");
    if found.count == 0 {
        put!(out; {empty("No skill is about that.", "Try another word, or look at all of them.")});
        return out;
    }
    put!(out; {wanted.form} {rows(found.skills.iter())} "</form>");
    out
}

fn everything(hall: &Hall, wanted: &Wanted) -> Html {
    let request = ListRequest { source: wanted.scope.as_deref(), all: true, ..ListRequest::default() };
    let List { mut skills, broken, .. } = list(hall, &request).data;
    skills.sort_by_scope();
    let mut out = scopes(hall, wanted);
    let broken = broken.unwrap_or_default();
    if wanted.page == 1 && !broken.is_empty() {
        put!(out; {does_not_load(&broken)});
    }
    if skills.is_empty() {
        put!(out; {empty("No skill is here.", "Put one below .guild/skills, or add some under Sources.")});
        return out;
    }
    let pages = skills.len().div_ceil(EACH);
    let page = wanted.page.min(pages);
    let shown: Vec<SkillSummary<'_>> = skills.part((page - 1) * EACH, EACH).collect();
    put!(out; {wanted.form});
    for group in shown.chunk_by(|a, b| a.scope == b.scope) {
        let scope = group.first().map_or("", |skill| skill.scope);
        put!(out; "<h2 class=\"scope\">" {scope} " <span class=\"count\">" {skills.count_of(scope)} "</span></h2>" {rows(group.iter())});
    }
    out.markup("</form>");
    let url = |page: usize| {
        let url = Url::of(&["skills"]);
        let url = match &wanted.scope {
            Some(scope) => url.with("scope", scope),
            None => url,
        };
        url.with("page", &page.to_string())
    };
    put!(out; {pager(page, pages, url)});
    out
}

/// The scopes that there are, as filters.
fn scopes(hall: &Hall, wanted: &Wanted) -> Html {
    let mut out = Html::default();
    let all = &hall.snapshot.skills;
    out.markup("<ul class=\"filters\">");
    let mut link = |label: &str, url: Url, count: usize, is_current: bool| {
        put!(out; "<li><a href=\"" {url} "\"");
        if is_current {
            out.markup(" aria-current=\"true\"");
        }
        put!(out; ">" {label} " <span class=\"dim\">" {count} "</span></a></li>");
    };
    link("all", Url::of(&["skills"]), all.len(), wanted.scope.is_none());
    for scope in Scope::ALL {
        let count = all.iter().filter(|entry| entry.place.is_from(*scope)).count();
        let word = scope.as_str();
        if count > 0 {
            link(
                word,
                Url::of(&["skills"]).with("scope", word),
                count,
                wanted.scope.as_deref() == Some(word),
            );
        }
    }
    out.markup("</ul>");
    out
}

fn does_not_load(broken: &[BrokenLine<'_>]) -> Html {
    let mut out = Html::default();
    put!(out; "<h2 class=\"scope\">does not load <span class=\"count bad\">" {broken.len()} "</span></h2><ul class=\"findings\">");
    for line in broken.iter().take(BROKEN) {
        put!(out; "<li class=\"bad\"><p><b>" {line.name} "</b> " {line.problems.first().map(|problem| problem.message.as_ref())}
            "</p><p class=\"dim\"><code>" {line.path} "</code></p>");
        if let Some(problem) = line.problems.first() {
            put!(out; "<p class=\"dim\">" {problem.hint.as_ref()} "</p>");
        }
        out.markup("</li>");
    }
    out.markup("</ul>");
    out
}

fn rows<'a, 'b: 'a>(skills: impl Iterator<Item = &'a SkillSummary<'b>>) -> Html {
    let mut out = Html::default();
    out.markup("<ul class=\"rows\">");
    for skill in skills {
        let name = skill.qualified_name.as_ref();
        put!(out; "<li");
        if !skill.enabled {
            out.markup(" class=\"off\"");
        }
        put!(out; "><div class=\"what\"><a href=\"" {Url::of(&["skills", name])} "\">" {name} "</a> " {status(skill)}
            "<p class=\"clamp\">" {shortened(skill.description)} "</p></div>" {switch(name, skill.enabled)} "</li>");
    }
    out.markup("</ul>");
    out
}

/// What is to be known of a skill at a glance.
pub(crate) fn status(skill: &SkillSummary<'_>) -> Html {
    let mut out = chip("", skill.kind);
    match skill.verdict {
        Some("deny") => put!(out; " " {chip("bad", "denied by the vet")}),
        Some("warn") => put!(out; " " {chip("warn", "findings")}),
        _ => {}
    }
    if skill.problems > 0 {
        put!(out; " " {chip("warn", &counted(skill.problems, "problem"))});
    }
    if !skill.eligible {
        put!(out; " " {chip("warn", "not usable here")});
    }
    if !skill.model_invocable {
        put!(out; " " {chip("", "hidden from models")});
    }
    if !skill.off_for.is_empty() {
        put!(out; " " {chip("", &format!("off for {}", skill.off_for.join(", ")))});
    }
    out
}

/// A button that switches a skill for everybody; it belongs to the form around it.
fn switch(name: &str, is_on: bool) -> Html {
    let mut out = Html::default();
    put!(out; "<button class=\"switch\" role=\"switch\" aria-checked=\"" {if is_on { "true" } else { "false" }} "\" name=\"on\" value=\"" {if is_on { "0" } else { "1" }}
        "\" formaction=\"" {Url::of(&["skills", name, "toggle"])} "\" id=\"switch-" {name} "\"><span class=\"hidden\">" {name} "</span></button>");
    out
}
