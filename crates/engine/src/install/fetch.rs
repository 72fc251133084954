//! Getting a source: a directory as it lies, an archive unpacked, a repository fetched, each at one place afterwards.

use super::artifact::artifact;
use super::candidate::{self, Candidate};
use super::package::package;
use super::site_index::{Site, fetch_site};
use super::stand::Stand;
use super::{Installer, failure};
use crate::cause::with_cause;
use crate::{Code, Refusal};
use guild_manifest::config::{Config, Layer};
use guild_manifest::tree::Data;
use guild_manifest::{Digest, DigestBuilder};
use guild_source::lock::{Origin, SourceType, is_name};
use guild_source::oci::is_reference;
use guild_source::spec::{self, GitSpec, Spec, UrlSpec};
use guild_source::store::Scratch;
use guild_source::{archive, git, http};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The forge that `owner/repo` means where nobody has configured another.
const FORGE: &str = "https://github.com";

/// A source that is here.
#[derive(Debug)]
pub struct Fetched {
    /// The directory with everything.
    pub top: PathBuf,
    /// Where it came from; its path is that of `top` in the source.
    pub origin: Origin,
    /// The skill that was meant by the source's own text.
    pub skill: Option<String>,
    scratch: Option<Scratch>,
}

/// Reads what a person typed.
pub fn understand(desk: &Installer<'_>, text: &str, reference: Option<&str>) -> Result<Spec, Refusal> {
    let mut spec = spec::parse(text, &forge(&desk.hall.config)?).map_err(|error| failure::of_spec(&error))?;
    let machine = &desk.hall.machine;
    match &mut spec {
        Spec::Git(git) => {
            // Whoever wrote the project could else put a directory in the way of a repository, or a repository of a directory.
            if !text.contains(':') && machine.directory.join(text).exists() {
                let message = format!(
                    "`{text}` is a directory or a file here, and a repository elsewhere; write `./{text}` or `{}`",
                    git.url
                );
                return Err(Refusal::new(Code::SourceAmbiguous, message));
            }
            if let Some(reference) = reference {
                if !spec::is_reference(reference) {
                    let message = format!("`{reference}` cannot be the name of a branch, a tag or a commit");
                    return Err(Refusal::new(Code::SourceInvalid, message));
                }
                git.reference = Some(reference.to_owned());
            }
        }
        Spec::Path(path) => {
            if reference.is_some() {
                let message = "a directory or an archive has no refs; `--ref` is for repositories";
                return Err(Refusal::new(Code::SourceInvalid, message));
            }
            if let (Ok(rest), Some(home)) = (path.strip_prefix("~"), &machine.home) {
                *path = home.join(rest);
            }
            // Without the `.` in front, which is nothing to show people.
            *path = machine.directory.join(&*path).components().collect();
        }
        Spec::Url(_) if reference.is_some() => {
            let message = "a file at an address has no refs; `--ref` is for repositories";
            return Err(Refusal::new(Code::SourceInvalid, message));
        }
        Spec::Npm(npm) => npm.version = reference.map(str::to_owned).or(npm.version.take()),
        Spec::Oci(_) if reference.is_some_and(|reference| !is_reference(reference)) => {
            return Err(Refusal::new(Code::SourceInvalid, "what `--ref` names is no tag, nor a digest"));
        }
        Spec::Server(_) if reference.is_some() => {
            let message = "skills of a server have no refs; `--ref` is for repositories";
            return Err(Refusal::new(Code::SourceInvalid, message));
        }
        Spec::Oci(oci) => oci.reference = reference.map(str::to_owned).or(oci.reference.take()),
        Spec::Url(_) | Spec::Server(_) => {}
    }
    Ok(spec)
}

impl Fetched {
    /// A source that lies in a directory of ours.
    pub fn new(top: PathBuf, origin: Origin, scratch: Scratch) -> Self {
        Self { top, origin, skill: None, scratch: Some(scratch) }
    }

    /// What it holds, but for what a link of it leads to elsewhere.
    pub fn candidates(&self, config: &Config) -> Vec<Candidate> {
        let (mut found, top) = (candidate::find(&self.top, config), self.top.canonicalize().ok());
        found.retain(|candidate| self.holds_below(top.as_deref(), &candidate.place));
        found
    }

    /// Whether a place in it is really there: a stranger's link leads to no file of this machine.
    pub fn holds(&self, place: &Path) -> bool {
        self.holds_below(self.top.canonicalize().ok().as_deref(), place)
    }

    /// The same where it is known what its top really is.
    fn holds_below(&self, top: Option<&Path>, place: &Path) -> bool {
        let is_below = |top| place.canonicalize().is_ok_and(|place| place.starts_with(top));
        !self.is_ours() || top.is_some_and(is_below)
    }

    /// Whether it lies in a directory of ours, which goes with this value.
    pub fn is_ours(&self) -> bool {
        self.scratch.is_some()
    }
}

/// Gets a source; of a site's index only these, where some are named.
pub async fn fetch(desk: &Installer<'_>, spec: &Spec, wanted: &[String]) -> Result<Fetched, Refusal> {
    match spec {
        Spec::Path(path) => local(desk, path),
        Spec::Git(spec) => {
            if !spec.may_be_site() {
                return repository(desk, spec).await;
            }
            let wanted: Vec<String> = wanted.iter().chain(&spec.at).cloned().collect();
            match fetch_site(desk, &spec.url, &wanted).await? {
                Site::Fetched(fetched) => Ok(Fetched { skill: spec.at.clone(), ..*fetched }),
                Site::Silent => repository(desk, spec).await,
                Site::Bare => match repository(desk, spec).await {
                    Err(refusal) if is_elsewhere(&refusal) => {
                        file_of_site(desk, &spec.url).await.ok_or(refusal)
                    }
                    fetched => fetched,
                },
            }
        }
        Spec::Url(spec) => remote(desk, spec).await,
        Spec::Npm(spec) => package(desk, spec).await,
        Spec::Oci(spec) => artifact(desk, spec).await,
        Spec::Server(spec) => Stand::open(desk, &spec.server).await?.take(desk, wanted).await,
    }
}

/// Whether a refusal says that there is no repository.
fn is_elsewhere(refusal: &Refusal) -> bool {
    matches!(refusal.code, Code::SourceDenied | Code::SourceUnreachable | Code::GitMissing)
}

/// What an address leads to that is neither a site with an index nor a repository: a skill's file below it, or an archive.
async fn file_of_site(desk: &Installer<'_>, url: &str) -> Option<Fetched> {
    let url = url.trim_end_matches('/');
    let inner = url.rsplit_once('/').filter(|(above, _)| !above.ends_with('/'));
    let places = [
        Some(format!("{url}/SKILL.md")),
        Some(format!("{url}/skills/SKILL.md")),
        inner.map(|(above, name)| format!("{above}/skills/{name}/SKILL.md")),
    ];
    for place in places.iter().flatten() {
        let fetched = remote(desk, &spec::file(place, true).ok()?).await;
        // Many a site answers with a page of its own, whatever is asked for.
        if let Some(fetched) = fetched.ok().filter(|fetched| begins_as_skill(&fetched.top)) {
            return Some(fetched);
        }
    }
    remote(desk, &spec::file(url, false).ok()?).await.ok()
}

fn begins_as_skill(top: &Path) -> bool {
    let text = fs::read(top.join("SKILL.md")).unwrap_or_default();
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).starts_with(b"---")
}

/// Downloads a file, and unpacks it where it is an archive.
async fn remote(desk: &Installer<'_>, spec: &UrlSpec) -> Result<Fetched, Refusal> {
    let UrlSpec { url, digest, is_skill } = spec;
    let scratch = desk.store.scratch()?;
    let path = url.split('?').next().unwrap_or_default();
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or_default();
    let file = scratch.path().join("download");
    let told = |count: u64| (desk.progress)(&format!("fetching {name}: {} KiB", count / 1024));
    told(0);
    http::download(url, &file, &told).await.map_err(failure::of_http)?;
    let found = digest_of(&file).map_err(|error| Refusal::new(Code::ReadFailed, error.to_string()))?;
    if digest.is_some_and(|digest| digest != found) {
        let message = format!("{url} is {found}, which is not what was asked for; nothing of it was kept");
        return Err(Refusal::new(Code::SourceChanged, message));
    }
    // A skill's file is named after the directory that it lies in.
    let top = directory_in(&scratch, if *is_skill { names.next().unwrap_or_default() } else { stem(name) })?;
    if *is_skill {
        let placed = fs::rename(&file, top.join("SKILL.md"));
        placed.map_err(|error| Refusal::new(Code::WriteFailed, with_cause(&error)))?;
    } else {
        archive::unpack(&file, &top).map_err(|error| failure::of_download(url, error))?;
    }
    let origin = Origin {
        source: url.clone(),
        source_type: if *is_skill { SourceType::Skills } else { SourceType::Archive },
        path: None,
        reference: None,
        resolved: Some(found.to_string()),
        offer: None,
    };
    Ok(Fetched { top, origin, skill: None, scratch: Some(scratch) })
}

/// The name of an archive without its end.
fn stem(name: &str) -> &str {
    let ends = spec::ARCHIVES.iter().filter(|end| name.to_ascii_lowercase().ends_with(**end));
    let end = ends.map(|end| end.len()).max().unwrap_or_default();
    name.get(..name.len() - end).unwrap_or(name)
}

fn local(desk: &Installer<'_>, path: &Path) -> Result<Fetched, Refusal> {
    let real = path
        .canonicalize()
        .map_err(|_| Refusal::new(Code::PathNotFound, format!("there is nothing at {}", path.display())))?;
    let is_skill_file = real.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let real = if is_skill_file { real.parent().map(Path::to_owned).unwrap_or(real) } else { real };
    if real.is_file() {
        return packed(desk, &real);
    }
    if !real.is_dir() {
        let message = format!("{} is neither a directory nor a file", real.display());
        return Err(Refusal::new(Code::SourceInvalid, message));
    }
    let origin = Origin {
        source: real.to_string_lossy().into_owned(),
        source_type: SourceType::Local,
        path: None,
        reference: None,
        resolved: None,
        offer: None,
    };
    Ok(Fetched { top: real, origin, skill: None, scratch: None })
}

/// Unpacks an archive.
fn packed(desk: &Installer<'_>, path: &Path) -> Result<Fetched, Refusal> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    (desk.progress)(&format!("unpacking {name}"));
    let scratch = desk.store.scratch()?;
    let top = directory_in(&scratch, stem(&name))?;
    archive::unpack(path, &top).map_err(failure::of_archive)?;
    let digest = digest_of(path).map_err(|error| {
        Refusal::new(Code::ReadFailed, format!("cannot read {}: {error}", path.display()))
    })?;
    let origin = Origin {
        source: path.to_string_lossy().into_owned(),
        source_type: SourceType::Archive,
        path: None,
        reference: None,
        resolved: Some(digest.to_string()),
        offer: None,
    };
    Ok(Fetched { top, origin, skill: None, scratch: Some(scratch) })
}

async fn repository(desk: &Installer<'_>, spec: &GitSpec) -> Result<Fetched, Refusal> {
    (desk.progress)(&format!("fetching {}", spec.url));
    let scratch = desk.store.scratch()?;
    let top = directory_in(&scratch, spec.repository_name())?;
    let fetched = git::fetch(desk.git, spec, scratch.path(), &top).await.map_err(failure::of_git)?;
    let origin = Origin {
        source: spec.url.clone(),
        source_type: SourceType::Git,
        path: fetched.path,
        reference: fetched.reference,
        resolved: Some(fetched.commit),
        offer: None,
    };
    Ok(Fetched { top, origin, skill: fetched.skill, scratch: Some(scratch) })
}

/// A fresh directory; a skill at its root that has no name of its own gets its name.
pub fn directory_in(scratch: &Scratch, name: &str) -> Result<PathBuf, Refusal> {
    let top = scratch.path().join("tree").join(if is_name(name) { name } else { "source" });
    fs::create_dir_all(&top).map_err(|error| {
        Refusal::new(Code::WriteFailed, format!("cannot make {}: {}", top.display(), with_cause(&error)))
    })?;
    Ok(top)
}

/// The digest of a file; a pipe or a device may have no end.
pub fn digest_of(path: &Path) -> io::Result<Digest> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut builder = DigestBuilder::default();
    let mut file = File::open(path)?;
    let mut piece = vec![0; 64 * 1024];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(builder.finish()),
            count => builder.add(piece.get(..count).unwrap_or_default()),
        }
    }
}

/// The forge that `owner/repo` means: `sources.github` of the person's or the machine's configuration, for a mirror.
pub fn forge(config: &Config) -> Result<String, Refusal> {
    Ok(setting(config, "github")?.unwrap_or_else(|| FORGE.to_owned()))
}

/// The address that the person's or the machine's configuration names for a kind of source; a project's does not count.
pub fn setting(config: &Config, key: &str) -> Result<Option<String>, Refusal> {
    let sections = config.sections.iter().filter(|section| section.name == "sources");
    let own = sections.filter(|section| section.layer != Layer::Project);
    let Some(value) = own.filter_map(|section| section.data.get(key)).next_back() else { return Ok(None) };
    match value {
        Data::Text(base) if spec::parse(&format!("{base}/a/b"), FORGE).is_ok() && base.contains("://") => {
            Ok(Some(base.clone()))
        }
        _ => {
            let message =
                format!("`sources.{key}` in your configuration is no address such as `https://git.example`");
            Err(Refusal::new(Code::SourceInvalid, message))
        }
    }
}
