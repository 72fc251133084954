//! The frame around every view: where one is, where else one can go, and what came of the last change.

use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use guild_engine::Refusal;

use super::assets::{SCRIPT, STYLE};
use super::html::{Html, Url, put};
use crate::answer;
use crate::session::Notice;

/// What a browser may do with a page of ours: nothing that is not from here, and nothing that is written into it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// A view's place in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Approvals,
    Skills,
    Runs,
    Changes,
    Plugins,
    Sources,
    Agents,
    Health,
}

const TABS: &[(Tab, &str, &str)] = &[
    (Tab::Approvals, "Approvals", ""),
    (Tab::Skills, "Skills", "skills"),
    (Tab::Runs, "Runs", "runs"),
    (Tab::Changes, "Changes", "changes"),
    (Tab::Plugins, "Plugins", "plugins"),
    (Tab::Sources, "Sources", "sources"),
    (Tab::Agents, "Agents", "agents"),
    (Tab::Health, "Health", "doctor"),
];

/// Everything that a page is made of.
pub(crate) struct Frame<'a> {
    pub tab: Tab,
    pub title: &'a str,
    pub body: Html,
    /// How many requests wait.
    pub waiting: usize,
    pub notice: Option<Notice>,
    /// The beginning of the form that ends the session.
    pub leave: Html,
    pub workspace: String,
}

/// A whole page.
pub(crate) fn page(frame: Frame<'_>) -> Response {
    let mut out = head(frame.title);
    put!(out; "<body><a class=\"skip\" href=\"#main\">Skip to content</a><header><a class=\"mark\" href=\"/\">Guildhall</a>"
        "<span class=\"where\" title=\"The workspace of this server\">" {frame.workspace} "</span>"
        {frame.leave} "<button class=\"quiet\">Log out</button></form></header><nav aria-label=\"Views\"><ul>");
    for (tab, label, path) in TABS {
        let parts: &[&str] = if path.is_empty() { &[] } else { &[path] };
        put!(out; "<li><a href=\"" {Url::of(parts)} "\"");
        if *tab == frame.tab {
            out.markup(" aria-current=\"page\"");
        }
        put!(out; ">" {*label});
        if *tab == Tab::Approvals {
            put!(out; " <span class=\"count\" id=\"waiting\"");
            if frame.waiting == 0 {
                out.markup(" hidden");
            }
            put!(out; ">" {frame.waiting} "</span>");
        }
        out.markup("</a></li>");
    }
    put!(out; "</ul></nav><main id=\"main\" tabindex=\"-1\">");
    if let Some(Notice { is_good, text }) = &frame.notice {
        out.markup(if *is_good {
            "<p class=\"notice good\" role=\"status\">"
        } else {
            "<p class=\"notice bad\" role=\"alert\">"
        });
        put!(out; {text} "</p>");
    }
    put!(out; "<div id=\"view\">" {frame.body} "</div></main><script src=\"" {SCRIPT.url()} "\"></script></body></html>");
    answered(StatusCode::OK, out)
}

/// The inside of a page.
pub(crate) fn piece(body: Html) -> Response {
    answered(StatusCode::OK, body)
}

/// A page for somebody who is not let in, or whose request was refused before anything saw it.
pub(crate) fn refused(refusal: &Refusal, help: Option<Html>) -> Response {
    let mut out = head("Closed");
    put!(out; "<body class=\"closed\"><main id=\"main\"><h1>Guildhall</h1><p>" {refusal.message} "</p>" {help}
        "<p class=\"dim\"><code>" {refusal.code.as_str()} "</code></p></main></body></html>");
    answered(answer::status(refusal.code), out)
}

fn head(title: &str) -> Html {
    let mut out = Html::default();
    put!(out; "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
        "<title>" {title} " · Guildhall</title><link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"" {STYLE.url()} "\"></head>");
    out
}

fn answered(status: StatusCode, page: Html) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ];
    (status, headers, page.into_string()).into_response()
}
