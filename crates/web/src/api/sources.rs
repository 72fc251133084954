//! What is installed and where it came from: added, updated, removed and compared, with progress for those who want events.
//!
//! Only an admin changes it; what an agent asks for waits for one. The work goes on where whoever asked has gone: it happens wholly
//! or not at all, and its journal knows how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::StatusCode;
use guild_engine::ledger::Role;
use guild_engine::{
    AddRequest, Choice, Code, Edits, HostGit, InstallScope, Refusal, Registrar, RemoveRequest, UpdateRequest,
    Wish, add, installed, may_install, outdated, remove, reply, update, verify, wish,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use super::authoring::{Scope, seen};
use super::call::{Call, beside};
use super::events::stream;
use super::query::{Kind, Param};
use super::respond::Answer;
use super::route::{DECIDING, Events, GET, Method, POST, Route, of};

/// Codes of what installs.
pub(super) const INSTALLING: &[Code] = &[
    Code::SourceInvalid,
    Code::SourceAmbiguous,
    Code::SourceDenied,
    Code::SourceUnreachable,
    Code::SourceRefUnknown,
    Code::SourceChanged,
    Code::GitMissing,
    Code::NoSkills,
    Code::ChoiceRequired,
    Code::SkillNotFound,
    Code::SkillAmbiguous,
    Code::SkillBroken,
    Code::SkillTooLarge,
    Code::SkillFilesRefused,
    Code::SecurityPreflightDenied,
    Code::ArchiveInvalid,
    Code::UnsafePath,
    Code::UnsafeLink,
    Code::NameCollision,
    Code::UnpackBomb,
    Code::SpecialFile,
    Code::SetIdFile,
    Code::UnsafeName,
    Code::InstallPlaceRefused,
    Code::InstallConflict,
    Code::LockInvalid,
    Code::LockNewer,
    Code::AlreadyExists,
    Code::InvalidName,
    Code::PathNotFound,
    Code::StoreDamaged,
    Code::WriteFailed,
    Code::ReadFailed,
    Code::NoHome,
    Code::RegistryDenied,
    Code::RegistryFailed,
];
/// Codes of what looks at what is installed.
const INSTALLED: &[Code] = &[
    Code::NotInstalled,
    Code::LockInvalid,
    Code::LockNewer,
    Code::InstallPlaceRefused,
    Code::NoHome,
    Code::StoreDamaged,
    Code::ReadFailed,
];

const NAMES: Param = Param::new("name", Kind::Words, "Only this one (can be repeated).");
const SCOPE: Param =
    Param::new("scope", Kind::Choice(&["project", "user"]), "Whose installation; the project's if absent.");

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/sources",
        name: "list_installed",
        about: "What is installed in the project and by the person, from where, and whether it is as it was",
        gives: &[(StatusCode::OK, of::<reply::Installed>)],
        codes: &[INSTALLED],
        answer: |call| Box::pin(done(call, Work::List)),
        ..GET
    },
    Route {
        path: "/sources/outdated",
        name: "list_outdated",
        about: "What has moved at its source since it was installed",
        query: &[NAMES, SCOPE],
        gives: &[(StatusCode::OK, of::<reply::Outdated>)],
        events: Events::Wanted,
        codes: &[INSTALLED, INSTALLING],
        answer: |call| {
            let (scope, names) = (asked_scope(&call), call.query.words("name"));
            Box::pin(done(call, Work::Outdated(scope, names)))
        },
        ..GET
    },
    Route {
        path: "/sources/verify",
        name: "verify_installed",
        about: "Every installed byte against the lock",
        query: &[NAMES, SCOPE],
        gives: &[(StatusCode::OK, of::<reply::Verify>)],
        events: Events::Wanted,
        answers: &[&[Code::VerifyFailed]],
        codes: &[INSTALLED, &[Code::LockMissing]],
        answer: |call| {
            let (scope, names) = (asked_scope(&call), call.query.words("name"));
            Box::pin(done(call, Work::Verify(scope, names)))
        },
        ..GET
    },
    Route {
        path: "/sources",
        name: "add_source",
        about: "Install skills and plugins, or list what a source holds; an agent's wish waits for an admin",
        body: Some(of::<Added>),
        gives: &[(StatusCode::OK, of::<reply::Add>), (StatusCode::ACCEPTED, of::<reply::Wished>)],
        events: Events::Wanted,
        codes: &[INSTALLING, DECIDING, &[Code::ApprovalRequired, Code::LocallyEdited]],
        answer: |call| Box::pin(added(call)),
        ..POST
    },
    Route {
        path: "/sources/update",
        name: "update_sources",
        about: "Bring what is installed up to date; without `agreed` only say what would change",
        body: Some(of::<Updated>),
        gives: &[(StatusCode::OK, of::<reply::Update>)],
        events: Events::Wanted,
        answers: &[&[Code::NotConfirmed]],
        codes: &[INSTALLING, INSTALLED, DECIDING, &[Code::LocallyEdited, Code::UpdateConflict]],
        answer: |call| {
            Box::pin(async {
                let asked = call.body()?;
                done(call, Work::Update(asked)).await
            })
        },
        ..POST
    },
    Route {
        method: Method::Delete,
        path: "/sources/{name}",
        name: "remove_source",
        about: "Remove something that was installed; an agent's wish waits for an admin",
        role: Role::Admin,
        query: &[SCOPE, Param::new("force", Kind::Flag, "Also where somebody has edited it.")],
        gives: &[(StatusCode::OK, of::<reply::Changed>), (StatusCode::ACCEPTED, of::<reply::Wished>)],
        codes: &[
            INSTALLED,
            DECIDING,
            &[Code::ApprovalRequired, Code::LocallyEdited, Code::InstallConflict, Code::WriteFailed],
        ],
        answer: |call| Box::pin(removed(call)),
        ..GET
    },
];

/// What to install.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Added {
    /// Where from: `owner/repo`, a URL, a directory, an archive, `npm:PACKAGE`, `mcp:SERVER` or `marketplace:SOURCE`.
    source: String,
    /// The branch, tag or commit.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// Only these skills or plugins; the only one if neither this nor `all` is given.
    #[serde(default)]
    names: Vec<String>,
    /// Everything in it.
    #[serde(default)]
    all: bool,
    /// Install nothing, and list what is in it.
    #[serde(default)]
    preview: bool,
    /// Where to.
    #[serde(default)]
    scope: Scope,
    /// Replace what is installed under the same name, local edits included.
    #[serde(default)]
    replace: bool,
    /// Leave out what the vet denies, instead of refusing everything.
    #[serde(default)]
    skip_denied: bool,
}

/// What to update.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Updated {
    /// Only these; all if empty.
    #[serde(default)]
    names: Vec<String>,
    /// Where.
    #[serde(default)]
    scope: Scope,
    /// What becomes of edits of one's own.
    #[serde(default)]
    edits: Edited,
    /// Whether what would change was looked at and is agreed to.
    #[serde(default)]
    agreed: bool,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Edited {
    /// They stop the update.
    #[default]
    Refuse,
    /// They stay, and so does what they are in.
    Keep,
    /// They go.
    Replace,
    /// They are merged with the update.
    Merge,
}

/// What is done with what is installed.
enum Work {
    List,
    Outdated(InstallScope, Vec<String>),
    Verify(InstallScope, Vec<String>),
    Add(Added),
    Update(Updated),
    Remove { name: String, scope: InstallScope, force: bool },
}

async fn added(call: Call) -> Result<Answer, Refusal> {
    let asked: Added = call.body()?;
    if !call.by.is_agent() {
        return done(call, Work::Add(asked)).await;
    }
    let (scope, Added { source, reference, names, all, .. }) = (asked.scope.into(), asked);
    wished(&call, Wish::Install { source, reference, names, all, scope }).await
}

async fn removed(call: Call) -> Result<Answer, Refusal> {
    let (name, scope, force) = (call.name().to_owned(), asked_scope(&call), call.query.flag("force"));
    if call.by.is_agent() {
        return wished(&call, Wish::Uninstall { names: vec![name], scope }).await;
    }
    done(call, Work::Remove { name, scope, force }).await
}

async fn wished(call: &Call, wanted: Wish) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    Ok(call.answer(&wish(&call.premises.workshop(&hall), &call.by, wanted).await))
}

/// Does it beside the thread that serves everybody, and tells how far it is where whoever asks wants events.
async fn done(call: Call, work: Work) -> Result<Answer, Refusal> {
    if work.changes() {
        may_install(&call.premises.books, call.premises.now(), &call.by).await?;
    }
    let handle = Handle::current();
    if !call.wants_events() {
        let changes = work.changes();
        let premises = Arc::clone(&call.premises);
        let answer = beside(move || handle.block_on(work.perform(&call, &|_| {}))).await?;
        if changes {
            seen(&premises).await;
        }
        return Ok(answer);
    }
    let (teller, response) = stream();
    tokio::spawn(async move {
        let count = Arc::new(AtomicUsize::new(0));
        let (told, said, premises) = (teller.clone(), Arc::clone(&count), Arc::clone(&call.premises));
        let ended = beside(move || {
            let progress = |text: &str| {
                let number = said.fetch_add(1, Ordering::Relaxed) + 1;
                told.mention("progress", number, &json!({"message": text}));
            };
            handle.block_on(work.perform(&call, &progress))
        });
        let envelope = match ended.await {
            Ok(answer) => answer.envelope(),
            Err(refusal) => json!(refusal.into_envelope::<Map<String, Value>>()),
        };
        seen(&premises).await;
        teller.tell("ended", count.load(Ordering::Relaxed) + 1, &envelope).await;
    });
    Ok(Answer::Whole(response))
}

impl Work {
    fn changes(&self) -> bool {
        matches!(self, Self::Add(_) | Self::Update(_) | Self::Remove { .. })
    }

    async fn perform(self, call: &Call, progress: &(dyn Fn(&str) + Sync)) -> Answer {
        let (premises, hall) = (&call.premises, call.premises.hall());
        let git = HostGit::new(&hall.machine.env, false);
        let registrar = Registrar { books: &premises.books, by: call.by.clone(), now: premises.now() };
        let registrar = self.changes().then_some(registrar);
        let workshop = premises.workshop(&hall);
        let desk = workshop.desk(&git, progress, registrar);
        match self {
            Self::List => call.answer(&installed(&desk).await),
            Self::Outdated(scope, names) => call.answer(&outdated(&desk, scope, &names).await),
            Self::Verify(scope, names) => call.answer(&verify(&desk, scope, &names).await),
            Self::Add(asked) => call.answer(&add(&desk, &asked.request()).await),
            Self::Update(asked) => call.answer(&update(&desk, &asked.request()).await),
            Self::Remove { name, scope, force } => {
                call.answer(&remove(&desk, &RemoveRequest { names: &[name], scope, force }).await)
            }
        }
    }
}

impl Added {
    fn request(&self) -> AddRequest<'_> {
        AddRequest {
            source: &self.source,
            reference: self.reference.as_deref(),
            choice: match () {
                () if self.preview => Choice::List,
                () if self.all => Choice::All,
                () if self.names.is_empty() => Choice::Only,
                () => Choice::Named(self.names.clone()),
            },
            scope: self.scope.into(),
            link: false,
            replace: self.replace,
            skip_denied: self.skip_denied,
            ask: None,
        }
    }
}

impl Updated {
    fn request(&self) -> UpdateRequest<'_> {
        let edits = match self.edits {
            Edited::Refuse => Edits::Refuse,
            Edited::Keep => Edits::Keep,
            Edited::Replace => Edits::Replace,
            Edited::Merge => Edits::Merge,
        };
        UpdateRequest {
            names: &self.names,
            scope: self.scope.into(),
            edits,
            agreed: self.agreed,
            confirm: None,
        }
    }
}

fn asked_scope(call: &Call) -> InstallScope {
    if call.query.text("scope") == Some("user") { InstallScope::User } else { InstallScope::Project }
}

impl From<Scope> for InstallScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Project => Self::Project,
            Scope::User => Self::User,
        }
    }
}
