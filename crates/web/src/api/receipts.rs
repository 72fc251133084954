//! Receipts: page by page, one in full, proved whole, and as a file that others can check.

use std::fs::File;
use std::io::Read as _;

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse as _;
use guild_engine::ledger::Filter;
use guild_engine::ledger::receipt::Kind as ReceiptKind;
use guild_engine::{
    Code, ReceiptsRequest, Refusal, Since, receipts_exported, receipts_list, receipts_show, receipts_verify,
    reply,
};

use super::call::{Call, beside};
use super::query::{Kind, Param, invalid};
use super::respond::Answer;
use super::route::{GET, Route, of};
use super::skills::CURSOR;

const LIMIT: Param = Param::new("limit", Kind::Count { usual: 50, most: 1_000 }, "At most so many.");

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/receipts",
        name: "list_receipts",
        about: "Receipts, the newest first, page by page; an agent sees its own",
        query: &[
            Param::new("skill", Kind::Text, "Of this skill, by its qualified name."),
            Param::new("agent", Kind::Text, "Of this agent."),
            Param::new("kind", Kind::Text, "Of this kind: `started`, `finished`, `denied`, …"),
            Param::new("code", Kind::Text, "With this code."),
            Param::new("run", Kind::Text, "Of this run."),
            Param::new("since", Kind::Text, "Since then: `7d`, `2026-11-15` or `2026-11-15T09:30:00Z`."),
            LIMIT,
            CURSOR,
        ],
        gives: &[(StatusCode::OK, of::<reply::ReceiptsList>)],
        answer: |call| Box::pin(listed(call)),
        ..GET
    },
    Route {
        path: "/receipts/verify",
        name: "verify_receipts",
        about: "Whether anybody has rewritten history",
        gives: &[(StatusCode::OK, of::<reply::ReceiptsVerify>)],
        answers: &[&[Code::ReceiptsBroken]],
        codes: &[&[Code::PersonRequired]],
        answer: |call| Box::pin(verified(call)),
        ..GET
    },
    Route {
        path: "/receipts/export",
        name: "export_receipts",
        about: "The chain as JSON lines, which `guild receipts verify --file` checks without the ledger",
        gives: &[(
            StatusCode::OK,
            |_| schemars::json_schema!({"type": "string", "contentMediaType": "application/jsonl"}),
        )],
        codes: &[&[Code::PersonRequired, Code::WriteFailed]],
        answer: |call| Box::pin(exported(call)),
        ..GET
    },
    Route {
        path: "/receipts/{id}",
        name: "show_receipt",
        about: "One receipt as it was signed, and what is kept of what the run printed",
        gives: &[(StatusCode::OK, of::<reply::ReceiptShow>)],
        codes: &[&[Code::ReceiptNotFound]],
        answer: |call| Box::pin(shown(call)),
        ..GET
    },
];

async fn listed(call: Call) -> Result<Answer, Refusal> {
    let text = |name: &str| call.query.text(name).map(str::to_owned);
    let kind = call.query.text("kind").map(|word| {
        let kind = ReceiptKind::ALL.iter().copied().find(|kind| kind.as_str() == word);
        kind.ok_or_else(|| invalid(format!("there are no receipts of the kind `{word}`")))
    });
    let run = call
        .query
        .text("run")
        .map(|id| id.parse().map_err(|_| invalid("`run` is no id of a run".to_owned())));
    let since = call
        .query
        .text("since")
        .map(|text| text.parse::<Since>().map_err(|error| invalid(error.to_string())));
    let filter = Filter {
        kind: kind.transpose()?,
        skill: text("skill"),
        agent: call.view().map(str::to_owned),
        code: text("code"),
        run: run.transpose()?,
        since: since.transpose()?.map(|since| since.moment(call.premises.now())),
    };
    let request =
        ReceiptsRequest { filter, limit: call.query.count(&LIMIT), after: call.query.text("cursor") };
    Ok(call.answer(&receipts_list(&call.premises.books, &request).await))
}

async fn shown(call: Call) -> Result<Answer, Refusal> {
    let shown = receipts_show(&call.premises.books, Some(call.premises.store()), call.name()).await;
    let whose = shown.data.receipt.as_ref().and_then(|receipt| receipt.pointer("/principal/agent")?.as_str());
    if call.agent().is_some() && whose.is_some_and(|whose| Some(whose) != call.agent()) {
        let message = format!("there is no receipt `{}` of this agent", call.name());
        return Err(Refusal::new(Code::ReceiptNotFound, message));
    }
    Ok(call.answer(&shown))
}

async fn verified(call: Call) -> Result<Answer, Refusal> {
    call.person().await?;
    Ok(call.answer(&receipts_verify(&call.premises.books).await))
}

async fn exported(call: Call) -> Result<Answer, Refusal> {
    let file = receipts_exported(&call.premises.books, call.premises.now(), &call.by).await?;
    let text = beside(move || whole(file)).await??;
    let headers = [
        (CONTENT_TYPE, "application/jsonl"),
        (CONTENT_DISPOSITION, "attachment; filename=\"receipts.jsonl\""),
    ];
    Ok(Answer::Whole((headers, Body::from(text)).into_response()))
}

fn whole(mut file: File) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let read = file.read_to_end(&mut bytes);
    read.map_err(|error| Refusal::new(Code::WriteFailed, format!("cannot read the receipts: {error}")))?;
    Ok(bytes)
}
