//! Marketplaces: lists of plugins that are somewhere else, or beside the list.
//!
//! A list says where each plugin can be had; that is fetched as strictly as what a person types. A source that is a command is never run.
//! A plugin without a manifest of its own, which only the list describes, comes as the skills that it consists of: nothing is written into
//! what is installed.

use super::candidate::{self, Candidate};
use super::fetch::{Fetched, directory_in, fetch, forge, understand};
use super::ready::{Ready, read_all};
use super::{Installer, failure};
use crate::reply::CandidateLine;
use crate::{Code, Refusal};
use guild_catalog::{near, read_marketplace};
use guild_manifest::plugin::marketplace::{Marketplace, Offer, OfferSource};
use guild_source::http;
use guild_source::lock::{self, Kind, Origin, SourceType};
use guild_source::npm::NpmSpec;
use guild_source::spec::{self, Spec, UrlSpec};
use std::path::{Path, PathBuf};

/// What stands before the source of a marketplace.
pub const PREFIX: &str = "marketplace:";

/// A marketplace that is here.
pub struct Market {
    /// What it offers.
    marketplace: Marketplace,
    /// What is wrong with offers that are left out.
    problems: Vec<String>,
    fetched: Fetched,
    /// Whether it is a list alone, with nothing beside it.
    is_bare: bool,
}

/// Gets a marketplace by what a person typed, or by what the lock says: a repository, a directory, or the address of its file.
pub async fn open(desk: &Installer<'_>, text: &str, reference: Option<&str>) -> Result<Market, Refusal> {
    let is_bare = text.contains("://") && text.ends_with(".json");
    let fetched = if is_bare {
        list(desk, text).await?
    } else {
        fetch(desk, &understand(desk, text, reference)?, &[]).await?
    };
    let reading = read_marketplace(&fetched.top).ok_or_else(|| {
        let message = format!("there is no `marketplace.json` in {}", fetched.origin.source);
        Refusal::new(Code::NoSkills, message)
    })?;
    let problems: Vec<String> = reading.problems.into_iter().map(|problem| problem.message).collect();
    let marketplace = reading.marketplace.ok_or_else(|| {
        let why = problems.first().map_or("", String::as_str);
        let message = format!("the marketplace of {} cannot be read: {why}", fetched.origin.source);
        Refusal::new(Code::SourceInvalid, message)
    })?;
    Ok(Market { marketplace, problems, fetched, is_bare })
}

/// Downloads a list.
async fn list(desk: &Installer<'_>, url: &str) -> Result<Fetched, Refusal> {
    (desk.progress)(&format!("fetching {url}"));
    let scratch = desk.store.scratch()?;
    let top = directory_in(&scratch, "marketplace")?;
    http::download(url, &top.join("marketplace.json"), &|_| {}).await.map_err(failure::of_http)?;
    let origin = Origin {
        source: url.to_owned(),
        source_type: SourceType::Archive,
        path: None,
        reference: None,
        resolved: None,
        offer: None,
    };
    Ok(Fetched::new(top, origin, scratch))
}

impl Market {
    /// Where it came from.
    pub fn origin(&self) -> &Origin {
        &self.fetched.origin
    }

    /// What it offers, in lines.
    pub fn lines(&self) -> Vec<CandidateLine> {
        let line = |offer: &Offer| CandidateLine {
            name: offer.name.clone(),
            kind: Kind::Plugin.word(),
            path: place(&offer.source),
            description: offer.description.clone().unwrap_or_default(),
            loaded: refusal(&offer.source, self.is_bare).is_none(),
        };
        self.marketplace.plugins.iter().map(line).collect()
    }

    /// The offer of a name, under the name that it has now.
    pub fn offer(&self, name: &str) -> Result<&Offer, Refusal> {
        let mut current = name.to_owned();
        // A chain of names ends at the latest when every one of them was taken.
        for _ in &self.marketplace.renames {
            let renamed = self.marketplace.renames.iter().find(|(old, _)| *old == current);
            match renamed.map(|(_, next)| next) {
                Some(Some(next)) => current.clone_from(next),
                Some(None) => {
                    let message = format!("`{name}` is not offered any more");
                    return Err(Refusal::new(Code::SkillNotFound, message));
                }
                None => break,
            }
        }
        let found = self.marketplace.plugins.iter().find(|offer| offer.name == current);
        found.ok_or_else(|| {
            let near = near(&current, self.marketplace.plugins.iter().map(|offer| offer.name.clone()));
            let hint = match (near.is_empty(), self.problems.as_slice()) {
                (false, _) => format!("did you mean `{}`?", near.join("`, `")),
                (true, []) => "`--list` shows what is in it".to_owned(),
                (true, problems) => {
                    format!(
                        "`--list` shows what is in it, but for what cannot be used: {}",
                        problems.join("; ")
                    )
                }
            };
            Refusal::new(Code::SkillNotFound, format!("there is no `{name}` in it; {hint}"))
        })
    }

    /// Fetches what an offer leads to, and reads it.
    pub async fn get(&self, desk: &Installer<'_>, offer: &Offer) -> Result<Vec<Ready>, Refusal> {
        if let Some(why) = refusal(&offer.source, self.is_bare) {
            return Err(Refusal::new(Code::SourceInvalid, format!("plugin `{}` {why}", offer.name)));
        }
        let elsewhere;
        let (fetched, (top, origin)) = if let OfferSource::Path(path) = &offer.source {
            (&self.fetched, self.beside(path)?)
        } else {
            elsewhere = fetch(desk, &spec(desk, offer)?, &[]).await?;
            (&elsewhere, (elsewhere.top.clone(), elsewhere.origin.clone()))
        };
        let mut chosen = chosen(desk, &top, offer)?;
        // What a link of a stranger's leads to elsewhere is not what they offer.
        chosen.retain(|candidate| fetched.holds(&candidate.place));
        chosen.iter().try_for_each(Candidate::usable)?;
        let market = &self.fetched.origin;
        let offered = lock::Offer {
            marketplace: market.source.clone(),
            reference: market.reference.clone(),
            plugin: offer.name.clone(),
        };
        read_all(desk, &chosen, &Origin { offer: Some(offered), ..origin })
    }

    /// A directory beside the list; no link leads out of it.
    fn beside(&self, path: &str) -> Result<(PathBuf, Origin), Refusal> {
        let top = &self.fetched.top;
        let place = if path == "." { top.clone() } else { top.join(path) };
        let is_inside = |place: &Path| Some(place.canonicalize().ok()?.starts_with(top.canonicalize().ok()?));
        if is_inside(&place) != Some(true) {
            let message = format!("the marketplace has no directory `{path}`, or it leads elsewhere");
            return Err(Refusal::new(Code::PathNotFound, message));
        }
        let origin = self.fetched.origin.clone();
        let parts = [origin.path.as_deref().unwrap_or_default(), if path == "." { "" } else { path }];
        let path = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        Ok((place, Origin { path: Some(path).filter(|path| !path.is_empty()), ..origin }))
    }
}

/// What of an offer is installed: the plugin, or the skills that it consists of.
fn chosen(desk: &Installer<'_>, top: &Path, offer: &Offer) -> Result<Vec<Candidate>, Refusal> {
    let found = candidate::find(top, &desk.hall.config);
    // An archive may have everything in one directory of its own.
    let is_archive = matches!(offer.source, OfferSource::Archive { .. });
    let is_it = |found: &&Candidate| {
        let is_near = found.path.is_empty() || is_archive && !found.path.contains('/');
        found.kind == Kind::Plugin && is_near
    };
    if let Some(plugin) = found.iter().find(is_it) {
        return Ok(vec![plugin.clone()]);
    }
    let is_listed = |found: &&Candidate| {
        let is_below = |directory: &String| {
            found.path == *directory || directory == "." || found.path.starts_with(&format!("{directory}/"))
        };
        let is_its = offer.skills.is_empty() || offer.skills.iter().any(is_below);
        found.kind == Kind::Skill && found.plugin.is_none() && is_its
    };
    let skills: Vec<Candidate> = found.iter().filter(is_listed).cloned().collect();
    if skills.is_empty() {
        let message = format!("plugin `{}` has neither a manifest nor skills", offer.name);
        return Err(Refusal::new(Code::NoSkills, message));
    }
    Ok(skills)
}

/// What is to be fetched for an offer; a commit counts before a branch.
fn spec(desk: &Installer<'_>, offer: &Offer) -> Result<Spec, Refusal> {
    let (url, inside, wanted) = match &offer.source {
        OfferSource::Github { repo, reference, sha } => (repo, None, sha.as_ref().or(reference.as_ref())),
        OfferSource::Git { url, path, reference, sha } => {
            (url, path.clone(), sha.as_ref().or(reference.as_ref()))
        }
        OfferSource::Archive { url, sha256 } => {
            let digest = sha256.as_ref().and_then(|hex| format!("sha256:{hex}").parse().ok());
            return Ok(Spec::Url(UrlSpec { url: url.clone(), digest, is_skill: false }));
        }
        OfferSource::Npm { package, version, registry } => {
            let spec = NpmSpec::parse(package).map(|spec| NpmSpec {
                registry: registry.clone(),
                version: version.clone(),
                ..spec
            });
            let message = || format!("`{package}` is no name of a package");
            return spec.map(Spec::Npm).ok_or_else(|| Refusal::new(Code::SourceInvalid, message()));
        }
        _ => return Err(Refusal::new(Code::Internal, "an offer that is not fetched")),
    };
    match spec::parse(url, &forge(&desk.hall.config)?).map_err(|error| failure::of_spec(&error))? {
        Spec::Git(mut git) if wanted.is_none_or(|wanted| spec::is_reference(wanted)) => {
            git.path = inside.filter(|inside| inside != ".").or(git.path);
            git.reference = wanted.cloned().or(git.reference);
            Ok(Spec::Git(git))
        }
        _ => {
            let message =
                format!("plugin `{}` is at `{url}`, which is no repository that is fetched", offer.name);
            Err(Refusal::new(Code::SourceInvalid, message))
        }
    }
}

/// Where an offer is, in a few words.
fn place(source: &OfferSource) -> String {
    match source {
        OfferSource::Path(path) => path.clone(),
        OfferSource::Github { repo, .. } => repo.clone(),
        OfferSource::Git { url, path, .. } => match path {
            Some(path) => format!("{url} {path}"),
            None => url.clone(),
        },
        OfferSource::Npm { package, .. } => format!("npm {package}"),
        OfferSource::Archive { url, .. } => url.clone(),
        OfferSource::Command { command, .. } => format!("command {command}"),
        OfferSource::Unknown(_) => "unknown".to_owned(),
    }
}

/// Why an offer cannot be had.
fn refusal(source: &OfferSource, is_bare: bool) -> Option<&'static str> {
    match source {
        OfferSource::Path(_) if is_bare => {
            Some("lies beside its marketplace, of which only the list was given; name its repository")
        }
        OfferSource::Command { .. } => {
            Some("is where a command would say, and no command of a marketplace is run")
        }
        OfferSource::Unknown(_) => Some("has a source of a kind that is not known"),
        _ => None,
    }
}
