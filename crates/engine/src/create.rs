//! `new`: a skill that is not there yet, written where the project's or the person's own skills are kept.
//!
//! Nothing is overwritten; content that would not load, or that the vet denies, is not written.

use crate::counted::counted;
use crate::reply::{FindingLine, New, ProblemLine};
use crate::vet::denied_draft;
use crate::{Code, Envelope};
use guild_catalog::create::{CreateError, Draft, Layout, create as write, template};
use guild_catalog::validate::structure;
use guild_catalog::{Machine, Scope};
use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::{Code as ProblemCode, Problem, Severity};
use guild_vet::Policy;
use std::path::{Path, PathBuf};

/// Whose the skill will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The project's; outside a repository that of the caller's directory.
    Project,
    /// The person's own.
    User,
}

/// What the skill begins with.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// The template, with this description if there is one.
    Template(Option<&'a str>),
    /// The bytes of a whole file.
    Whole(&'a [u8]),
}

/// What to write.
#[derive(Debug, Clone, Copy)]
pub struct NewRequest<'a> {
    /// The skill's name.
    pub name: &'a str,
    /// Whose it will be.
    pub owner: Owner,
    /// How it will lie in its root.
    pub layout: Layout,
    /// What it begins with.
    pub content: Content<'a>,
}

/// Writes a skill, whole or not at all.
pub fn create(machine: &Machine, policy: &Policy, request: &NewRequest<'_>) -> Envelope<New<'static>> {
    let Examined { scope, root, content, remarks } = match examined(machine, policy, request) {
        Ok(examined) => examined,
        Err(refused) => return *refused,
    };
    let draft = Draft { root: &root, name: request.name, layout: request.layout, content: Some(&content) };
    match write(&draft) {
        Ok(path) => Envelope::ok(New {
            name: request.name.to_owned(),
            path: Some(path.to_string_lossy().into_owned()),
            scope: scope.as_str(),
            problems: remarks.into_iter().map(ProblemLine::owned).collect(),
            findings: Vec::new(),
        }),
        Err(CreateError::Rejected { problems }) => reject(request, scope, problems),
        Err(error) => {
            let (code, message) = explain(&error);
            refuse(request, scope, code, message, Vec::new())
        }
    }
}

/// Looks whether a skill could be written, and writes nothing.
pub(crate) fn examine(
    machine: &Machine,
    policy: &Policy,
    request: &NewRequest<'_>,
) -> Result<(), crate::Refusal> {
    let refused = examined(machine, policy, request).err();
    refused.map_or(Ok(()), |envelope| Err(crate::Refusal::new(envelope.code, envelope.message)))
}

/// What is ready to be written.
struct Examined {
    scope: Scope,
    root: PathBuf,
    content: String,
    remarks: Vec<Problem>,
}

fn examined(
    machine: &Machine,
    policy: &Policy,
    request: &NewRequest<'_>,
) -> Result<Examined, Box<Envelope<New<'static>>>> {
    let (scope, root) = place(machine, request.owner).map_err(|(scope, message)| {
        Box::new(refuse(request, scope, Code::WriteFailed, message, Vec::new()))
    })?;
    let (content, remarks) = judged(scope, policy, request)?;
    Ok(Examined { scope, root, content, remarks })
}

/// The content as text and what is still to be said of it, where authoring lets it pass.
pub(crate) fn judged(
    scope: Scope,
    policy: &Policy,
    request: &NewRequest<'_>,
) -> Result<(String, Vec<Problem>), Box<Envelope<New<'static>>>> {
    let (content, remarks) = match request.content {
        Content::Template(description) => (template(request.name, description), Vec::new()),
        Content::Whole(bytes) => {
            check(request, bytes).map_err(|problems| Box::new(reject(request, scope, problems)))?
        }
    };
    let findings = denied_draft(request.name, &file_of(request), content.as_bytes(), policy);
    if !findings.is_empty() {
        return Err(Box::new(deny(request, scope, findings)));
    }
    Ok((content, remarks))
}

/// The root that the skill goes to, and the scope that it will be found in.
fn place(machine: &Machine, owner: Owner) -> Result<(Scope, PathBuf), (Scope, String)> {
    let skills = |directory: &Path| directory.join(".guild/skills");
    let workspace = machine.workspace();
    match (owner, machine.home.as_deref()) {
        // What lies in the home directory is the person's, wherever the command was called.
        (Owner::Project, Some(home)) if workspace == home => Ok((Scope::User, skills(home))),
        (Owner::Project, _) => match link_out(workspace, &skills(workspace)) {
            Some(link) => {
                let told =
                    format!("`{}` is a link that leads out of the project; remove it first", link.display());
                Err((Scope::Project, told))
            }
            None => Ok((Scope::Project, skills(workspace))),
        },
        (Owner::User, Some(home)) => Ok((Scope::User, skills(home))),
        (Owner::User, None) => {
            Err((Scope::User, "there is no home directory; set HOME to an absolute path".to_owned()))
        }
    }
}

/// The part of a path in the project that really lies elsewhere: a project does not decide where else is written.
fn link_out<'a>(workspace: &Path, path: &'a Path) -> Option<&'a Path> {
    let real = workspace.canonicalize().ok()?;
    let below = path.ancestors().take_while(|part| *part != workspace);
    let leaves = |part: &&Path| part.canonicalize().is_ok_and(|part| !part.starts_with(&real));
    below.filter(leaves).last()
}

/// The content as text and what is still to be said of it, or why it is refused.
pub(crate) fn check(request: &NewRequest<'_>, bytes: &[u8]) -> Result<(String, Vec<Problem>), Vec<Problem>> {
    let file = file_of(request);
    let reading = skill::read(&Source::new(&file, request.name, bytes), Profile::Lenient);
    let text = String::from_utf8_lossy(bytes);
    let structural = structure(&text).into_iter().map(|problem| problem.in_file(&file));
    // A flat file of neither name nor description is taken for no skill at all.
    let says_nothing = request.layout == Layout::Flat
        && reading.skill.as_ref().is_some_and(|skill| skill.description.is_empty())
        && reading.problems.iter().any(|problem| problem.code == ProblemCode::NameMissing);
    let stops = |problem: &&Problem| {
        stops_authoring(problem) || says_nothing && problem.code == ProblemCode::DescriptionMissing
    };
    let stopping = reading.problems.iter().filter(stops).cloned();
    // What the reader cannot take has no structure worth a second complaint.
    let wrong = stopping.collect::<Vec<_>>();
    let wrong = if wrong.is_empty() { structural.collect() } else { wrong };
    if wrong.is_empty() {
        return Ok((text.into_owned(), reading.problems));
    }
    Err(wrong.into_iter().map(|problem| problem.with_severity(Severity::Error)).collect())
}

/// The file that the content goes to, in its own directory or beside others.
fn file_of(request: &NewRequest<'_>) -> String {
    match request.layout {
        Layout::Directory => "SKILL.md".to_owned(),
        Layout::Flat => format!("{}.md", request.name),
    }
}

/// Whether a problem keeps the skill out, or would change its text on the way to the file.
fn stops_authoring(problem: &Problem) -> bool {
    problem.excludes() || problem.code == ProblemCode::InvalidUtf8
}

fn explain(error: &CreateError) -> (Code, String) {
    let code = match error {
        CreateError::InvalidName { .. } | CreateError::ReservedName { .. } => Code::InvalidName,
        CreateError::AlreadyExists { .. } => Code::AlreadyExists,
        CreateError::Rejected { .. } => Code::DraftRejected,
        CreateError::Write { .. } => Code::WriteFailed,
    };
    match std::error::Error::source(error) {
        Some(source) => (code, format!("{error}: {source}")),
        None => (code, error.to_string()),
    }
}

fn reject(request: &NewRequest<'_>, scope: Scope, problems: Vec<Problem>) -> Envelope<New<'static>> {
    let message =
        format!("the content cannot be used: {}; nothing was written", counted(problems.len(), "problem"));
    refuse(request, scope, Code::DraftRejected, message, problems)
}

pub(crate) fn refuse(
    request: &NewRequest<'_>,
    scope: Scope,
    code: Code,
    message: String,
    problems: Vec<Problem>,
) -> Envelope<New<'static>> {
    let problems = problems.into_iter().map(ProblemLine::owned).collect();
    let reply = New {
        name: request.name.to_owned(),
        path: None,
        scope: scope.as_str(),
        problems,
        findings: Vec::new(),
    };
    Envelope::error(code, message, reply)
}

/// Refuses what the vet denies, before anything is written.
fn deny(request: &NewRequest<'_>, scope: Scope, findings: Vec<FindingLine>) -> Envelope<New<'static>> {
    let message =
        format!("the vet denies the content: {}; nothing was written", counted(findings.len(), "finding"));
    let name = request.name.to_owned();
    let reply = New { name, path: None, scope: scope.as_str(), problems: Vec::new(), findings };
    Envelope::error(Code::SecurityPreflightDenied, message, reply)
}
