//! `enable` and `disable`: a skill or plugin, for everybody or for one agent.
//!
//! A plugin is checked first, and its own hook is run before it is on or off; one that fails leaves the plugin off, with the reason.
//! What an agent asks for waits for a person.

use std::time::Duration;

use guild_catalog::{PluginEntry, Scope};
use guild_ledger::{Arrival, Change, Principal, Registration, Role, Status, SubjectKind};
use guild_manifest::plugin::Lifecycle;
use serde_json::{Map, Value, json};

use super::subject::{Found, find};
use super::{ask, checks};
use crate::discretion::Discretion;
use crate::reply::{HookRun, Toggle};
use crate::resolve::Unresolved;
use crate::run::{Consent, Hook, Moment, Stage, run_hook, secrets};
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, Status as Outcome, reply};

/// What is to be switched.
pub struct ToggleRequest<'a> {
    /// The skill or plugin, by its name.
    pub name: &'a str,
    /// Which of the two is meant, where both bear the name.
    pub kind: Option<SubjectKind>,
    /// Whether it is to be on.
    pub on: bool,
    /// For this agent alone.
    pub agent: Option<&'a str>,
    /// Who asks.
    pub principal: &'a Principal,
    /// Who that is on this machine; hooks are told.
    pub user: &'a str,
    /// What the person who asks has decided of the hook already.
    pub consent: Option<Consent>,
    /// How long to wait for somebody's answer about the hook.
    pub wait: Option<Duration>,
    /// Told of what takes time.
    pub on_stage: &'a (dyn Fn(Stage<'_>) + Send + Sync),
}

impl<'a> ToggleRequest<'a> {
    /// Switches one for everybody; where a person has to be asked it does not wait for them.
    pub fn new(name: &'a str, on: bool, principal: &'a Principal, user: &'a str) -> Self {
        Self {
            name,
            kind: None,
            on,
            agent: None,
            principal,
            user,
            consent: None,
            wait: None,
            on_stage: &|_| {},
        }
    }
}

/// Switches a skill or plugin on or off.
pub async fn toggle(workshop: &Workshop<'_>, request: ToggleRequest<'_>) -> Envelope<Toggle> {
    let found = match find(workshop.hall, request.name, request.kind) {
        Ok(found) => found,
        Err(Unresolved { code, message, candidates }) => {
            let reply = Toggle { name: request.name.to_owned(), candidates, ..Toggle::default() };
            return Envelope::error(code, message, reply);
        }
    };
    let mut reply = Toggle {
        name: found.name(),
        kind: Some(found.kind().as_str()),
        agent: request.agent.map(str::to_owned),
        ..Toggle::default()
    };
    let switched = if request.principal.is_agent() {
        ask::ask(workshop, &found, &request, &mut reply).await
    } else {
        switch(workshop, &found, &request, &mut reply).await
    };
    match switched {
        Ok(message) => Envelope::ok(reply).with_message(message),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, reply),
    }
}

async fn switch(
    workshop: &Workshop<'_>,
    found: &Found<'_>,
    request: &ToggleRequest<'_>,
    reply: &mut Toggle,
) -> Result<String, Refusal> {
    let books = workshop.books;
    books.authorise(workshop.now(), request.principal, Role::Admin).await?;
    let known = books.known(found).await?;
    if let Some(known) = &known {
        reply.tell(known);
        if is_so(known, request) {
            let counts = what_counts(workshop, found, request, reply);
            return Ok(format!("{} is {} already{counts}", title(found), state(request)));
        }
    }
    if let (Found::Plugin(entry), None) = (found, request.agent) {
        prepare(workshop, entry, request, reply).await?;
    }
    let change = match (request.agent, request.on) {
        (Some(agent), true) => Change::EnableFor(agent.to_owned()),
        (Some(agent), false) => Change::DisableFor(agent.to_owned()),
        (None, true) => Change::Enable,
        (None, false) => Change::Disable,
    };
    write(workshop, found, request.principal, change, reply).await?;
    let mut message = format!("{} is {}", title(found), state(request));
    if request.on && request.agent.is_none() && is_strangers_code(found) {
        message.push_str("; it is not bundled with Guildhall: what it runs is contained, and asks first");
    }
    message.push_str(what_counts(workshop, found, request, reply));
    Ok(message)
}

/// Why something is off although it was switched on.
fn what_counts(
    workshop: &Workshop<'_>,
    found: &Found<'_>,
    request: &ToggleRequest<'_>,
    reply: &Toggle,
) -> &'static str {
    if request.on && found.is_off_by_configuration(workshop.hall) {
        "; but the configuration switches it off, and that counts"
    } else if request.on && reply.status != Some(Status::Enabled.as_str()) {
        "; but it is off for everybody, and that counts"
    } else {
        ""
    }
}

/// Whether a plugin that did not come with the program brings something that runs. Whoever switches it on is told so, that once.
fn is_strangers_code(found: &Found<'_>) -> bool {
    let Found::Plugin(entry) = found else { return false };
    entry.plugin.brings_code() && entry.scope != Scope::Builtin
}

/// Whether nothing is left to be done.
fn is_so(known: &Registration, request: &ToggleRequest<'_>) -> bool {
    match request.agent {
        Some(agent) => known.off_for.contains_key(agent) != request.on,
        None if request.on => known.status == Status::Enabled && known.enabled.is_some(),
        None => known.status == Status::Disabled,
    }
}

/// Checks a plugin, and runs its hook.
async fn prepare(
    workshop: &Workshop<'_>,
    entry: &PluginEntry,
    request: &ToggleRequest<'_>,
    reply: &mut Toggle,
) -> Result<(), Refusal> {
    let moment = if request.on {
        checks::can_be_on(workshop.hall, entry)?;
        Lifecycle::Enable
    } else {
        checks::can_be_off(workshop.hall, entry)?;
        Lifecycle::Disable
    };
    let declared = entry.plugin.lifecycle(moment).map_err(|why| {
        let message = format!("`{}` of plugin `{}` {why}", moment.as_str(), entry.plugin.name);
        Refusal::new(Code::HookFailed, message)
    })?;
    if declared.is_none() {
        return Ok(());
    }
    let context = context(workshop, entry, moment, request).await?;
    let discretion = discretion(workshop, &context).await;
    let hook = Hook {
        plugin: entry,
        moment: Moment::Life(moment),
        context,
        principal: request.principal,
        consent: request.consent,
        wait: request.wait,
        owner: request.user,
        on_stage: request.on_stage,
    };
    let ran = run_hook(workshop, hook).await;
    reply.request.clone_from(&ran.data.request);
    reply.hook = Some(HookRun::of(moment.as_str(), &ran));
    if ran.data.run.is_none() {
        // It never began: nothing has happened, and nothing changes.
        let message =
            format!("`{}` of plugin `{}` was not run: {}", moment.as_str(), entry.plugin.name, ran.message);
        return Err(Refusal::new(ran.code, message));
    }
    let Some(reason) = failure(&ran) else { return Ok(()) };
    // It is kept with the plugin and in the receipts, and may be what the hook has printed.
    let reason = discretion.text(&reason);
    let message = format!("`{}` of plugin `{}` failed: {reason}", moment.as_str(), entry.plugin.name);
    let change = Change::Fail { reason: format!("`{}` failed: {reason}", moment.as_str()) };
    write(workshop, &Found::Plugin(entry), request.principal, change, reply).await?;
    Err(Refusal::new(Code::HookFailed, message))
}

/// What a hook is told: which it is, for whom, the environment that it gets, and how its plugin is set.
async fn context(
    workshop: &Workshop<'_>,
    entry: &PluginEntry,
    moment: Lifecycle,
    request: &ToggleRequest<'_>,
) -> Result<Map<String, Value>, Refusal> {
    let machine = &workshop.hall.machine;
    let declared = entry.plugin.required_env.iter().chain(&entry.plugin.optional_env);
    let is_set = |name: &&String| machine.variable(name).is_some() || machine.credentials.contains(*name);
    let environment: Vec<&String> = declared.filter(is_set).collect();
    let known = workshop.books.known(&Found::Plugin(entry)).await?;
    let (config, secrets) = workshop.books.settings(known.as_ref()).await?;
    let context = json!({
        "event": moment.as_str(),
        "plugin": entry.plugin.name,
        "version": entry.plugin.version,
        "user": request.user,
        "environment": environment,
        "config": config,
    });
    match context {
        Value::Object(mut context) => {
            if !secrets.is_empty() {
                context.insert("secrets".to_owned(), secrets.into());
            }
            Ok(context)
        }
        _ => Err(Refusal::new(Code::Internal, "a context is no object")),
    }
}

/// What must not be kept of anything that a hook prints.
async fn discretion(workshop: &Workshop<'_>, context: &Map<String, Value>) -> Discretion {
    let mut discretion = Discretion::default();
    secrets(workshop).await.iter().for_each(|secret| discretion.hide(secret));
    let settings = context.get("secrets").and_then(Value::as_object).into_iter().flat_map(Map::values);
    settings.filter_map(Value::as_str).for_each(|secret| discretion.hide(secret));
    discretion
}

/// Why a hook has failed: by its end, or by its own word.
fn failure(ran: &Envelope<reply::Run>) -> Option<String> {
    let said = ran.data.output.as_ref();
    let error = said.and_then(|said| said.get("error")?.as_str());
    let has_failed = said.and_then(|said| said.get("success")?.as_bool()) == Some(false);
    let reason = match (ran.status, has_failed) {
        (Outcome::Ok, false) => return None,
        (Outcome::Ok, true) => error.unwrap_or("it says so").to_owned(),
        (Outcome::Error, _) => error.map_or_else(|| told(ran), str::to_owned),
    };
    Some(reason.chars().filter(|letter| !letter.is_control()).take(500).collect())
}

/// How it ended, with the last that it said.
fn told(ran: &Envelope<reply::Run>) -> String {
    match ran.data.stderr.trim().lines().next_back() {
        Some(last) if !last.is_empty() => format!("{} ({last})", ran.message),
        _ => ran.message.clone(),
    }
}

/// Writes a change, of something that the registry has not met before too.
async fn write(
    workshop: &Workshop<'_>,
    found: &Found<'_>,
    by: &Principal,
    change: Change,
    reply: &mut Toggle,
) -> Result<(), Refusal> {
    let (books, now) = (workshop.books, workshop.now());
    let known = match books.known(found).await? {
        Some(known) => known,
        None => {
            let arrival = Arrival::Found(found.usual());
            let registered = books.ledger.register(now, found.subject(), arrival, by.clone()).await;
            registered.map_err(|error| books.registry_refusal(error))?.0
        }
    };
    let changed = books.ledger.change(now, &known.plugin, change, by.clone()).await;
    let (state, receipt) = changed.map_err(|error| books.registry_refusal(error))?;
    reply.tell(&state);
    reply.receipt = Some(receipt.receipt.id.to_string());
    Ok(())
}

fn title(found: &Found<'_>) -> String {
    format!("{} `{}`", found.kind().as_str(), found.name())
}

fn state(request: &ToggleRequest<'_>) -> String {
    let word = if request.on { "on" } else { "off" };
    request.agent.map_or_else(|| word.to_owned(), |agent| format!("{word} for agent `{agent}`"))
}
