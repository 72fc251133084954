//! `add`: from what a person typed to files in their place and a lock that says so.

use super::candidate::{self, Candidate, Selection};
use super::fetch::{Fetched, fetch, understand};
use super::market::{self, PREFIX};
use super::place::{Scope, site};
use super::ready::{Placing, Ready, admit, install, let_move, read_all_ahead};
use super::stand::Stand;
use super::{Installer, vetting};
use crate::reply::{Add, CandidateLine, SourceLine};
use crate::{Code, Envelope, Refusal, counted};
use guild_catalog::read_marketplace;
use guild_source::lock::{Origin, SourceType};
use guild_source::site::Site;
use guild_source::spec::{ServerSpec, Spec};
use guild_source::store::Keeping;
use std::path::Path;

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
    match gather(desk, request, reply).await? {
        Gathered::Listed(message) => Ok(message),
        Gathered::Ready { ready, keeping, _fetched } => {
            finish(desk, request, &site, (ready, keeping), reply).await
        }
    }
}

/// What was meant, read.
pub enum Gathered {
    /// It was only listed.
    Listed(String),
    /// It is in the store, or on its way there.
    Ready {
        /// Each of them.
        ready: Vec<Ready>,
        /// What is waited for before anything says that it is there.
        keeping: Keeping,
        /// Where they lie until they are in their place.
        _fetched: Option<Box<Fetched>>,
    },
}

/// Gets a source, and reads what is meant of it into the store.
pub async fn gather(
    desk: &Installer<'_>,
    request: &AddRequest<'_>,
    reply: &mut Add,
) -> Result<Gathered, Refusal> {
    if let Some(text) = request.source.strip_prefix(PREFIX) {
        return of_market(desk, request, text, reply).await;
    }
    let spec = understand(desk, request.source, request.reference)?;
    if let Spec::Server(spec) = &spec {
        return of_server(desk, request, spec, reply).await;
    }
    let wanted: &[String] = if let Choice::Named(names) = &request.choice { names } else { &[] };
    let fetched = fetch(desk, &spec, wanted).await?;
    if request.link && fetched.origin.source_type != SourceType::Local {
        return Err(no_link());
    }
    reply.source = Some(source_line(&fetched.origin));
    let found = fetched.candidates(&desk.hall.config);
    if found.is_empty() && read_marketplace(&fetched.top).is_some() {
        let message = format!(
            "it is a marketplace; `guild add {PREFIX}{} --list` shows what it offers",
            request.source
        );
        return Err(Refusal::new(Code::NoSkills, message));
    }
    if found.is_empty() && is_bare_repository(&fetched.top) {
        let message = format!(
            "it is a repository without files beside it; `guild add file://{}` fetches it",
            fetched.top.display()
        );
        return Err(Refusal::new(Code::NoSkills, message));
    }
    if request.choice == Choice::List {
        reply.candidates = found.iter().map(Candidate::line).collect();
        let count = |kind| reply.candidates.iter().filter(|line| line.kind == kind).count();
        let message = format!("{}, {}", counted(count("skill"), "skill"), counted(count("plugin"), "plugin"));
        return Ok(Gathered::Listed(message));
    }
    let chosen = choose(request, &fetched, &found, reply)?;
    let (mut ready, keeping) = read_all_ahead(desk, &chosen, &fetched.origin)?;
    let_move(&mut ready, &fetched);
    Ok(Gathered::Ready { ready, keeping, _fetched: Some(Box::new(fetched)) })
}

/// Whether a directory is what git keeps of a repository, and nothing else.
fn is_bare_repository(directory: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| directory.join(name).exists())
}

/// Reads plugins that a marketplace offers.
async fn of_market(
    desk: &Installer<'_>,
    request: &AddRequest<'_>,
    text: &str,
    reply: &mut Add,
) -> Result<Gathered, Refusal> {
    if request.link {
        return Err(no_link());
    }
    let market = market::open(desk, text, request.reference).await?;
    reply.source = Some(SourceLine { source_type: "marketplace", ..source_line(market.origin()) });
    reply.candidates = market.lines();
    let Some(names) = meant(request, &reply.candidates, "plugin")? else {
        return Ok(Gathered::Listed(counted(reply.candidates.len(), "plugin")));
    };
    let mut ready: Vec<Ready> = Vec::new();
    for name in &names {
        for one in market.get(desk, market.offer(name)?).await? {
            let is_known = |known: &Ready| {
                (known.candidate.kind, &known.candidate.name) == (one.candidate.kind, &one.candidate.name)
            };
            if !ready.iter().any(is_known) {
                ready.push(one);
            }
        }
    }
    Ok(Gathered::Ready { ready, keeping: Keeping::default(), _fetched: None })
}

/// Reads skills that a server offers.
async fn of_server(
    desk: &Installer<'_>,
    request: &AddRequest<'_>,
    spec: &ServerSpec,
    reply: &mut Add,
) -> Result<Gathered, Refusal> {
    if request.link {
        return Err(no_link());
    }
    let stand = Stand::open(desk, &spec.server).await?;
    reply.source = Some(source_line(&stand.origin()));
    reply.candidates = stand.lines();
    let names = match (&spec.skill, &request.choice) {
        (Some(skill), Choice::Only | Choice::All | Choice::Named(_)) => Some(vec![skill.clone()]),
        _ => meant(request, &reply.candidates, "skill")?,
    };
    let Some(names) = names else {
        return Ok(Gathered::Listed(counted(reply.candidates.len(), "skill")));
    };
    let fetched = stand.take(desk, &names).await?;
    let found = fetched.candidates(&desk.hall.config);
    let chosen = candidate::choose(&found, &Selection::Named(names))?;
    chosen.iter().try_for_each(Candidate::usable)?;
    let (mut ready, keeping) = read_all_ahead(desk, &chosen, &fetched.origin)?;
    let_move(&mut ready, &fetched);
    Ok(Gathered::Ready { ready, keeping, _fetched: Some(Box::new(fetched)) })
}

/// The names of what is meant of an offer; nothing where it is only listed. Where it is not clear, a person is asked.
fn meant(
    request: &AddRequest<'_>,
    offered: &[CandidateLine],
    what: &str,
) -> Result<Option<Vec<String>>, Refusal> {
    let names = match &request.choice {
        Choice::List => return Ok(None),
        Choice::All => offered.iter().filter(|line| line.loaded).map(|line| line.name.clone()).collect(),
        Choice::Named(names) => names.clone(),
        Choice::Only => match offered {
            [only] => vec![only.name.clone()],
            several => request.ask.and_then(|ask| ask(several)).ok_or_else(|| {
                let message = format!(
                    "it offers {}: choose with `--skill NAME,NAME`, or take `--all`; `--list` shows them",
                    counted(several.len(), what)
                );
                Refusal::new(Code::ChoiceRequired, message)
            })?,
        },
    };
    Ok(Some(names))
}

fn no_link() -> Refusal {
    let message = "only a directory of this machine can be linked to; leave out `--link`";
    Refusal::new(Code::SourceInvalid, message)
}

/// Vets what was read, and puts it in its place.
async fn finish(
    desk: &Installer<'_>,
    request: &AddRequest<'_>,
    site: &Site,
    (mut ready, mut keeping): (Vec<Ready>, Keeping),
    reply: &mut Add,
) -> Result<String, Refusal> {
    reply.candidates = ready.iter().map(|ready| ready.candidate.line()).collect();
    reply.vetted = admit(desk, &mut ready);
    if !request.skip_denied {
        let remedy = if reply.candidates.len() == 1 { "" } else { "; `--skip-denied` installs the others" };
        vetting::refuse_denied(&reply.vetted, remedy)?;
    }
    keeping.wait()?;
    let placing = Placing { link: request.link, replace: request.replace };
    let placed = install(desk, site, placing, &ready).await?;
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
