//! `add`: from what a person typed to files in their place and a lock that says so.

use super::candidate::{self, Candidate, Selection};
use super::fetch::{Fetched, fetch, understand};
use super::place::{Scope, site};
use super::ready::{Placing, admit, install, read_all};
use super::{Installer, vetting};
use crate::reply::{Add, CandidateLine, SourceLine};
use crate::{Code, Envelope, Refusal, counted};
use guild_source::lock::{Origin, SourceType};

/// Which of the skills in a source are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The only one that there is; where there are more, whoever can be asked says which.
    Only,
    /// All of them.
    All,
    /// These, by name.
    Named(Vec<String>),
    /// None: they are only listed.
    List,
}

/// Asks a person which of several they mean.
pub type Ask<'a> = &'a (dyn Fn(&[CandidateLine]) -> Option<Vec<String>> + Sync);

/// What to install.
pub struct AddRequest<'a> {
    /// Where it comes from, as it was typed.
    pub source: &'a str,
    /// The branch, tag or commit that is meant, whatever the source says.
    pub reference: Option<&'a str>,
    /// Which of the skills in it.
    pub choice: Choice,
    /// Where to.
    pub scope: Scope,
    /// Whether a link to the directory is made instead of a copy.
    pub link: bool,
    /// Whether what is installed under the same name is replaced.
    pub replace: bool,
    /// Whether what the vet denies is left out, instead of refusing everything.
    pub skip_denied: bool,
    /// Whom to ask where a choice is missing.
    pub ask: Option<Ask<'a>>,
}

/// Installs skills and plugins from a source.
pub async fn add(desk: &Installer<'_>, request: &AddRequest<'_>) -> Envelope<Add> {
    let mut reply = Add { scope: request.scope.word(), ..Add::default() };
    match run(desk, request, &mut reply).await {
        Ok(message) => Envelope::ok(reply).with_message(message),
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

async fn run(desk: &Installer<'_>, request: &AddRequest<'_>, reply: &mut Add) -> Result<String, Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let spec = understand(desk, request.source, request.reference)?;
    let wanted: &[String] = if let Choice::Named(names) = &request.choice { names } else { &[] };
    let fetched = fetch(desk, &spec, wanted).await?;
    if request.link && fetched.origin.source_type != SourceType::Local {
        let message = "only a directory of this machine can be linked to; leave out `--link`";
        return Err(Refusal::new(Code::SourceInvalid, message));
    }
    reply.source = Some(source_line(&fetched.origin));
    let found = candidate::find(&fetched, &desk.hall.config);
    if request.choice == Choice::List {
        reply.candidates = found.iter().map(Candidate::line).collect();
        let count = |kind| reply.candidates.iter().filter(|line| line.kind == kind).count();
        return Ok(format!("{}, {}", counted(count("skill"), "skill"), counted(count("plugin"), "plugin")));
    }
    let chosen = choose(request, &fetched, &found, reply)?;
    reply.candidates = chosen.iter().map(Candidate::line).collect();
    let mut ready = read_all(desk, &chosen, &fetched.origin)?;
    reply.vetted = admit(desk, &mut ready);
    if !request.skip_denied {
        let remedy = if chosen.len() == 1 { "" } else { "; `--skip-denied` installs the others" };
        vetting::refuse_denied(&reply.vetted, remedy)?;
    }
    let placed =
        install(desk, &site, Placing { link: request.link, replace: request.replace }, &ready).await?;
    (reply.installed, reply.previews, reply.lock) = (placed.changes, placed.previews, Some(placed.lock));
    Ok(placed.message)
}

fn source_line(origin: &Origin) -> SourceLine {
    SourceLine {
        source: origin.source.clone(),
        source_type: origin.source_type.word(),
        r#ref: origin.reference.clone(),
        resolved: origin.resolved.clone(),
    }
}

/// The candidates that are meant; where that is not clear, a person is asked, and else everything is listed.
fn choose(
    request: &AddRequest<'_>,
    fetched: &Fetched,
    found: &[Candidate],
    reply: &mut Add,
) -> Result<Vec<Candidate>, Refusal> {
    let selection = match (&request.choice, &fetched.skill) {
        (Choice::Named(names), skill) => Selection::Named(names.iter().chain(skill).cloned().collect()),
        (_, Some(skill)) => Selection::Named(vec![skill.clone()]),
        (Choice::All, None) => Selection::All,
        (Choice::Only | Choice::List, None) => Selection::Only,
    };
    let chosen = match candidate::choose(found, &selection) {
        Err(refusal) if refusal.code == Code::ChoiceRequired => {
            reply.candidates = found.iter().map(Candidate::line).collect();
            let names = request.ask.and_then(|ask| ask(&reply.candidates)).ok_or(refusal)?;
            candidate::choose(found, &Selection::Named(names))?
        }
        chosen => chosen?,
    };
    chosen.iter().try_for_each(Candidate::usable)?;
    Ok(chosen)
}
