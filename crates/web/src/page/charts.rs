//! Charts where a person would rather look than read: drawn as SVG, with the same numbers as text for whoever cannot see them.

use std::collections::BTreeMap;

use guild_engine::ledger::receipt::Kind;
use guild_engine::ledger::{Filter, Timestamp};
use guild_engine::{ReceiptsRequest, Since, receipts_list};

use super::html::{Html, put};
use super::visit::Visit;

/// The days of a chart of what happened.
const DAYS: u64 = 14;
/// Receipts that are looked at for it.
const LOOKED_AT: usize = 5_000;
/// Skills in the chart of the slowest.
const SLOWEST: usize = 5;
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

/// The skills whose runs took longest, on the average of those that are remembered.
pub(crate) async fn slowest(visit: &Visit) -> Html {
    let filter = Filter { kind: Some(Kind::Finished), ..Filter::default() };
    let found = visit.premises().books.ledger.receipts(&filter, None, LOOKED_AT).await;
    let mut skills: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for receipt in found.map(|page| page.receipts).unwrap_or_default() {
        let entry = receipt.receipt.entry;
        if let (Some(skill), Some(outcome)) = (entry.skill, entry.outcome) {
            let took = outcome.finished.millis().saturating_sub(outcome.started.millis());
            let known = skills.entry(skill.name).or_default();
            *known = (known.0 + took, known.1 + 1);
        }
    }
    let mean = |(all, count): (u64, u64)| usize::try_from(all / count.max(1)).unwrap_or(usize::MAX);
    let mut slow: Vec<(String, usize)> = skills.into_iter().map(|(name, sum)| (name, mean(sum))).collect();
    slow.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    slow.truncate(SLOWEST);
    bars("Slowest skills, in milliseconds on average", &slow)
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
