//! What can be told of skills without running them: problems, findings, contract, hash, and their text for a model.

use axum::http::StatusCode;
use guild_engine::manifest::skill::Profile;
use guild_engine::{
    CheckRequest, Code, Refusal, RenderRequest, Target, VetRequest, check, contract, hash, load, render,
    reply, vet,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::{Call, beside, look};
use super::query::{Kind, Param};
use super::respond::Answer;
use super::route::{GET, HELD, NAMED, POST, Route, of};
use guild_engine::ledger::Role;

const PROFILE: Param = Param::new("profile", Kind::Choice(&["lenient", "strict", "upload"]), "How strictly.");

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/check",
        name: "check_all",
        about: "What is wrong with skills, plugins and configuration, with lines and how to mend it",
        query: &[PROFILE],
        gives: &[(StatusCode::OK, of::<reply::Check<'_>>)],
        answers: &[&[Code::CheckFailed]],
        codes: &[&[Code::PersonRequired]],
        answer: |call| Box::pin(checked(call, false)),
        ..GET
    },
    Route {
        path: "/skills/{name}/check",
        name: "check_skill",
        about: "What is wrong with one skill",
        query: &[PROFILE],
        gives: &[(StatusCode::OK, of::<reply::Check<'_>>)],
        answers: &[&[Code::CheckFailed]],
        codes: &[NAMED, HELD, &[Code::PathNotFound]],
        answer: |call| Box::pin(checked(call, true)),
        ..GET
    },
    Route {
        path: "/findings",
        name: "vet_all",
        about: "What the vet finds in every skill",
        gives: &[(StatusCode::OK, of::<reply::Vet>)],
        answers: &[&[Code::SecurityPreflightDenied]],
        codes: &[&[Code::PersonRequired]],
        answer: |call| {
            Box::pin(async {
                call.person().await?;
                look(call, |call, hall| Ok(vetted(call, hall, Target::Everything))).await
            })
        },
        ..GET
    },
    Route {
        path: "/skills/{name}/findings",
        name: "vet_skill",
        about: "What the vet finds in one skill",
        gives: &[(StatusCode::OK, of::<reply::Vet>)],
        answers: &[&[Code::SecurityPreflightDenied]],
        codes: &[NAMED, &[Code::SkillNotInvocable]],
        answer: |call| {
            Box::pin(look(call, |call, hall| {
                call.may_see(hall, call.name())?;
                let skill = guild_engine::show(hall, call.name());
                let Some(skill) = &skill.data.skill else { return Ok(call.answer(&skill)) };
                let named = vec![skill.summary.qualified_name.clone().into_owned()];
                Ok(vetted(call, hall, Target::Named(named)))
            }))
        },
        ..GET
    },
    Route {
        path: "/skills/{name}/contract",
        name: "fit_contract",
        about: "The contract that would fit what a skill's scripts evidently need",
        gives: &[(StatusCode::OK, of::<reply::Fit>)],
        codes: &[NAMED, HELD],
        answer: |call| {
            Box::pin(look(call, |call, hall| {
                call.may_see(hall, call.name())?;
                Ok(call.answer(&contract(hall, call.name())))
            }))
        },
        ..GET
    },
    Route {
        path: "/skills/{name}/hash",
        name: "hash_skill",
        about: "The security hash of a skill, which approvals are keyed by, and everything that went into it",
        gives: &[(StatusCode::OK, of::<reply::Hash>)],
        codes: &[NAMED, HELD, STAGING],
        answer: |call| Box::pin(hashed(call)),
        ..GET
    },
    Route {
        path: "/skills/{name}/render",
        name: "render_skill",
        about: "A skill's text as a model reads it; an agent that loads one leaves a receipt",
        role: Role::Viewer,
        body: Some(of::<Words>),
        gives: &[(StatusCode::OK, of::<reply::Render<'_>>)],
        codes: &[NAMED, HELD],
        answer: |call| Box::pin(rendered(call)),
        ..POST
    },
];

/// Codes of what stages a skill.
pub(super) const STAGING: &[Code] = &[
    Code::SkillFilesRefused,
    Code::SkillTooLarge,
    Code::SkillChanged,
    Code::StoreDamaged,
    Code::WriteFailed,
    Code::NoHome,
    Code::UnknownImageRole,
    Code::ImageNotFound,
    Code::ScriptNotFound,
];

/// The words for a skill.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Words {
    /// The arguments, as words.
    #[serde(default)]
    arguments: Vec<String>,
}

async fn checked(call: Call, is_one: bool) -> Result<Answer, Refusal> {
    if !is_one {
        call.person().await?;
    }
    look(call, move |call, hall| {
        let profile = match call.query.text("profile") {
            Some("strict") => Profile::Strict,
            Some("upload") => Profile::Upload,
            _ => Profile::Lenient,
        };
        let mut paths = Vec::new();
        if is_one {
            call.may_see(hall, call.name())?;
            let skill = guild_engine::show(hall, call.name());
            let Some(skill) = &skill.data.skill else { return Ok(call.answer(&skill)) };
            paths = vec![skill.summary.path.to_path_buf()];
        }
        Ok(call.answer(&check(hall, &CheckRequest { paths, profile })))
    })
    .await
}

fn vetted(call: &Call, hall: &guild_engine::Hall, target: Target) -> Answer {
    call.answer(&vet(hall, &VetRequest { target, progress: &|_, _| {} }))
}

async fn hashed(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    beside(move || {
        call.may_see(&hall, call.name())?;
        let workshop = call.premises.workshop(&hall);
        Ok(call.answer(&hash(&hall, workshop.images, workshop.places, call.name())))
    })
    .await?
}

async fn rendered(call: Call) -> Result<Answer, Refusal> {
    let Words { arguments } = call.body()?;
    let hall = call.premises.hall();
    let request = RenderRequest { name: call.name(), arguments: &arguments, caller: &call.by };
    let rendered = if call.by.is_agent() {
        load(&hall, &call.premises.books, call.premises.now(), &request).await
    } else {
        render(&hall, &request)
    };
    Ok(call.answer(&rendered))
}
