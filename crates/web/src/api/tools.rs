//! Tools, as everybody who offers some describes them at this moment.

use axum::http::StatusCode;
use guild_engine::{Code, Refusal, reply, tools_list, tools_show};

use super::call::Call;
use super::query::{Kind, Param};
use super::respond::Answer;
use super::route::{GET, Route, of};

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/tools",
        name: "list_tools",
        about: "Every tool, asked of its provider now; a provider that cannot say is told with its reason",
        query: &[Param::new(
            "provider",
            Kind::Text,
            "Only tools of this provider: `builtin`, `plugin` or `mcp`.",
        )],
        gives: &[(StatusCode::OK, of::<reply::Tools>)],
        codes: &[&[Code::ProviderUnbound]],
        answer: |call| Box::pin(listed(call)),
        ..GET
    },
    Route {
        path: "/tools/{name}",
        name: "show_tool",
        about: "One tool, by `provider:tool`",
        gives: &[(StatusCode::OK, of::<Option<reply::ToolLine>>)],
        codes: &[
            &[Code::ProviderUnbound, Code::ProviderToolUnregistered, Code::ProviderUnavailable],
            &[Code::ProviderPolicyDenied, Code::ToolInputInvalid, Code::ToolTimedOut, Code::ToolCrashed],
            &[
                Code::ToolRuntimeMissing,
                Code::ToolNoAnswer,
                Code::ToolAnswerNotJson,
                Code::ToolAnswerNotObject,
            ],
            &[Code::ProviderExecutionFailed],
        ],
        answer: |call| Box::pin(shown(call)),
        ..GET
    },
];

async fn listed(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    Ok(call.answer(&tools_list(&call.premises.workshop(&hall), call.query.text("provider")).await))
}

async fn shown(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    Ok(call.answer(&tools_show(&call.premises.workshop(&hall), call.name()).await))
}
