//! Charts where a person would rather look than read: drawn as SVG, with the same numbers as text for whoever cannot see them.

use guild_engine::ledger::{Filter, Timestamp};
use guild_engine::{ReceiptsRequest, Since, receipts_list};

use super::html::{Html, put};
use super::visit::Visit;

/// The days of a chart of what happened.
const DAYS: u64 = 14;
/// Receipts that are looked at for it.
const LOOKED_AT: usize = 5_000;
const MILLIS_A_DAY: u64 = 24 * 60 * 60 * 1_000;
/// The chart's height, and what a day takes of its width.
const HEIGHT: u64 = 48;
const STEP: u64 = 20;

/// Runs and denials of the last days.
pub(crate) async fn activity(visit: &Visit) -> Html {
    let premises = visit.premises();
    let now = premises.now();
    let since = Since::Ago(std::time::Duration::from_millis((DAYS - 1) * MILLIS_A_DAY)).moment(now);
    let filter = Filter { since: Some(since), ..Filter::default() };
    let request = ReceiptsRequest { filter, limit: LOOKED_AT, after: None };
    let receipts = receipts_list(&premises.books, &request).await.data.receipts;
    let days_ago = |at: &str| at.parse::<Timestamp>().ok().map(|at| day(now).saturating_sub(day(at)));
    let count = |kind: &str, ago: u64| {
        receipts.iter().filter(|receipt| receipt.kind == kind && days_ago(&receipt.at) == Some(ago)).count()
            as u64
    };
    let days: Vec<(u64, u64)> =
        (0..DAYS).rev().map(|ago| (count("finished", ago), count("denied", ago))).collect();
    let (runs, denials) = days.iter().fold((0, 0), |(runs, denials), day| (runs + day.0, denials + day.1));
    let mut out = Html::default();
    if runs + denials == 0 {
        return out;
    }
    let most = days.iter().map(|(runs, denials)| runs + denials).max().unwrap_or(1).max(1);
    put!(out; "<figure class=\"chart\"><figcaption>Last " {DAYS} " days: <b>" {runs} "</b> runs, <b>" {denials} "</b> denials</figcaption><svg viewBox=\"0 0 " {DAYS * STEP} " " {HEIGHT + 1}
        "\" role=\"img\" aria-label=\"" {runs} " runs and " {denials} " denials in the last " {DAYS} " days\"><line class=\"axis\" x1=\"0\" x2=\"" {DAYS * STEP} "\" y1=\"" {HEIGHT} "\" y2=\"" {HEIGHT} "\"/>");
    for (at, (runs, denials)) in (0_u64..).zip(&days) {
        let (good, bad) = (runs * HEIGHT / most, denials * HEIGHT / most);
        put!(out; {bar("run", at, HEIGHT - good, good)} {bar("denial", at, HEIGHT - good - bad, bad)});
    }
    out.markup("</svg></figure>");
    out
}

fn bar(class: &'static str, at: u64, y: u64, height: u64) -> Html {
    let mut out = Html::default();
    if height > 0 {
        put!(out; "<rect class=\"" {class} "\" x=\"" {at * STEP + 4} "\" width=\"" {STEP - 8} "\" y=\"" {y} "\" height=\"" {height} "\" rx=\"1\"/>");
    }
    out
}

fn day(at: Timestamp) -> u64 {
    at.millis() / MILLIS_A_DAY
}

/// Names and how much each has, as bars.
pub(crate) fn bars(title: &str, values: &[(String, usize)]) -> Html {
    let mut out = Html::default();
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0);
    if most == 0 {
        return out;
    }
    put!(out; "<figure class=\"chart\"><figcaption>" {title} "</figcaption><ul class=\"bars\">");
    for (name, value) in values {
        put!(out; "<li><span>" {name} "</span><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"run\" width=\"" {(value * 100).div_ceil(most)}
            "\" height=\"8\" rx=\"1\"/></svg><b>" {*value} "</b></li>");
    }
    out.markup("</ul></figure>");
    out
}
