//! What a person types to say where skills come from, and what it means.
//!
//! ```text
//! ./dir  ../dir  /dir  ~/dir                      a directory or an archive of this machine
//! owner/repo  owner/repo/path                     a repository of the forge
//! https://host/repo.git/path  git@host:repo.git   any repository: https, ssh, file
//! https://host/owner/repo/tree/REF/path           a page of a forge
//! https://host/a.zip  https://host/a/SKILL.md     an archive or a skill's file; #sha256:… says which
//! npm:name  npm:@scope/name@VERSION               a package of npm
//! oci:registry/name  oci:registry/name:TAG        an artifact of a container registry
//! mcp:SERVER  mcp:SERVER/SKILL                    what one of the person's MCP servers offers
//! …@NAME  …#REF                                   a skill or a ref; a ref
//! ```
//!
//! It is pure: whether anything is there is not asked. What could be taken for an option of another program is refused.

mod forge;
mod url;

use crate::lock::is_name;
use crate::npm::NpmSpec;
use crate::oci::OciSpec;
use guild_manifest::Digest;
use std::path::PathBuf;

pub use url::{ARCHIVES, file, is_loopback};

/// Where skills come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// A directory or an archive of this machine.
    Path(PathBuf),
    /// A repository.
    Git(GitSpec),
    /// A file at an address.
    Url(UrlSpec),
    /// A package of npm.
    Npm(NpmSpec),
    /// An artifact of a container registry.
    Oci(OciSpec),
    /// Skills that an MCP server offers.
    Server(ServerSpec),
}

/// A file at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlSpec {
    /// The address.
    pub url: String,
    /// What its bytes have to be.
    pub digest: Option<Digest>,
    /// Whether it is a skill's file, and no archive.
    pub is_skill: bool,
}

/// A repository, and what of it is meant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitSpec {
    /// What git is to fetch.
    pub url: String,
    /// A directory in it, without slashes at its ends.
    pub path: Option<String>,
    /// A branch, a tag or a commit.
    pub reference: Option<String>,
    /// What stands after `@`: a ref if the repository has one of that name, else a skill.
    pub at: Option<String>,
    /// Whether it was typed in short or copied from a page: then a ref may go on in the path, and the path may leave `skills/` out.
    pub is_loose: bool,
}

/// An MCP server of the person's configuration, and what of it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// The server's name there.
    pub server: String,
    /// One of its skills.
    pub skill: Option<String>,
}

/// Why a text says nothing that could be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// It is empty, or has a blank or an unprintable character in it.
    #[error("`{text}` is no source: {form}")]
    NoSource {
        /// The text.
        text: String,
        /// What would be one.
        form: &'static str,
    },
    /// Another program could take it for an option.
    #[error("`{text}` begins with `-`, which git could take for an option")]
    Option {
        /// The text.
        text: String,
    },
    /// A way to fetch that is not among those that are allowed.
    #[error("`{scheme}` is no way to fetch skills: https, ssh and file are, and http on this machine alone")]
    Scheme {
        /// The way.
        scheme: String,
    },
    /// A password in an address, which would end up in the lock.
    #[error(
        "the address has a password in it, which the lock would keep: leave it to git's credential helpers"
    )]
    Password,
    /// A path that leads out of the repository.
    #[error("`{path}` leads out of the repository")]
    Path {
        /// The path.
        path: String,
    },
}

/// What a source looks like, for whoever has typed none.
const FORMS: &str = "write owner/repo, the URL of a repository, or the path of a directory or an archive";

/// Reads what a person typed. `base` is the address of the forge that `owner/repo` means, such as `https://github.com`.
///
/// # Errors
/// Where it means nothing, or something that is not fetched.
pub fn parse(text: &str, base: &str) -> Result<Spec, SpecError> {
    let no_source = |form| SpecError::NoSource { text: text.to_owned(), form };
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err(no_source(FORMS));
    }
    if text.starts_with('-') {
        return Err(SpecError::Option { text: text.to_owned() });
    }
    if text.starts_with(['.', '/', '~']) {
        return Ok(Spec::Path(text.into()));
    }
    if let Some(package) = text.strip_prefix("npm:") {
        let form = "behind `npm:` stands a package, such as @scope/name or name@1.2";
        return NpmSpec::parse(package).map(Spec::Npm).ok_or_else(|| no_source(form));
    }
    if let Some(artifact) = text.strip_prefix("oci://").or_else(|| text.strip_prefix("oci:")) {
        let form = "behind `oci:` stands an artifact with its registry, such as ghcr.io/owner/name:1.2";
        return OciSpec::parse(artifact).map(Spec::Oci).ok_or_else(|| no_source(form));
    }
    if let Some(server) = text.strip_prefix("mcp:") {
        let form = "behind `mcp:` stands one of your MCP servers, such as tracker or tracker/triage";
        return ServerSpec::parse(server).map(Spec::Server).ok_or_else(|| no_source(form));
    }
    if text.contains(char::is_whitespace) {
        return Err(no_source("it has a blank in it; a directory is written ./like this"));
    }
    if let Some(spec) = url::read_file(text)? {
        return Ok(Spec::Url(spec));
    }
    let spec = match text.split_once("://") {
        Some((scheme, rest)) => url::read(scheme, rest)?,
        None if text.contains("::") => {
            let scheme = text.split("::").next().unwrap_or_default();
            return Err(SpecError::Scheme { scheme: scheme.to_owned() });
        }
        None => match url::read_scp(text)? {
            Some(spec) => spec,
            None => shorthand(text, base).ok_or_else(|| no_source(form_of(text)))?,
        },
    };
    check(spec).map(Spec::Git)
}

/// What to write instead of a text that looks like an address without its beginning, or like nothing.
fn form_of(text: &str) -> &'static str {
    match text.split_once('/') {
        Some((host, rest)) if host.contains('.') && !host.contains(':') && !rest.is_empty() => {
            "an address begins with `https://`, and a directory of this machine with `./`"
        }
        _ => FORMS,
    }
}

/// `owner/repo`, `owner/repo/path`, each with `@NAME` and `#REF`.
fn shorthand(text: &str, base: &str) -> Option<GitSpec> {
    let (text, spec) = url::suffixes(text);
    let mut parts = text.splitn(3, '/');
    let (owner, name) = (parts.next()?, parts.next()?);
    let is_plain = |part: &str| {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
        !part.is_empty() && part.chars().all(is_plain) && !matches!(part, "." | "..")
    };
    if !is_plain(owner) || !is_plain(name) || owner.contains('.') {
        return None;
    }
    let name = name.strip_suffix(".git").unwrap_or(name);
    let path = parts.next().map(str::to_owned);
    let url = format!("{}/{owner}/{name}", base.trim_end_matches('/'));
    Some(GitSpec { url, path, is_loose: true, ..spec })
}

/// Nothing in it may be taken for an option or lead out of the repository.
fn check(mut spec: GitSpec) -> Result<GitSpec, SpecError> {
    for text in [&spec.reference, &spec.at].into_iter().flatten() {
        if text.starts_with('-') {
            return Err(SpecError::Option { text: text.clone() });
        }
        if !is_reference(text) {
            let form = "what stands after `@` or `#` is a ref or the name of a skill";
            return Err(SpecError::NoSource { text: text.clone(), form });
        }
    }
    if let Some(path) = spec.path.take() {
        let path = forge::directory_of(path.trim_matches('/'));
        let is_name = |name: &str| !matches!(name, "" | "." | ".." | ".git");
        if !path.is_empty() && !path.split('/').all(is_name) {
            return Err(SpecError::Path { path: path.to_owned() });
        }
        spec.path = (!path.is_empty()).then(|| path.to_owned());
    }
    Ok(spec)
}

/// Whether a text can name a ref: git's own rules, as far as they keep a text from meaning something else.
pub fn is_reference(text: &str) -> bool {
    let is_plain = |char: char| !char.is_control() && !char.is_whitespace() && !"~^:?*[\\".contains(char);
    !text.is_empty()
        && !text.starts_with(['-', '/', '.'])
        && !text.contains("..")
        && !text.contains("@{")
        && text.chars().all(is_plain)
}

/// Whether a text is a whole commit id.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl ServerSpec {
    /// Reads `server` and `server/skill`.
    fn parse(text: &str) -> Option<Self> {
        let (server, skill) = match text.split_once('/') {
            Some((server, skill)) => (server, Some(skill.to_owned())),
            None => (text, None),
        };
        let is_whole = is_name(server) && skill.as_deref().is_none_or(is_name);
        is_whole.then(|| Self { server: server.to_owned(), skill })
    }

    /// What the lock calls it.
    pub fn source(&self) -> String {
        format!("mcp:{}", self.server)
    }
}

impl GitSpec {
    /// Whether the address may as well be that of a site which publishes an index of skills.
    pub fn may_be_site(&self) -> bool {
        let Some(rest) = self.url.strip_prefix("https://").or_else(|| self.url.strip_prefix("http://"))
        else {
            return false;
        };
        let host = rest.split('/').next().unwrap_or_default();
        let is_plain = self.path.is_none() && self.reference.is_none() && !rest.contains('@');
        is_plain
            && !forge::is_known(host)
            && !rest.contains("/_git/")
            && !rest.trim_end_matches('/').ends_with(".git")
    }

    /// What the repository is called, for a skill that lies at its root and has no name of its own.
    pub fn repository_name(&self) -> &str {
        let path = self.path.as_deref().unwrap_or(&self.url);
        let last = path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        last.strip_suffix(".git").unwrap_or(last)
    }
}

#[cfg(test)]
mod tests;
