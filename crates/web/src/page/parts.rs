//! Small pieces that several views share.

use guild_engine::reply::ProblemLine;

use super::html::{Html, Url, put};

/// A moment, which the script makes local and relative.
pub(crate) fn when(at: &str) -> Html {
    let mut out = Html::default();
    let short = at.get(..16).unwrap_or(at).replace('T', " ");
    put!(out; "<time datetime=\"" {at} "\">" {short} "</time>");
    out
}

/// A name and what it is.
pub(crate) fn fact(name: &str, value: &str) -> Html {
    let mut out = Html::default();
    put!(out; "<div><dt>" {name} "</dt><dd>" {value} "</dd></div>");
    out
}

/// What is said where there is nothing.
pub(crate) fn empty(title: &str, text: &str) -> Html {
    let mut out = Html::default();
    put!(out; "<div class=\"empty\"><p><strong>" {title} "</strong></p><p class=\"dim\">" {text} "</p></div>");
    out
}

/// A word in a small frame; the class says how much it matters.
pub(crate) fn chip(class: &'static str, word: &str) -> Html {
    let mut out = Html::default();
    put!(out; "<span class=\"chip " {class} "\">" {word} "</span>");
    out
}

/// Links to the pages before and after; `url` leads to a page by its number.
pub(crate) fn pager(page: usize, pages: usize, url: impl Fn(usize) -> Url) -> Html {
    let mut out = Html::default();
    if pages <= 1 {
        return out;
    }
    out.markup("<nav class=\"pager\" aria-label=\"Pages\">");
    if page > 1 {
        put!(out; "<a rel=\"prev\" href=\"" {url(page - 1)} "\">← Previous</a>");
    }
    put!(out; "<span class=\"dim\">Page " {page} " of " {pages} "</span>");
    if page < pages {
        put!(out; "<a rel=\"next\" href=\"" {url(page + 1)} "\">Next →</a>");
    }
    out.markup("</nav>");
    out
}

/// What is wrong with files, and what mends it.
pub(crate) fn problems(problems: &[ProblemLine<'_>]) -> Html {
    let mut out = Html::default();
    if problems.is_empty() {
        return out;
    }
    out.markup("<ul class=\"findings\">");
    for problem in problems {
        let class = match problem.severity {
            "error" => "bad",
            "warning" => "warn",
            _ => "",
        };
        put!(out; "<li class=\"" {class} "\"><p><span class=\"chip\">" {problem.severity} "</span> " {problem.message.as_ref()} "</p><p class=\"dim\"><code>" {problem.code}
            "</code> in <code>" {problem.file.as_ref()} ":" {problem.line} ":" {problem.column} "</code></p><p class=\"dim\">" {problem.hint.as_ref()} "</p></li>");
    }
    out.markup("</ul>");
    out
}

/// As much of a text as a row has room for.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 400;
    if text.chars().nth(MOST).is_none() {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(MOST).collect::<String>())
}
