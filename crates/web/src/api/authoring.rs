//! Skills of one's own: written, changed, removed, and switched on or off with everybody else's.

use std::sync::Arc;

use axum::http::StatusCode;
use guild_engine::catalog::create::Layout;
use guild_engine::ledger::{Role, SubjectKind};
use guild_engine::manifest::Digest;
use guild_engine::{
    Code, Content, EditRequest, NewRequest, Owner, Premises, Refusal, Status, ToggleRequest, Wish, reply,
    skill_create, skill_remove, skill_update, toggle, wish,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::query::{encoded, invalid};
use super::respond::Answer;
use super::route::{DECIDING, GET, Method, NAMED, POST, Route, TOP, of};

/// Codes of what writes a skill.
const WRITING: &[Code] =
    &[Code::InvalidName, Code::DraftRejected, Code::SecurityPreflightDenied, Code::WriteFailed];
/// Codes of what switches something.
pub(super) const SWITCHING: &[Code] = &[
    Code::ApprovalRequired,
    Code::SecurityHashMismatch,
    Code::PluginNotFound,
    Code::PluginInUse,
    Code::EnvironmentMissing,
    Code::DependencyMissing,
    Code::DependencyCycle,
    Code::HookFailed,
    Code::ToolConflict,
    Code::SecurityPreflightDenied,
    Code::ApprovalDenied,
    Code::SecretUnreadable,
];

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/skills",
        name: "create_skill",
        about: "Write a new skill, from its whole text or from a template; an agent's wish waits for an admin",
        body: Some(of::<NewSkill>),
        gives: &[(StatusCode::CREATED, of::<reply::New<'_>>), (StatusCode::ACCEPTED, of::<reply::Wished>)],
        codes: &[WRITING, DECIDING, &[Code::AlreadyExists, Code::ApprovalRequired]],
        answer: |call| Box::pin(create(call)),
        ..POST
    },
    Route {
        method: Method::Put,
        path: "/skills/{name}",
        name: "update_skill",
        about: "Replace the file of a skill of your own; `If-Match` names the digest that the change is meant for",
        body: Some(of::<SkillContent>),
        gives: &[(StatusCode::OK, of::<reply::New<'_>>)],
        guarded: true,
        codes: &[WRITING, NAMED, DECIDING, &[Code::SkillReadOnly]],
        answer: |call| Box::pin(update(call)),
        ..POST
    },
    Route {
        method: Method::Delete,
        path: "/skills/{name}",
        name: "delete_skill",
        about: "Remove a skill of your own with everything in its directory",
        role: Role::Admin,
        gives: &[(StatusCode::OK, of::<reply::SkillRemoved>)],
        codes: &[NAMED, DECIDING, &[Code::SkillReadOnly, Code::WriteFailed, Code::PreconditionFailed]],
        answer: |call| Box::pin(remove(call)),
        ..GET
    },
    Route {
        method: Method::Put,
        path: "/skills/{name}/enabled",
        name: "switch_skill",
        about: "Switch a skill on or off, for everybody or for one agent; an agent's wish waits for an admin",
        body: Some(of::<Switch>),
        gives: &[(StatusCode::OK, of::<reply::Toggle>), (StatusCode::ACCEPTED, of::<reply::Toggle>)],
        codes: &[NAMED, DECIDING, SWITCHING],
        answer: |call| Box::pin(switch(call, SubjectKind::Skill)),
        ..POST
    },
];

/// A skill to be written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewSkill {
    /// Its name: letters, digits, `.`, `_` and `-`, at most 64.
    name: String,
    /// The whole text of its file; without it the template.
    content: Option<String>,
    /// What the template says that it does.
    description: Option<String>,
    /// Whose it will be.
    #[serde(default)]
    scope: Scope,
    /// Whether it has a directory of its own.
    #[serde(default)]
    layout: Shape,
}

/// Whose something is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// The project's.
    #[default]
    Project,
    /// The person's own, in every project.
    User,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Shape {
    /// `<name>/SKILL.md`.
    #[default]
    Directory,
    /// `<name>.md` alone.
    Flat,
}

/// What a skill is to become.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SkillContent {
    /// The whole text of its file.
    content: String,
}

/// Whether something is to be on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Switch {
    /// Whether it is to be on.
    enabled: bool,
    /// For this agent alone.
    agent: Option<String>,
}

async fn create(call: Call) -> Result<Answer, Refusal> {
    let asked: NewSkill = call.body()?;
    let hall = call.premises.hall();
    let workshop = call.premises.workshop(&hall);
    if call.by.is_agent() {
        let content =
            asked.content.ok_or_else(|| invalid("an agent proposes the whole `content`".to_owned()))?;
        let wished = wish(&workshop, &call.by, Wish::Create { name: asked.name, content }).await;
        return Ok(call.answer(&wished));
    }
    let content = match (&asked.content, &asked.description) {
        (Some(_), Some(_)) => return Err(invalid("`content` or `description`, not both".to_owned())),
        (Some(content), None) => Content::Whole(content.as_bytes()),
        (None, description) => Content::Template(description.as_deref()),
    };
    let request = NewRequest {
        name: &asked.name,
        owner: if asked.scope == Scope::User { Owner::User } else { Owner::Project },
        layout: match asked.layout {
            Shape::Directory => Layout::Directory,
            Shape::Flat => Layout::Flat,
        },
        content,
    };
    let created = skill_create(&workshop, &call.by, &request).await;
    seen(&call.premises).await;
    let place = format!("{TOP}/skills/{}", encoded(&asked.name));
    let answer = call.answer(&created).with(StatusCode::CREATED);
    Ok(if created.status == Status::Ok { answer.at(&place) } else { answer })
}

async fn update(call: Call) -> Result<Answer, Refusal> {
    let asked: SkillContent = call.body()?;
    let unguarded = || {
        let message = "say by `If-Match` which state the change is meant for: the tag of the skill, or its digest in quotes";
        Refusal::new(Code::PreconditionRequired, message)
    };
    let expected = call.expected()?.ok_or_else(unguarded)?;
    let hall = call.premises.hall();
    let workshop = call.premises.workshop(&hall);
    let request = EditRequest { name: call.name(), content: &asked.content, expected: &expected };
    let updated = skill_update(&workshop, &call.by, &request).await;
    seen(&call.premises).await;
    let digest = (updated.status == Status::Ok).then(|| Digest::of(asked.content.as_bytes()).to_string());
    Ok(call.answer(&updated).tagged(digest))
}

async fn remove(call: Call) -> Result<Answer, Refusal> {
    let expected = call.expected()?;
    let hall = call.premises.hall();
    let workshop = call.premises.workshop(&hall);
    let removed = skill_remove(&workshop, &call.by, call.name(), expected.as_deref()).await;
    seen(&call.premises).await;
    Ok(call.answer(&removed))
}

/// Switches what is named in the path.
pub(super) async fn switch(call: Call, kind: SubjectKind) -> Result<Answer, Refusal> {
    let asked: Switch = call.body()?;
    let hall = call.premises.hall();
    let request = ToggleRequest {
        kind: Some(kind),
        agent: asked.agent.as_deref(),
        ..ToggleRequest::new(call.name(), asked.enabled, &call.by, &call.by.agent)
    };
    let switched = toggle(&call.premises.workshop(&hall), request).await;
    seen(&call.premises).await;
    Ok(call.answer(&switched))
}

/// The schema of what [`switch`] takes.
pub(super) fn switch_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    of::<Switch>(generator)
}

/// Lets everybody see at once what has changed; where that fails they see it later.
pub(super) async fn seen(premises: &Arc<Premises>) {
    premises.refresh().await.ok();
}
