//! Plugins: what each brings, shown before anybody switches it on.

use axum::extract::Path;
use axum::response::Response;
use guild_engine::ledger::SubjectKind;
use guild_engine::reply::{PluginPreview, PluginSummary};
use guild_engine::{Code, Refusal, ToggleRequest, counted, plugin_preview, plugins, toggle};

use super::frame::Tab;
use super::html::{Html, Url, put};
use super::parts::{chip, empty, fact};
use super::visit::Visit;

/// Every plugin.
pub(crate) async fn list(visit: Visit) -> Response {
    let hall = visit.hall();
    let listed = plugins(&hall).data;
    let mut out = Html::default();
    put!(out; "<h1>Plugins</h1><div data-live>");
    if listed.plugins.is_empty() {
        put!(out; {empty("No plugin is here.", "Add one under Sources; it is off until you have seen what it brings.")});
    } else {
        out.markup("<ul class=\"rows\">");
    }
    for plugin in &listed.plugins {
        put!(out; "<li><div class=\"what\"><a href=\"" {Url::of(&["plugins", plugin.name])} "\">" {plugin.name} "</a> <span class=\"dim\">" {plugin.version} "</span> " {chip("", plugin.scope)} " "
            {state(plugin)} "<p class=\"clamp\">" {plugin.description} "</p><p class=\"dim\">" {counted(plugin.skill_count, "skill")} "</p></div>"
            "<a class=\"button\" href=\"" {Url::of(&["plugins", plugin.name])} "\">Look</a></li>");
    }
    if !listed.plugins.is_empty() {
        out.markup("</ul>");
    }
    put!(out; {super::parts::problems(&listed.problems)} "</div>");
    visit.view(Tab::Plugins, "Plugins", out).await
}

/// What one brings.
pub(crate) async fn show(Path(name): Path<String>, visit: Visit) -> Response {
    let hall = visit.hall();
    let Some((preview, summary)) = plugin_preview(&hall, &name) else {
        let refusal = Refusal::new(Code::PluginNotFound, format!("there is no plugin `{name}`"));
        return visit.refuse(Tab::Plugins, refusal).await;
    };
    let mut out = Html::default();
    put!(out; "<p class=\"crumbs\"><a href=\"/plugins\">Plugins</a></p><div class=\"top\"><h1>" {preview.name} "</h1> <span class=\"dim\">" {preview.version} "</span> "
        {state(&summary)} "</div><p class=\"lead\">" {preview.description} "</p>" {brings(&preview)}
        {visit.form(&Url::of(&["plugins", &name]))} "<div class=\"answers\">");
    if is_whole(&summary) {
        out.markup("<button name=\"on\" value=\"0\">Disable</button>");
    } else {
        out.markup("<button class=\"main\" name=\"on\" value=\"1\">Enable all of this</button>");
    }
    out.markup("</div></form>");
    visit.view(Tab::Plugins, &name, out).await
}

fn state(plugin: &PluginSummary<'_>) -> Html {
    chip(if is_whole(plugin) { "good" } else { "" }, plugin.state())
}

/// Whether all of it is on.
fn is_whole(plugin: &PluginSummary<'_>) -> bool {
    plugin.enabled && !plugin.waits
}

/// Switches one.
pub(crate) async fn switch(Path(name): Path<String>, visit: Visit) -> Response {
    let (hall, premises) = (visit.hall(), visit.premises());
    let user = hall.user();
    let (on, kind) = (visit.field("on") == Some("1"), Some(SubjectKind::Plugin));
    let request = ToggleRequest { kind, ..ToggleRequest::new(&name, on, &visit.by, &user) };
    let switched = toggle(&premises.workshop(&hall), request).await;
    premises.catch_up().await;
    // A hook of its own that nobody has approved yet waits among the approvals.
    let to = if switched.data.request.is_some() { Url::of(&[]) } else { Url::of(&["plugins", &name]) };
    visit.done(&switched, "", &to)
}

/// Everything that a plugin brings.
pub(crate) fn brings(preview: &PluginPreview) -> Html {
    let mut out = Html::default();
    out.markup("<dl class=\"facts card\">");
    if let Some(author) = &preview.author {
        put!(out; {fact("made by", author)});
    }
    let rows = [
        ("skills", &preview.skills),
        ("tools", &preview.tools),
        ("MCP servers", &preview.servers),
        ("in prompts", &preview.prompt_sections),
        ("runs by itself", &preview.hooks),
        ("commands", &preview.commands),
        ("agents", &preview.agents),
        ("needs", &preview.required_env),
        ("builds on", &preview.dependencies),
    ];
    for (label, values) in rows.into_iter().filter(|(_, values)| !values.is_empty()) {
        put!(out; {fact(label, &values.join(", "))});
    }
    out.markup("</dl>");
    out
}
