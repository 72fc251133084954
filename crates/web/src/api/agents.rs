//! Agents: who is configured, and the catalog that each one's model is told of.

use axum::http::StatusCode;
use guild_engine::catalog::prompt::Budget;
use guild_engine::manifest::config::PromptFormat;
use guild_engine::{Code, PromptRequest, Refusal, agents, prompt, reply};

use super::call::look;
use super::query::{Kind, Param};
use super::route::{GET, Route, of};

const BUDGET: Param = Param::new(
    "budget",
    Kind::Count { usual: 0, most: 10_000_000 },
    "At most so many characters; else as configured.",
);

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/agents",
        name: "list_agents",
        about: "The agents that are configured, and what each is allowed; an agent sees itself",
        gives: &[(StatusCode::OK, of::<reply::Agents>)],
        answer: |call| Box::pin(look(call, |call, hall| Ok(call.answer(&agents(hall, call.agent()))))),
        ..GET
    },
    Route {
        path: "/agents/{agent}/prompt",
        name: "agent_prompt",
        about: "The catalog of skills that an agent's model is told of, under a budget",
        query: &[
            Param::new(
                "format",
                Kind::Choice(&["xml", "index", "bullets", "json", "sections"]),
                "In which form.",
            ),
            BUDGET,
            Param::new("file", Kind::Text, "Skills whose globs match this file come first."),
        ],
        gives: &[(StatusCode::OK, of::<reply::Prompt<'_>>)],
        codes: &[&[Code::InvalidPattern, Code::PersonRequired]],
        answer: |call| {
            Box::pin(look(call, |call, hall| {
                if call.agent().is_some_and(|own| own != call.name()) {
                    let message = "an agent asks for its own prompt; it takes a person to see another's";
                    return Err(Refusal::new(Code::PersonRequired, message));
                }
                let format = call.query.text("format");
                let format = PromptFormat::ALL.iter().find(|(word, _)| Some(*word) == format);
                let request = PromptRequest {
                    agent: call.name(),
                    format: format.map(|(_, format)| *format),
                    budget: call.query.text("budget").map(|_| Budget::Characters(call.query.count(&BUDGET))),
                    file: call.query.text("file"),
                };
                Ok(call.answer(&prompt(hall, &request)))
            }))
        },
        ..GET
    },
];
