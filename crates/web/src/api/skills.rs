//! Skills as people and agents look for them: listed, searched, shown.

use axum::http::StatusCode;
use guild_engine::{Code, ListRequest, Page, SearchRequest, Status, list, reply, search, show};

use super::call::look;
use super::query::{Kind, Param};
use super::route::{GET, HELD, NAMED, Route, of};

pub(super) const AGENT: Param = Param::new(
    "agent",
    Kind::Text,
    "As this agent sees it; an agent's token sees as itself, whatever it says.",
);
pub(super) const CURSOR: Param =
    Param::new("cursor", Kind::Text, "Where the page before said that the next one begins.");
const FILE: Param = Param::new("file", Kind::Text, "Mark and lift the skills whose globs match this file.");
const LIMIT: Param = Param::new("limit", Kind::Count { usual: 100, most: 1_000 }, "At most so many.");
const HITS: Param = Param::new("limit", Kind::Count { usual: 10, most: 100 }, "At most so many.");

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/skills",
        name: "list_skills",
        about: "Every skill, or those of one scope or agent, page by page",
        query: &[
            Param::new("source", Kind::Text, "Only skills of this scope."),
            AGENT,
            Param::new("all", Kind::Flag, "Also the skills that a problem keeps out, with the first page."),
            FILE,
            LIMIT,
            CURSOR,
        ],
        gives: &[(StatusCode::OK, of::<reply::List<'_>>)],
        codes: &[&[Code::UnknownSource, Code::InvalidPattern]],
        answer: |call| {
            Box::pin(look(call, |call, hall| {
                let page = Page { after: call.query.text("cursor"), limit: call.query.count(&LIMIT) };
                let request = ListRequest {
                    source: call.query.text("source"),
                    agent: call.view(),
                    all: call.query.flag("all") && !call.by.is_agent(),
                    file: call.query.text("file"),
                    page: Some(page),
                };
                Ok(call.answer(&list(hall, &request)))
            }))
        },
        ..GET
    },
    Route {
        path: "/search",
        name: "search_skills",
        about: "Skills by what they are called, what they do and what they say, best first",
        query: &[Param { required: true, ..Param::new("q", Kind::Text, "The words.") }, AGENT, FILE, HITS],
        gives: &[(StatusCode::OK, of::<reply::Search<'_>>)],
        codes: &[&[Code::EmptyQuery, Code::InvalidPattern]],
        answer: |call| {
            Box::pin(look(call, |call, hall| {
                let request = SearchRequest {
                    query: call.query.text("q").unwrap_or_default(),
                    limit: call.query.count(&HITS),
                    agent: call.view(),
                    file: call.query.text("file"),
                };
                Ok(call.answer(&search(hall, &request)))
            }))
        },
        ..GET
    },
    Route {
        path: "/skills/{name}",
        name: "show_skill",
        about: "Everything about one skill; its tag begins with the digest of its file, which a change is meant for",
        gives: &[(StatusCode::OK, of::<reply::Show<'_>>)],
        codes: &[NAMED, HELD],
        answer: |call| {
            Box::pin(look(call, |call, hall| {
                call.may_see(hall, call.name())?;
                let shown = show(hall, call.name());
                let digest = shown.data.skill.as_ref().filter(|_| shown.status == Status::Ok);
                let digest = digest.map(|skill| skill.digest.clone());
                Ok(call.answer(&shown).tagged(digest))
            }))
        },
        ..GET
    },
];
