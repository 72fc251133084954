//! Health: one look at everything that decides what a person sees, with what to do about it.

use axum::response::Response;
use guild_engine::doctor;
use guild_engine::reply::Health;

use super::frame::Tab;
use super::html::{Html, put};
use super::parts::chip;
use super::visit::Visit;

/// What the doctor says.
pub(crate) async fn view(visit: Visit) -> Response {
    let (hall, premises) = (visit.hall(), visit.premises());
    let runtimes = premises.workshop(&hall).backends.probe().await;
    let seen = doctor(&hall, &runtimes, Vec::new()).data;
    let mut out = Html::default();
    put!(out; "<div class=\"top\"><h1>Health</h1>" {mark(seen.verdict)} "</div><ul class=\"rows checks\">");
    for check in &seen.checks {
        put!(out; "<li><b>" {check.name} "</b>" {mark(check.health)} "<div class=\"what\">" {check.detail});
        if let Some(hint) = &check.hint {
            put!(out; "<p class=\"dim\">" {hint} "</p>");
        }
        out.markup("</div></li>");
    }
    out.markup("</ul>");
    let problems: Vec<_> = hall.config_problems().map(guild_engine::reply::ProblemLine::of).collect();
    if !problems.is_empty() {
        put!(out; "<h2>Configuration</h2>" {super::parts::problems(&problems)});
    }
    visit.view(Tab::Health, "Health", out).await
}

fn mark(health: Health) -> Html {
    match health {
        Health::Good => chip("good", "good"),
        Health::Warning => chip("warn", "worth a look"),
        Health::Bad => chip("bad", "broken"),
    }
}
