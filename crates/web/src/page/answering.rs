//! A form for what a tool asks in the midst of a call: one field a line, as its schema has them.

use guild_engine::{AskedField, Asks, FieldKind, asked_fields, typed_answers};
use serde_json::{Map, Value};

use super::html::{Html, put};
use super::visit::Visit;

/// What the names of its fields begin with, so that none is taken for one of the page's own.
const PREFIX: &str = "value-";

/// The question.
pub(crate) fn question(asks: &Asks) -> Html {
    let mut out = Html::default();
    put!(out; "<h3>Its tool <code>" {asks.tool} "</code> asks</h3><p class=\"notice\">" {asks.message} "</p>");
    out
}

/// The fields; ids begin with the request's.
pub(crate) fn fields(id: &str, asks: &Asks) -> Html {
    let mut out = Html::default();
    for field in asked_fields(&asks.schema) {
        put!(out; "<p><label for=\"" {id} "-" {field.name} "\">" {field.title.as_ref().unwrap_or(&field.name)});
        if let Some(description) = &field.description {
            put!(out; " <span class=\"dim\">" {description} "</span>");
        }
        put!(out; "</label> " {input(id, &field)} "</p>");
    }
    out
}

/// What was filled in.
pub(crate) fn filled_in(visit: &Visit, asks: &Asks) -> Map<String, Value> {
    let typed = visit
        .fields()
        .filter_map(|(name, text)| Some((name.strip_prefix(PREFIX)?.to_owned(), text.to_owned())));
    typed_answers(&asks.schema, typed)
}

fn input(id: &str, field: &AskedField) -> Html {
    let mut out = Html::default();
    let given =
        field.default.as_ref().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    match &field.kind {
        FieldKind::Choice(choices) | FieldKind::Choices(choices) => {
            let many = matches!(field.kind, FieldKind::Choices(_));
            put!(out; "<select id=\"" {id} "-" {field.name} "\" name=\"" {PREFIX} {field.name} "\"");
            out.markup(if field.required { " required" } else { "" });
            out.markup(if many { " multiple>" } else { "><option value=\"\"></option>" });
            for choice in choices {
                let chosen = if is_default(field, choice) { "\" selected>" } else { "\">" };
                put!(out; "<option value=\"" {choice});
                out.markup(chosen);
                put!(out; {choice} "</option>");
            }
            out.markup("</select>");
        }
        FieldKind::Truth => {
            put!(out; "<select id=\"" {id} "-" {field.name} "\" name=\"" {PREFIX} {field.name} "\"><option value=\"\"></option><option value=\"true\">yes</option><option value=\"false\">no</option></select>");
        }
        FieldKind::Text | FieldKind::Number | FieldKind::Json => {
            put!(out; "<input id=\"" {id} "-" {field.name} "\" name=\"" {PREFIX} {field.name} "\" value=\"" {given.unwrap_or_default()} "\" autocomplete=\"off\"");
            out.markup(if field.required { " required>" } else { ">" });
        }
    }
    out
}

/// Whether the server would take this where nobody says otherwise.
fn is_default(field: &AskedField, choice: &str) -> bool {
    match &field.default {
        Some(Value::Array(several)) => several.iter().any(|one| one == choice),
        default => default.as_ref().is_some_and(|one| one == choice),
    }
}
