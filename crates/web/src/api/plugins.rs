//! Plugins: what there is, whether each is on, and what is set for it.

use axum::http::StatusCode;
use guild_engine::ledger::{Role, SubjectKind};
use guild_engine::{Code, NewValue, Refusal, config_get, config_set, config_unset, plugins, reply};
use schemars::JsonSchema;
use serde::Deserialize;

use super::authoring::{SWITCHING, switch, switch_schema};
use super::call::{Call, look};
use super::respond::Answer;
use super::route::{DECIDING, GET, Method, POST, Route, of};

const SETTINGS: &[Code] = &[Code::PluginNotFound, Code::SkillAmbiguous, Code::SecretUnreadable];

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/plugins",
        name: "list_plugins",
        about: "Every plugin, with how many skills it ships and whether it is on",
        gives: &[(StatusCode::OK, of::<reply::Plugins<'_>>)],
        answer: |call| Box::pin(look(call, |call, hall| Ok(call.answer(&plugins(hall))))),
        ..GET
    },
    Route {
        method: Method::Put,
        path: "/plugins/{name}/enabled",
        name: "switch_plugin",
        about: "Switch a plugin on or off, for everybody or for one agent; an agent's wish waits for an admin",
        body: Some(switch_schema),
        gives: &[(StatusCode::OK, of::<reply::Toggle>), (StatusCode::ACCEPTED, of::<reply::Toggle>)],
        codes: &[&[Code::SkillAmbiguous, Code::SkillNotFound], DECIDING, SWITCHING],
        answer: |call| Box::pin(switch(call, SubjectKind::Plugin)),
        ..POST
    },
    Route {
        path: "/plugins/{name}/settings",
        name: "plugin_settings",
        about: "What is set for a plugin; encrypted values are not shown",
        gives: &[(StatusCode::OK, of::<reply::PluginConfig>)],
        codes: &[SETTINGS],
        answer: |call| Box::pin(settings(call)),
        ..GET
    },
    Route {
        method: Method::Put,
        path: "/plugins/{name}/settings/{key}",
        name: "set_plugin_setting",
        about: "Set a value for a plugin",
        body: Some(of::<Setting>),
        gives: &[(StatusCode::OK, of::<reply::PluginConfig>)],
        codes: &[SETTINGS, DECIDING, &[Code::SettingInvalid]],
        answer: |call| Box::pin(set(call)),
        ..POST
    },
    Route {
        method: Method::Delete,
        path: "/plugins/{name}/settings/{key}",
        name: "unset_plugin_setting",
        about: "Set a value for a plugin no more",
        role: Role::Admin,
        gives: &[(StatusCode::OK, of::<reply::PluginConfig>)],
        codes: &[SETTINGS, DECIDING, &[Code::ConfigNotSet]],
        answer: |call| Box::pin(unset(call)),
        ..GET
    },
];

/// A value for a plugin.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Setting {
    /// The value.
    value: String,
    /// Whether it is kept encrypted, and shown to nobody; one that the plugin calls sensitive always is.
    #[serde(default)]
    secret: bool,
}

async fn settings(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    Ok(call.answer(&config_get(&hall, &call.premises.books, call.name(), None).await))
}

async fn set(call: Call) -> Result<Answer, Refusal> {
    let Setting { value, secret } = call.body()?;
    let hall = call.premises.hall();
    let new = NewValue { key: call.part(1), value: &value, secret };
    let (books, now) = (&call.premises.books, call.premises.now());
    Ok(call.answer(&config_set(&hall, books, now, (call.name(), new), call.by.clone()).await))
}

async fn unset(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    let (books, now) = (&call.premises.books, call.premises.now());
    let unset = config_unset(&hall, books, now, (call.name(), call.part(1)), call.by.clone()).await;
    Ok(call.answer(&unset))
}
