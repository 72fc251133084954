//! Everything before the grant: whether this caller may, what the skill declares, what it is given, and the staged copy of it.
//!
//! The contract that counts is the one in the staged copy. Nothing here runs anything.

use std::path::PathBuf;
use std::sync::OnceLock;

use guild_catalog::Entry;
use guild_ledger::RunId;
use guild_manifest::skill::{Contract, Param, Params, Skill, Workspace};
use guild_vet::{Tier, Verdict};
use serde_json::{Map, Value};

use super::Invocation;
use super::executor::{Call, Executor, executor_of};
use super::params::{self, ParamError};
use super::plan::Plan;
use super::script;
use super::stop::Stop;
use super::workspace::{path_inside, workspace};
use crate::authority::may_run;
use crate::invocable::refusal;
use crate::reply::FindingLine;
use crate::security_hash::Staged;
use crate::vet::{Gate, Plugin, Subject};
use crate::workshop::Workshop;
use crate::{Code, Refusal, reply};

/// A run as far as its skill and its parameters are known.
pub struct Draft<'w> {
    /// The snapshot's entry; nothing for a run that is repeated.
    pub entry: Option<&'w Entry>,
    /// Where the skill came from.
    pub source: String,
    /// The qualified name.
    pub name: String,
    /// For which agent.
    pub agent: String,
    /// The skill as it was staged.
    pub skill: Skill,
    /// What it declares, or the safest default.
    pub contract: Contract,
    /// The copy that is run.
    pub staged: Staged,
    /// The parameters, paths as they read inside.
    pub parameters: Map<String, Value>,
    /// The caller's words.
    pub arguments: Vec<String>,
    /// What the vet found.
    pub findings: Vec<FindingLine>,
    /// The directory that it sees as `/workspace`.
    pub workspace: Option<PathBuf>,
}

/// A run that waits for its grant alone.
pub struct Prepared<'w> {
    draft: Draft<'w>,
    /// What its kind would do.
    pub call: Call,
    /// What a person is shown, and what the receipt says.
    pub plan: Plan,
    /// Whoever does it.
    pub executor: &'static dyn Executor,
    /// The run, once it has begun.
    pub run: OnceLock<RunId>,
}

impl<'w> std::ops::Deref for Prepared<'w> {
    type Target = Draft<'w>;

    fn deref(&self) -> &Draft<'w> {
        &self.draft
    }
}

/// Takes a run to where only the grant is missing.
pub async fn prepare<'w>(
    workshop: &Workshop<'w>,
    entry: &'w Entry,
    invocation: &Invocation<'_>,
) -> Result<Prepared<'w>, Box<Stop>> {
    let name = entry.qualified_name().into_owned();
    if let Err(refusal) = may_run(invocation.principal) {
        return Err(Stop::of(&name, refusal));
    }
    if let Some(reason) = refusal(workshop.hall, entry, invocation.principal) {
        return Err(Stop::of(&name, Refusal::new(Code::SkillNotInvocable, reason)));
    }
    let staged = crate::security_hash::stage(workshop.hall, entry, workshop.images, workshop.store)
        .map_err(|refusal| Stop::of(&name, refusal))?;
    let place = entry.place.path();
    let mut draft = Draft {
        entry: Some(entry),
        source: format!("{} · {}", entry.place.scope.as_str(), place.display()),
        ..Draft::of(name, staged, invocation)
    };
    vetted(workshop, &mut draft)?;
    draft.parameters = parameters(workshop, invocation, &mut draft)?;
    planned(workshop, invocation, draft).await
}

/// The same for a run that is repeated: the copy, the parameters and the workspace are those of the first time.
pub async fn prepare_again<'w>(
    workshop: &Workshop<'w>,
    invocation: &Invocation<'_>,
    mut draft: Draft<'w>,
) -> Result<Prepared<'w>, Box<Stop>> {
    vetted(workshop, &mut draft)?;
    planned(workshop, invocation, draft).await
}

/// The same for a plugin's hook, whose command is known and whose parameters are its context.
pub fn prepare_hook<'w>(
    workshop: &Workshop<'w>,
    invocation: &Invocation<'_>,
    draft: Draft<'w>,
    call: Call,
) -> Result<Prepared<'w>, Box<Stop>> {
    prepare_with(workshop, invocation, draft, call, &script::Script)
}

/// The same for a tool that is called by itself, whose input is checked by its own schema.
pub async fn prepare_call<'w>(
    workshop: &Workshop<'w>,
    invocation: &Invocation<'_>,
    mut draft: Draft<'w>,
) -> Result<Prepared<'w>, Box<Stop>> {
    vetted(workshop, &mut draft)?;
    draft.parameters.clone_from(&invocation.given.values);
    planned(workshop, invocation, draft).await
}

/// The same where what is done, and by whom, is known before.
pub fn prepare_with<'w>(
    workshop: &Workshop<'w>,
    invocation: &Invocation<'_>,
    mut draft: Draft<'w>,
    call: Call,
    executor: &'static dyn Executor,
) -> Result<Prepared<'w>, Box<Stop>> {
    vetted(workshop, &mut draft)?;
    if let Some(runner) = &call.runner {
        draft.staged.pin_runner(runner.clone(), workshop.store).map_err(|refusal| draft.stop(refusal))?;
    }
    let plan = Plan::of(workshop, invocation, &draft, &call);
    Ok(Prepared { executor, draft, call, plan, run: OnceLock::new() })
}

/// What is staged, as somebody approves it: with the tool or the runner behind it. Where those cannot be found it stays as it is, and
/// the reason is told.
pub async fn bound(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    staged: Staged,
) -> (Staged, Option<Refusal>) {
    let mut draft = Draft::of(invocation.name.to_owned(), staged, invocation);
    let bound = match executor_of(draft.skill.kind) {
        Some(executor) => executor.bind(workshop, &mut draft).await,
        None => Ok(()),
    };
    (draft.staged, bound.err())
}

/// What would be done, and what is shown of it.
pub async fn planned<'w>(
    workshop: &Workshop<'w>,
    invocation: &Invocation<'_>,
    mut draft: Draft<'w>,
) -> Result<Prepared<'w>, Box<Stop>> {
    let Some(executor) = executor_of(draft.skill.kind) else {
        let message = format!("nothing here runs skills of the kind `{}`", draft.skill.kind.as_str());
        return Err(draft.stop(Refusal::new(Code::ExecutorUnbound, message)));
    };
    let call = executor.call(workshop, &draft).await?;
    if let Some(tool) = &call.described {
        draft.staged.pin(tool.clone(), workshop.store).map_err(|refusal| draft.stop(refusal))?;
        // What reaches the tool is what is asked about, shown and written down.
        let more = tool.environment.iter().filter(|name| !draft.contract.env.contains(name));
        let more: Vec<String> = more.cloned().collect();
        draft.contract.env.extend(more);
        draft.contract.params.get_or_insert_with(|| secrets(&tool.input));
    }
    if let Some(runner) = &call.runner {
        draft.staged.pin_runner(runner.clone(), workshop.store).map_err(|refusal| draft.stop(refusal))?;
        draft.workspace.clone_from(&call.workspace);
    }
    if let Some(id) = invocation.container {
        script::check_container(workshop, &draft, id, invocation.owner)
            .map_err(|refusal| draft.stop(refusal))?;
    }
    let plan = Plan::of(workshop, invocation, &draft, &call);
    Ok(Prepared { executor, draft, call, plan, run: OnceLock::new() })
}

/// The parameters that a tool's own schema says must never be shown.
fn secrets(schema: &Value) -> Params {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let param = |(name, schema): (&String, &Value)| Param {
        name: name.clone(),
        format: schema.get("format").and_then(Value::as_str).map(str::to_owned),
        write_only: schema.get("writeOnly") == Some(&Value::Bool(true)),
        ..Param::default()
    };
    Params { list: properties.map(param).filter(params::is_secret).collect(), closed: false }
}

/// Stops what the rules deny, in the staged copy and not in the live directory; a whole plugin where that is mounted.
fn vetted(workshop: &Workshop<'_>, draft: &mut Draft<'_>) -> Result<(), Box<Stop>> {
    let mut gate = Gate::open(workshop.hall);
    let subject = Subject::of_path(&draft.staged.skill_file(), draft.name.clone());
    let plugin = draft.staged.payload.plugin.as_ref();
    let root = draft.staged.root.clone();
    let plugin = plugin.map(|plugin| Plugin { name: plugin.name.clone(), root });
    let vetted = gate.vet(&subject.within(plugin));
    gate.close();
    let is_denied = vetted.verdict == Verdict::Deny.as_str();
    draft.findings = vetted.findings;
    if !is_denied {
        return Ok(());
    }
    draft.findings.retain(|finding| finding.severity == Tier::Deny.as_str());
    let message = format!("the vet denies skill `{}`; `guild vet {0}` says why", draft.name);
    Err(draft.stop(Refusal::new(Code::SecurityPreflightDenied, message)))
}

/// The parameters by the contract, with paths as they read in the container.
fn parameters(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    draft: &mut Draft<'_>,
) -> Result<Map<String, Value>, Box<Stop>> {
    let declared = draft.contract.params.as_ref();
    let mut values = params::resolve(declared, invocation.given).map_err(|errors| draft.invalid(errors))?;
    let runs = matches!(draft.skill.kind, guild_manifest::skill::Kind::Script);
    if !runs || draft.contract.workspace == Workspace::None {
        return Ok(values);
    }
    let real = workspace(&workshop.hall.machine, workshop.places).map_err(|refusal| draft.stop(refusal))?;
    let mut errors = Vec::new();
    let paths = declared.map(|params| params.list.as_slice()).unwrap_or_default();
    for param in paths.iter().filter(|param| param.format.as_deref() == Some("path")) {
        if let Some(Value::String(path)) = values.get_mut(&param.name) {
            match path_inside(path, &workshop.hall.machine.directory, &real) {
                Ok(inside) => *path = inside,
                Err(message) => errors.push(ParamError { path: format!("/{}", param.name), message }),
            }
        }
    }
    draft.workspace = Some(real);
    if errors.is_empty() { Ok(values) } else { Err(draft.invalid(errors)) }
}

impl Draft<'_> {
    /// A staged skill, before anything is known of what it is given.
    pub fn of(name: String, staged: Staged, invocation: &Invocation<'_>) -> Self {
        let skill = staged.skill.clone();
        Self {
            entry: None,
            source: String::new(),
            name,
            agent: invocation.principal.agent.clone(),
            contract: skill.contract.as_deref().cloned().unwrap_or_default(),
            skill,
            staged,
            parameters: Map::new(),
            arguments: invocation.arguments.to_vec(),
            findings: Vec::new(),
            workspace: None,
        }
    }

    /// The reply as far as it is known.
    pub fn reply(&self) -> reply::Run {
        reply::Run {
            kind: Some(self.skill.kind.as_str()),
            security_hash: Some(self.staged.security_hash.to_string()),
            findings: self.findings.clone(),
            ..reply::Run::nothing(&self.name)
        }
    }

    /// Stops it here.
    pub fn stop(&self, refusal: Refusal) -> Box<Stop> {
        Stop::new(self.reply(), refusal)
    }

    fn invalid(&self, errors: Vec<ParamError>) -> Box<Stop> {
        let told: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        let mut stop = self.stop(Refusal::new(Code::InvalidParams, told.join("; ")));
        stop.reply.errors = errors;
        stop
    }
}

impl Prepared<'_> {
    /// Stops it here, with the plan for the receipt.
    pub fn stop(&self, refusal: Refusal) -> Box<Stop> {
        let mut stop = self.draft.stop(refusal);
        stop.plan = Some(self.plan.kept.clone());
        stop
    }
}
