//! `render`: a skill's text as a model reads it, with its arguments filled in.
//!
//! It runs no command that stands in the text.

use crate::hall::Hall;
use crate::instructions::{Instructions, instructions, unreadable};
use crate::invocable::refusal;
use crate::reply::{ProblemLine, Render};
use crate::resolve::resolve;
use crate::vet::{Gate, Subject};
use crate::{Books, Code, Envelope, Status};
use guild_catalog::render::{Arguments, Input, Rendered};
use guild_catalog::{self as catalog, Scope};
use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{Principal, Timestamp};
use guild_vet::{Tier, Verdict};
use std::path::Path;

/// What to render.
#[derive(Debug)]
pub struct RenderRequest<'a> {
    /// The skill, by any of its names.
    pub name: &'a str,
    /// The arguments, as words.
    pub arguments: &'a [String],
    /// For whom.
    pub caller: &'a Principal,
}

/// Renders a skill; commands in its text stay text, and a problem says so.
pub fn render(hall: &Hall, request: &RenderRequest<'_>) -> Envelope<Render<'static>> {
    let entry = match resolve(hall, request.name) {
        Ok(entry) => entry,
        Err(unresolved) => {
            let reply = Render { candidates: unresolved.candidates, ..Render::default() };
            return Envelope::error(unresolved.code, unresolved.message, reply);
        }
    };
    let found = Render { found: true, skill: Some(entry.qualified_name().into_owned()), ..Render::default() };
    if let Some(reason) = refusal(hall, entry, request.caller) {
        return Envelope::error(Code::SkillNotInvocable, reason, found);
    }
    let mut gate = Gate::open(hall);
    let vetted = gate.vet(&Subject::of_entry(&hall.snapshot, entry));
    gate.close();
    if vetted.verdict == Verdict::Deny.as_str() {
        let message = format!("the vet denies skill `{}`; `guild vet` says why", entry.qualified_name());
        let findings = vetted.findings.into_iter().filter(|finding| finding.severity == Tier::Deny.as_str());
        let reply = Render { findings: findings.collect(), ..found };
        return Envelope::error(Code::SecurityPreflightDenied, message, reply);
    }
    match instructions(hall, entry) {
        Ok(body) => {
            let Rendered { text, problems } =
                rendered(hall, entry, &body, &Arguments::from_words(request.arguments));
            let in_file = |problem: guild_manifest::Problem| problem.in_file(entry.place.file.as_ref());
            let problems = problems.into_iter().map(in_file).map(ProblemLine::owned).collect();
            Envelope::ok(Render { text, problems, path: Some(place(entry)), ..found })
        }
        Err(error) => Envelope::error(Code::ReadFailed, unreadable(entry, &error), found),
    }
}

/// Renders a skill for somebody, and writes down that they have it, or why not. What cannot be written down is not handed out.
pub async fn load(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    request: &RenderRequest<'_>,
) -> Envelope<Render<'static>> {
    let envelope = render(hall, request);
    let Some(name) = envelope.data.skill.clone() else { return envelope };
    let kind = if envelope.status == Status::Ok { Kind::Load } else { Kind::Denied };
    let entry = Entry {
        skill: Some(SkillRef { name, security_hash: None }),
        ..Entry::new(kind, envelope.code.as_str(), request.caller.clone())
    };
    match books.ledger.append(now, entry).await {
        Ok(_) => envelope,
        Err(error) => books.refusal(error).into_envelope(),
    }
}

fn rendered(hall: &Hall, entry: &catalog::Entry, body: &Instructions, arguments: &Arguments) -> Rendered {
    let body = Body { text: &body.text, line: body.line, argument_names: &body.argument_names };
    rendered_body(hall, entry, &body, arguments)
}

/// Instructions, wherever they were read.
pub(crate) struct Body<'a> {
    /// The text.
    pub text: &'a str,
    /// The line of the file on which it begins.
    pub line: u32,
    /// Names for `$name` in it, in order.
    pub argument_names: &'a [String],
}

/// A skill's instructions with its arguments filled in.
pub(crate) fn rendered_body(
    hall: &Hall,
    entry: &catalog::Entry,
    body: &Body<'_>,
    arguments: &Arguments,
) -> Rendered {
    with_places(hall, entry, body, |input| guild_catalog::render::render(input, arguments))
}

/// The same without its header, for whoever is given the arguments in another way.
pub(crate) fn body_alone(
    hall: &Hall,
    entry: &catalog::Entry,
    body: &Body<'_>,
    arguments: &Arguments,
) -> String {
    with_places(hall, entry, body, |input| guild_catalog::render::instructions(input, arguments))
}

/// Renders with the places that placeholders stand for.
fn with_places<T>(
    hall: &Hall,
    entry: &catalog::Entry,
    body: &Body<'_>,
    render: impl FnOnce(&Input<'_>) -> T,
) -> T {
    let lossy = |path: &Path| path.to_string_lossy().into_owned();
    let owner = entry.place.plugin.as_deref();
    let plugin = hall.snapshot.plugins.iter().find(|plugin| Some(plugin.plugin.name.as_str()) == owner);
    let plugin_root = plugin.map(|plugin| lossy(&plugin.directory));
    render(&Input {
        name: &entry.qualified_name(),
        description: &entry.skill.description,
        source: &source(entry),
        body: body.text,
        body_line: body.line,
        directory: &lossy(&entry.place.directory),
        project: &lossy(hall.machine.workspace()),
        plugin_root: plugin_root.as_deref(),
        plugin_data: None,
        session: "",
        argument_names: body.argument_names,
    })
}

/// Where the skill came from; a built-in one has no file.
fn source(entry: &catalog::Entry) -> String {
    match entry.place.scope {
        Scope::Builtin => Scope::Builtin.as_str().to_owned(),
        scope => format!("{} · {}", scope.as_str(), place(entry)),
    }
}

fn place(entry: &catalog::Entry) -> String {
    entry.place.path().to_string_lossy().into_owned()
}
