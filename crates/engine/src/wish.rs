//! What an agent wishes to have installed, removed or written: a request that waits for an admin, and doing it once it is approved.
//!
//! Whoever approves is the one who acts; the agent never is. What a person is shown is all that is done.

use std::path::Path;

use guild_catalog::create::Layout;
use guild_ledger::Principal;
use guild_manifest::Digest;
use serde_json::{Map, Value, json};

use crate::approvals::{AdminMatter, Shown, ask_admin};
use crate::create::{Content, NewRequest, Owner, create, examine};
use crate::install::{
    AddRequest, Choice, HostGit, Installer, Proposal, RemoveRequest, Scope, all_installed, install_bound,
    propose, remove,
};
use crate::reply::{RequestLine, Wished};
use crate::vet::policy;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, Status};

const INSTALL: &str = "install";
const UNINSTALL: &str = "uninstall";
const CREATE: &str = "create";

/// The parameters that say what exactly would be installed: the commit, each skill, and the digest of the lock of both.
const RESOLVED: &str = "resolved";
const INSTALLS: &str = "installs";
const BOUND: &str = "lock";

/// What an agent wishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Skills or plugins from a source.
    Install {
        /// Where from, as `guild add` takes it.
        source: String,
        /// The branch, tag or commit.
        reference: Option<String>,
        /// Which of them; the only one if empty.
        names: Vec<String>,
        /// Whether all of them.
        all: bool,
        /// Where to.
        scope: Scope,
    },
    /// What was installed, away.
    Uninstall {
        /// Its names.
        names: Vec<String>,
        /// From where.
        scope: Scope,
    },
    /// A new skill in the project.
    Create {
        /// Its name.
        name: String,
        /// The whole of its file.
        content: String,
    },
}

/// Leaves a request for an admin; what could not be done anyway is refused at once.
pub async fn wish(workshop: &Workshop<'_>, principal: &Principal, wish: Wish) -> Envelope<Wished> {
    let wish = &wish.seen_from(&workshop.hall.machine.directory);
    let mut reply = Wished { action: wish.action().to_owned(), name: wish.name(), ..Wished::default() };
    let refusal = match ask(workshop, principal, wish, &mut reply).await {
        Ok(refusal) | Err(refusal) => refusal,
    };
    Envelope::error(refusal.code, refusal.message, reply)
}

async fn ask(
    workshop: &Workshop<'_>,
    principal: &Principal,
    wish: &Wish,
    reply: &mut Wished,
) -> Result<Refusal, Refusal> {
    if let Wish::Create { name, content } = wish {
        let machine = &workshop.hall.machine;
        examine(machine, &policy(&workshop.hall.config), &draft(name, content))?;
    }
    if let Wish::Uninstall { names, scope } = wish {
        all_installed(&workshop.hall.machine, workshop.places, *scope, names)?;
    }
    let mut shown = Shown {
        command: wish.command(),
        parameters: wish.parameters().into_iter().collect(),
        ..Shown::default()
    };
    if let Some(request) = wish.adding() {
        let git = HostGit::new(&workshop.hall.machine.env, false);
        show(propose(&workshop.desk(&git, &|_| {}, None), &request).await?, &mut shown);
    }
    let decided = json!({"version": 1, "action": wish.action(), "parameters": shown.parameters});
    let (action, name) = (wish.action(), wish.name());
    let asked = ask_admin(workshop, principal, AdminMatter { action, name, decided, shown }).await?;
    reply.request = Some(asked.request);
    reply.receipt = Some(asked.receipt);
    Ok(asked.told)
}

/// Shows what would be installed. The digest in it binds the approval to that.
fn show(proposal: Proposal, shown: &mut Shown) {
    let Proposal { bound, resolved, installs, capabilities, findings } = proposal;
    let resolved = resolved.map(|resolved| (RESOLVED.to_owned(), resolved.into()));
    shown.parameters.extend(resolved);
    shown.parameters.insert(INSTALLS.to_owned(), installs.into());
    shown.parameters.insert(BOUND.to_owned(), bound.to_string().into());
    (shown.capabilities, shown.findings) = (capabilities, findings);
}

/// What an approval of a request is bound to.
fn bound(request: &RequestLine) -> Result<Digest, Refusal> {
    let shown = Shown::read(&request.shown);
    let text = shown.as_ref().and_then(|shown| shown.parameters.get(BOUND)).and_then(Value::as_str);
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        let message = "the request does not say what exactly would be installed; let the agent ask again";
        Refusal::new(Code::SourceChanged, message)
    })
}

/// Does what an approved request wishes for, as the person who approved it; nothing where it is no wish.
pub async fn perform_wish(desk: &Installer<'_>, request: &RequestLine) -> Option<Envelope<Wished>> {
    let wish = Wish::of(request)?;
    let mut reply =
        Wished { action: request.action.clone(), name: request.skill.clone(), ..Wished::default() };
    let (status, code, message) = match &wish {
        Wish::Install { scope, .. } => {
            let installed = match bound(request) {
                Ok(bound) => install_bound(desk, *scope, &bound).await,
                Err(refusal) => Err(refusal),
            };
            match installed {
                Ok((changes, message)) => {
                    reply.installed = changes;
                    (Status::Ok, Code::Ok, message)
                }
                Err(refusal) => (Status::Error, refusal.code, refusal.message),
            }
        }
        Wish::Uninstall { names, scope } => {
            let request = RemoveRequest { names, scope: *scope, force: false };
            let mut removed = remove(desk, &request).await;
            reply.installed = std::mem::take(&mut removed.data.changes);
            outcome(removed)
        }
        Wish::Create { name, content } => {
            let (machine, policy) = (&desk.hall.machine, policy(&desk.hall.config));
            let created = create(machine, &policy, &draft(name, content));
            let path = created.data.path.clone().unwrap_or_default();
            let (status, code, message) = outcome(created);
            (status, code, if status == Status::Ok { format!("written to {path}") } else { message })
        }
    };
    let done = Wished { done: status == Status::Ok, ..reply };
    Some(match status {
        Status::Ok => Envelope::ok(done).with_message(message),
        Status::Error => Envelope::error(code, message, done),
    })
}

fn outcome<T>(envelope: Envelope<T>) -> (Status, Code, String) {
    (envelope.status, envelope.code, envelope.message)
}

fn draft<'a>(name: &'a str, content: &'a str) -> NewRequest<'a> {
    let (owner, layout) = (Owner::Project, Layout::Directory);
    NewRequest { name, owner, layout, content: Content::Whole(content.as_bytes()) }
}

impl Wish {
    /// The same, where whoever approves it may stand elsewhere than whoever wishes it.
    fn seen_from(mut self, directory: &Path) -> Self {
        if let Self::Install { source, .. } = &mut self
            && (source == "." || source.starts_with("./") || source.starts_with("../"))
        {
            *source = directory.join(&*source).to_string_lossy().into_owned();
        }
        self
    }

    /// The command's request, where something is to be installed.
    fn adding(&self) -> Option<AddRequest<'_>> {
        let Self::Install { source, reference, names, all, scope } = self else { return None };
        let choice = match names.as_slice() {
            _ if *all => Choice::All,
            [] => Choice::Only,
            names => Choice::Named(names.to_vec()),
        };
        Some(AddRequest {
            source,
            reference: reference.as_deref(),
            choice,
            scope: *scope,
            link: false,
            replace: false,
            skip_denied: false,
            ask: None,
        })
    }

    /// The word for it, as requests name it.
    fn action(&self) -> &'static str {
        match self {
            Self::Install { .. } => INSTALL,
            Self::Uninstall { .. } => UNINSTALL,
            Self::Create { .. } => CREATE,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Install { source: name, .. } | Self::Create { name, .. } => name.clone(),
            Self::Uninstall { names, .. } => names.join(","),
        }
    }

    /// Where it is about.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Install { scope, .. } | Self::Uninstall { scope, .. } => *scope,
            Self::Create { .. } => Scope::Project,
        }
    }

    /// The command that does the same, word by word.
    fn command(&self) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        match self {
            Self::Install { source, reference, names, all, scope } => {
                let mut command = words(&["guild", "add", source]);
                command.extend(reference.iter().flat_map(|reference| words(&["--ref", reference])));
                if !names.is_empty() {
                    command.extend(words(&["--skill", &names.join(",")]));
                }
                command.extend(all.then(|| "--all".to_owned()));
                command.extend(place(*scope));
                command
            }
            Self::Uninstall { names, scope } => {
                let mut command = words(&["guild", "remove"]);
                command.extend(names.iter().cloned());
                command.extend(place(*scope));
                command
            }
            Self::Create { name, .. } => words(&["guild", "new", name, "--from", "-"]),
        }
    }

    /// Everything that is kept of it with a request, and shown; what goes without saying is left out.
    fn parameters(&self) -> Map<String, Value> {
        let mut parameters = Map::new();
        if let Self::Create { content, .. } = self {
            parameters.insert("content".to_owned(), content.as_str().into());
        }
        if let Self::Install { reference: Some(reference), .. } = self {
            parameters.insert("ref".to_owned(), reference.as_str().into());
        }
        if let Self::Install { all: true, .. } = self {
            parameters.insert("all".to_owned(), true.into());
        }
        if let Self::Install { names, .. } | Self::Uninstall { names, .. } = self
            && !names.is_empty()
        {
            parameters.insert("names".to_owned(), names.clone().into());
        }
        if self.scope() == Scope::User {
            parameters.insert("scope".to_owned(), Scope::User.word().into());
        }
        parameters
    }

    /// What a request wishes for, by what was shown of it; nothing where it is about something else.
    pub fn of(request: &RequestLine) -> Option<Self> {
        let shown = Shown::read(&request.shown)?;
        let text = |key: &str| shown.parameters.get(key).and_then(Value::as_str).map(str::to_owned);
        let listed = shown.parameters.get("names").and_then(Value::as_array);
        let names = listed.into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        let is_users = text("scope").as_deref() == Some(Scope::User.word());
        let scope = if is_users { Scope::User } else { Scope::Project };
        let all = shown.parameters.get("all").and_then(Value::as_bool).unwrap_or_default();
        let name = request.skill.clone();
        match request.action.as_str() {
            INSTALL => Some(Self::Install { source: name, reference: text("ref"), names, all, scope }),
            UNINSTALL => Some(Self::Uninstall { names, scope }),
            CREATE => Some(Self::Create { name, content: text("content")? }),
            _ => None,
        }
    }
}

/// The word of a command for the person's own place.
fn place(scope: Scope) -> Option<String> {
    (scope == Scope::User).then(|| "--user".to_owned())
}
