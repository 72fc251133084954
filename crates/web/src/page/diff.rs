//! A difference as a person reads it: lines with their signs, coloured by the style sheet and legible without.

use guild_engine::Difference;
use guild_engine::reply::{ChangeDetail, Comparison};

use super::html::{Html, put};

/// Lines of one difference at the most; a person who reads more than that uses a tool for it.
const MOST_LINES: usize = 2_000;

/// Every file that differs.
pub(crate) fn files(comparison: &Comparison, is_open: bool) -> Html {
    let mut out = Html::default();
    for file in &comparison.files {
        let now_runs = file.is_executable == Some(true) && file.was_executable != Some(true);
        put!(out; {one(&file.path, file.change, &file.difference, is_open)});
        if now_runs {
            put!(out; "<p class=\"dim\"><code>" {file.path} "</code> can be executed.</p>");
        }
    }
    out
}

/// Whether all of it is read at a glance.
pub(crate) fn is_short(comparison: &Comparison) -> bool {
    let lines = |difference: &Difference| match difference {
        Difference::Lines { hunks } => hunks.iter().map(|hunk| hunk.lines.len()).sum(),
        _ => 0,
    };
    comparison.files.iter().map(|file| lines(&file.difference)).sum::<usize>() <= 40
}

/// What it may do now and could not before.
pub(crate) fn capabilities(comparison: &Comparison) -> Html {
    let mut out = Html::default();
    if comparison.capabilities.is_empty() {
        return out;
    }
    out.markup("<ul class=\"plain\">");
    for change in &comparison.capabilities {
        let none = || "none".to_owned();
        put!(out; "<li><b>" {change.capability} "</b>: <del>" {change.before.clone().unwrap_or_else(none)} "</del> → <ins>" {change.after.clone().unwrap_or_else(none)} "</ins>");
        if change.wider {
            out.markup(" <span class=\"chip warn\">wider</span>");
        }
        out.markup("</li>");
    }
    out.markup("</ul>");
    out
}

/// A path that a container has changed.
pub(crate) fn change(detail: &ChangeDetail) -> Html {
    one(&detail.path, detail.change, &detail.difference, true)
}

fn one(path: &str, change: &str, difference: &Difference, is_open: bool) -> Html {
    let mut out = Html::default();
    let class = match change {
        "added" => "good",
        "removed" | "deleted" => "bad",
        _ => "warn",
    };
    put!(out; "<details class=\"file\"" );
    if is_open {
        out.markup(" open");
    }
    put!(out; "><summary><code>" {path} "</code> <span class=\"chip " {class} "\">" {change} "</span></summary>" {lines(difference)} "</details>");
    out
}

fn lines(difference: &Difference) -> Html {
    let mut out = Html::default();
    let hunks = match difference {
        Difference::None => return out,
        Difference::Binary => {
            put!(out; "<p class=\"dim\">No text; its bytes differ.</p>");
            return out;
        }
        Difference::TooLong => {
            put!(out; "<p class=\"dim\">Too long to be shown.</p>");
            return out;
        }
        Difference::Unknown => {
            put!(out; "<p class=\"dim\">What it was is not kept on this machine.</p>");
            return out;
        }
        Difference::Lines { hunks } => hunks,
    };
    out.markup("<div class=\"diff\" tabindex=\"0\" role=\"region\" aria-label=\"Difference\"><table>");
    let mut left = MOST_LINES;
    for hunk in hunks {
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        for line in hunk.lines.iter().take(left) {
            let (class, sign) = match line.sign {
                '+' => ("add", "+"),
                '-' => ("del", "−"),
                _ => ("", ""),
            };
            put!(out; "<tr class=\"" {class} "\"><td class=\"n\">");
            match line.sign {
                '+' => put!(out; "</td><td class=\"n\">" {new}),
                '-' => put!(out; {old} "</td><td class=\"n\">"),
                _ => put!(out; {old} "</td><td class=\"n\">" {new}),
            }
            put!(out; "</td><td class=\"s\">" {sign} "</td><td class=\"t\">" {line.text} "</td></tr>");
            old += usize::from(line.sign != '+');
            new += usize::from(line.sign != '-');
        }
        left = left.saturating_sub(hunk.lines.len());
        out.markup("<tr class=\"gap\"><td colspan=\"4\"></td></tr>");
    }
    out.markup("</table></div>");
    if left == 0 {
        put!(out; "<p class=\"notice warn\">There is more than is shown here.</p>");
    }
    out
}
