//! Runs: the receipts of everything that happened, the newest first, and one of them in full.

use axum::extract::Path;
use axum::response::Response;
use guild_engine::ledger::{Filter, receipt::Kind};
use guild_engine::reply::{ReceiptLine, ReceiptShow, ReceiptsVerify};
use guild_engine::{
    Envelope, ReceiptsRequest, Refusal, Status, receipts_list, receipts_show, receipts_verify,
};
use serde_json::Value;

use super::frame::Tab;
use super::html::{Html, Url, put};
use super::parts::{chip, empty, fact, when};
use super::visit::Visit;

/// Receipts on one page.
const EACH: usize = 50;
/// What of an output is shown.
const MOST_BYTES: usize = 64 << 10;

/// What can be filtered by, and how it is called here.
const KINDS: &[(&str, Option<Kind>)] = &[
    ("everything", None),
    ("runs", Some(Kind::Finished)),
    ("started", Some(Kind::Started)),
    ("denied", Some(Kind::Denied)),
    ("decisions", Some(Kind::Decision)),
    ("loads", Some(Kind::Load)),
];

/// A page of receipts.
pub(crate) async fn list(visit: Visit) -> Response {
    let wanted = visit.field("show").unwrap_or("everything");
    let (word, kind) =
        KINDS.iter().find(|(word, _)| *word == wanted).copied().unwrap_or(("everything", None));
    let filter = Filter { kind, skill: visit.field("skill").map(str::to_owned), ..Filter::default() };
    let request = ReceiptsRequest { filter, limit: EACH, after: visit.field("after") };
    let books = &visit.premises().books;
    let listed = receipts_list(books, &request).await;
    if listed.status == Status::Error {
        return visit.refuse(Tab::Runs, Refusal::new(listed.code, listed.message)).await;
    }
    let mut out = Html::default();
    put!(out; "<div class=\"top\"><h1>Runs</h1><a class=\"button\" href=\"" {Url::of(&["runs"]).with("verify", "1")} "\">Verify the chain</a></div>");
    if visit.field("verify").is_some() {
        put!(out; {verified(&receipts_verify(books).await)});
    }
    out.markup("<ul class=\"filters\">");
    for (label, _) in KINDS {
        put!(out; "<li><a href=\"" {Url::of(&["runs"]).with("show", label)} "\"");
        if *label == word {
            out.markup(" aria-current=\"true\"");
        }
        put!(out; ">" {*label} "</a></li>");
    }
    put!(out; "</ul><div data-live>");
    if word == "everything" && visit.field("after").is_none() {
        put!(out; {super::charts::activity(&visit).await} {super::jobs::under_way(&visit)});
    } else if word == "runs" && visit.field("after").is_none() {
        put!(out; {super::charts::slowest(&visit).await});
    }
    if listed.data.receipts.is_empty() {
        put!(out; {empty("Nothing has happened yet.", "Every decision and every run leaves a signed receipt here.")});
    } else {
        put!(out; {table(listed.data.receipts.iter())});
    }
    if let Some(next) = &listed.data.next {
        put!(out; "<nav class=\"pager\" aria-label=\"Pages\"><a rel=\"next\" href=\"" {Url::of(&["runs"]).with("show", word).with("after", next)} "\">Older →</a></nav>");
    }
    out.markup("</div>");
    visit.view(Tab::Runs, "Runs", out).await
}

/// One receipt.
pub(crate) async fn show(Path(id): Path<String>, visit: Visit) -> Response {
    let premises = visit.premises();
    let shown = receipts_show(&premises.books, Some(premises.store()), &id).await;
    match shown.data.receipt.clone() {
        Some(receipt) => {
            let body = full(&id, &receipt, &shown.data);
            visit.view(Tab::Runs, "Receipt", body).await
        }
        None => visit.refuse(Tab::Runs, Refusal::new(shown.code, shown.message)).await,
    }
}

fn verified(report: &Envelope<ReceiptsVerify>) -> Html {
    let mut out = Html::default();
    let data = &report.data;
    if data.verified {
        put!(out; "<p class=\"notice good\" role=\"status\">Nobody has rewritten history: " {data.count} " receipts and " {data.records} " records are as they were signed.</p>");
        return out;
    }
    put!(out; "<div class=\"notice bad\" role=\"alert\"><p>" {report.message} "</p><ul>");
    for broken in data.broken.iter().take(20) {
        put!(out; "<li><code>" {broken.receipt.as_deref()} "</code> " {broken.reason} "</li>");
    }
    out.markup("</ul></div>");
    out
}

/// Receipts as rows.
pub(crate) fn table<'a>(receipts: impl Iterator<Item = &'a ReceiptLine>) -> Html {
    let mut out = Html::default();
    out.markup("<div class=\"scroll\"><table class=\"receipts\"><thead><tr><th>When</th><th>What</th><th>Skill</th><th>Who</th><th>Outcome</th></tr></thead><tbody>");
    for receipt in receipts {
        put!(out; "<tr><td><a href=\"" {Url::of(&["runs", &receipt.id])} "\">" {when(&receipt.at)} "</a></td><td>" {receipt.kind} "</td><td>");
        if let Some(skill) = &receipt.skill {
            put!(out; "<a href=\"" {Url::of(&["skills", skill])} "\">" {skill} "</a>");
        }
        put!(out; "</td><td>" {receipt.principal.agent} " <span class=\"dim\">" {receipt.principal.via} "</span></td><td>" {outcome(receipt)} "</td></tr>");
    }
    out.markup("</tbody></table></div>");
    out
}

fn outcome(receipt: &ReceiptLine) -> Html {
    let class = match (receipt.kind, receipt.code.as_str()) {
        (_, "ok" | "run_once" | "always_allow" | "approved" | "applied") => "good",
        ("denied", _) | (_, "deny" | "denied") => "bad",
        ("asked" | "started" | "decision", _) => "",
        _ => "warn",
    };
    chip(class, &receipt.code)
}

fn full(id: &str, receipt: &Value, data: &ReceiptShow) -> Html {
    let mut out = Html::default();
    let text = |pointer: &str| receipt.pointer(pointer).and_then(Value::as_str);
    put!(out; "<p class=\"crumbs\"><a href=\"/runs\">Runs</a></p><div class=\"top\"><h1>Receipt</h1>");
    match data.signed {
        Some(true) => put!(out; {chip("good", "signed by this installation")}),
        Some(false) => put!(out; {chip("bad", "the signature is wrong")}),
        None => put!(out; {chip("", "another installation's")}),
    }
    put!(out; "</div><dl class=\"facts card\"><div><dt>id</dt><dd><code>" {id} "</code></dd></div>");
    for (label, pointer) in [
        ("kind", "/kind"),
        ("outcome", "/code"),
        ("skill", "/skill/name"),
        ("agent", "/principal/agent"),
        ("via", "/principal/via"),
        ("run", "/run"),
        ("note", "/note"),
    ] {
        if let Some(value) = text(pointer) {
            put!(out; {fact(label, value)});
        }
    }
    if let Some(at) = text("/at") {
        put!(out; "<div><dt>when</dt><dd>" {when(at)} "</dd></div>");
    }
    if let Some(hash) = text("/skill/security_hash") {
        put!(out; "<div><dt>security hash</dt><dd><code class=\"hash\">" {hash} "</code></dd></div>");
    }
    out.markup("</dl>");
    for (label, printed) in [("Output", &data.stdout), ("Standard error", &data.stderr)] {
        if let Some(printed) = printed.as_ref().filter(|printed| !printed.is_empty()) {
            let cut: String = printed.chars().take(MOST_BYTES).collect();
            put!(out; "<h2>" {label} "</h2><pre class=\"output\" tabindex=\"0\">" {cut} "</pre>");
        }
    }
    let pretty = serde_json::to_string_pretty(receipt).unwrap_or_default();
    put!(out; "<details><summary>As it was signed</summary><pre tabindex=\"0\">" {pretty} "</pre><p class=\"dim\">hash <code class=\"hash\">" {data.hash.as_deref()} "</code></p></details>");
    out
}
