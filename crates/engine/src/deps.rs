//! `deps`: the install steps that a skill declares, shown; and running one on the host.
//!
//! A step is a stranger's wish. Of it only a kind and a name count, and those only where our own table has a package manager for the
//! kind that can be told to run no scripts of packages. It runs outside any container, by an admin at a terminal who has seen the
//! exact command, and leaves receipts. What needs the network of ours (`download`) or root (`apt`) is only shown.

use std::collections::BTreeMap;
use std::process::Stdio;

use guild_catalog::{Entry, Machine};
use guild_ledger::receipt::{Entry as Written, Kind, SkillRef};
use guild_ledger::{Principal, Role, Timestamp, via};
use guild_manifest::skill::InstallStep;
use guild_sandbox::package_manager::{Manager, Package};
use guild_vet::Verdict;

use crate::hall::Hall;
use crate::reply::{Deps, DepsInstalled, StepLine};
use crate::resolve::{Unresolved, resolve};
use crate::vet::{Gate, Subject};
use crate::{Books, Code, Envelope, Refusal};

/// The variables that a package manager gets, where they are set; no credentials.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GOPATH",
    "GOBIN",
    "GOPROXY",
];

/// A step to be run.
#[derive(Debug, Clone, Copy)]
pub struct InstallRequest<'a> {
    /// The skill, by any of its names.
    pub name: &'a str,
    /// The step's number.
    pub step: usize,
}

/// Shows the steps that a skill declares.
pub fn deps(hall: &Hall, name: &str) -> Envelope<Deps> {
    match resolve(hall, name) {
        Ok(entry) => Envelope::ok(Deps {
            found: true,
            skill: Some(entry.qualified_name().into_owned()),
            steps: lines(hall, entry),
            unmet: entry.unmet.clone(),
            installed: None,
            candidates: Vec::new(),
        }),
        Err(Unresolved { code, message, candidates }) => {
            Envelope::error(code, message, Deps { candidates, ..Deps::default() })
        }
    }
}

/// Runs a step that a person has confirmed; what the package manager prints goes to `output`.
pub async fn deps_install(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    (request, output): (InstallRequest<'_>, Stdio),
    by: Principal,
) -> Envelope<DepsInstalled> {
    let mut reply = DepsInstalled { skill: request.name.to_owned(), ..DepsInstalled::default() };
    match install(hall, books, now, (request, output), (by, &mut reply)).await {
        Ok(message) => Envelope::ok(reply).with_message(message),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, reply),
    }
}

async fn install(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    (request, output): (InstallRequest<'_>, Stdio),
    (by, reply): (Principal, &mut DepsInstalled),
) -> Result<String, Refusal> {
    books.authorise(now, &by, Role::Admin).await?;
    if by.via != via::TERMINAL {
        let message = "what runs on this machine outside a container takes a person at a terminal";
        let refusal = Refusal::new(Code::ApprovalWayForbidden, message);
        return Err(books.denied(now, &by, refusal).await);
    }
    let entry = resolve(hall, request.name)
        .map_err(|unresolved| Refusal::new(unresolved.code, unresolved.message))?;
    reply.skill = entry.qualified_name().into_owned();
    vetted(hall, entry)?;
    let step = request
        .step
        .checked_sub(1)
        .and_then(|at| steps(entry).get(at))
        .ok_or_else(|| no_step(entry, request.step))?;
    let package = package(step).map_err(|why| Refusal::new(Code::StepRefused, why))?;
    (reply.step, reply.command) = (Some(request.step), package.command());
    let command = reply.command.join(" ");
    books.note(now, &reply.skill, ("install_approved", &command), by.clone()).await?;
    let ended = package.install(&environment(&hall.machine), output);
    let (code, told) = match &ended {
        Ok(Some(0)) => ("dependency_installed", None),
        Ok(Some(code)) => (Code::InstallFailed.as_str(), Some(format!("`{command}` ended with {code}"))),
        Ok(None) => (Code::InstallFailed.as_str(), Some(format!("`{command}` was ended by a signal"))),
        Err(error) => (Code::InstallFailed.as_str(), Some(format!("`{command}` cannot be started: {error}"))),
    };
    reply.exit_code = ended.ok().flatten();
    let note = told.as_deref().unwrap_or(&command);
    reply.receipt = Some(books.note(now, &reply.skill, (code, note), by).await?);
    match told {
        None => Ok(format!("`{command}` has ended well")),
        Some(told) => Err(Refusal::new(Code::InstallFailed, told)),
    }
}

impl Books {
    /// Writes what was decided about a skill's step.
    async fn note(
        &self,
        now: Timestamp,
        skill: &str,
        (code, note): (&str, &str),
        by: Principal,
    ) -> Result<String, Refusal> {
        let entry = Written {
            skill: Some(SkillRef { name: skill.to_owned(), security_hash: None }),
            note: Some(note.to_owned()),
            ..Written::new(Kind::Decision, code, by)
        };
        let written = self.ledger.append(now, entry).await;
        written.map(|receipt| receipt.receipt.id.to_string()).map_err(|error| self.refusal(error))
    }
}

/// What the vet denies brings nothing onto this machine either.
fn vetted(hall: &Hall, entry: &Entry) -> Result<(), Refusal> {
    let mut gate = Gate::open(hall);
    let vetted = gate.vet(&Subject::of_entry(&hall.snapshot, entry));
    gate.close();
    if vetted.verdict != Verdict::Deny.as_str() {
        return Ok(());
    }
    let name = entry.qualified_name();
    let message = format!("the vet denies skill `{name}`; `guild vet {name}` says why");
    Err(Refusal::new(Code::SecurityPreflightDenied, message))
}

fn steps(entry: &Entry) -> &[InstallStep] {
    entry.skill.requirements.as_ref().map(|asked| asked.install.as_slice()).unwrap_or_default()
}

fn no_step(entry: &Entry, number: usize) -> Refusal {
    let name = entry.qualified_name();
    let message = format!("skill `{name}` declares no install step {number}; `guild deps {name}` shows them");
    Refusal::new(Code::StepNotFound, message)
}

/// The steps as they are shown.
pub(crate) fn lines(hall: &Hall, entry: &Entry) -> Vec<StepLine> {
    let path = hall.machine.search_path();
    let is_missing = |bin: &&String| bin.contains('/') || !path.iter().any(|place| place.join(bin).is_file());
    let line = |(at, step): (usize, &InstallStep)| {
        let package = package(step);
        StepLine {
            number: at + 1,
            kind: step.kind.clone(),
            target: step.target.clone(),
            label: step.label.clone(),
            bins: step.bins.clone(),
            missing: step.bins.iter().filter(is_missing).cloned().collect(),
            command: package.as_ref().ok().map(Package::command),
            refused: package.err(),
        }
    };
    steps(entry).iter().enumerate().map(line).collect()
}

/// What our table has for a step, or why it has nothing.
fn package(step: &InstallStep) -> Result<Package, String> {
    let manager = match step.kind.as_str() {
        "brew" => Manager::Brew,
        "uv" => Manager::Uv,
        "node" => Manager::Npm,
        "go" => Manager::Go,
        "apt" => {
            return Err(
                "it takes root, and scripts of its packages cannot be switched off; install it yourself"
                    .to_owned(),
            );
        }
        "download" => {
            return Err(
                "nothing is downloaded for a skill; fetch it yourself, and check its digest".to_owned()
            );
        }
        _ => return Err("this kind of step is not known".to_owned()),
    };
    Package::new(manager, &step.target).map_err(|error| error.to_string())
}

fn environment(machine: &Machine) -> BTreeMap<String, String> {
    let value = |name: &&str| Some(((*name).to_owned(), machine.env.get(*name)?.clone()));
    VARIABLES.iter().filter_map(value).collect()
}
