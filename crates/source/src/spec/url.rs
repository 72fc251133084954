//! Addresses of repositories: which are fetched, and where in them a path, a ref or a skill begins.

use super::{GitSpec, SpecError, UrlSpec, forge};

/// How archives' names end.
pub const ARCHIVES: &[&str] = &[
    ".zip", ".skill", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.zst", ".tzst", ".tar.bz2", ".tbz2",
];

/// Reads an address with a scheme.
pub fn read(scheme: &str, rest: &str) -> Result<GitSpec, SpecError> {
    let refused = || SpecError::Scheme { scheme: scheme.chars().take(40).collect() };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    match scheme {
        "https" | "ssh" if host.is_empty() => return Err(refused()),
        "https" | "ssh" => {}
        "http" if is_loopback(host) => {}
        "file" if authority.is_empty() => {}
        _ => return Err(refused()),
    }
    if host.starts_with('-') || user.is_some_and(|user| user.starts_with('-')) {
        return Err(SpecError::Option { text: authority.to_owned() });
    }
    if user.is_some_and(|user| user.contains(':')) {
        return Err(SpecError::Password);
    }
    if let Some(spec) = forge::page(scheme, authority, host, path) {
        return Ok(spec);
    }
    let (path, spec) = suffixes(path);
    let (repository, below) = split_git(path);
    let repository = repository.trim_end_matches('/');
    Ok(GitSpec { url: format!("{scheme}://{authority}/{repository}"), path: below, ..spec })
}

/// Reads the address of an archive or of a skill's file; nothing where it is that of something else.
pub fn read_file(text: &str) -> Result<Option<UrlSpec>, SpecError> {
    let Some((scheme @ ("https" | "http"), rest)) = text.split_once("://") else { return Ok(None) };
    let path = text.split(['#', '?']).next().unwrap_or_default();
    let is_skill = path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let is_archive = ARCHIVES.iter().any(|end| path.to_ascii_lowercase().ends_with(end));
    let (authority, below) = rest.split_once('/').unwrap_or((rest, ""));
    let is_page = forge::page(scheme, authority, authority, below).is_some();
    let is_in_repository = is_skill && path.contains(".git/");
    if is_page || is_in_repository || !is_archive && !is_skill {
        return Ok(None);
    }
    file(text, is_skill).map(Some)
}

/// The file at an address, whatever that ends with; `#sha256:…` behind it says which one it has to be.
pub fn file(text: &str, is_skill: bool) -> Result<UrlSpec, SpecError> {
    let (address, fragment) =
        text.split_once('#').map_or((text, None), |(address, rest)| (address, Some(rest)));
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if scheme != "https" && !(scheme == "http" && is_loopback(authority)) {
        return Err(SpecError::Scheme { scheme: scheme.to_owned() });
    }
    if authority.contains('@') {
        return Err(SpecError::Password);
    }
    let digest = fragment.map(str::parse).transpose().map_err(|_| SpecError::NoSource {
        text: fragment.unwrap_or_default().to_owned(),
        form: "behind `#` stands `sha256:` and 64 hexadecimal digits",
    })?;
    Ok(UrlSpec { url: address.to_owned(), digest, is_skill })
}

/// Reads `user@host:path`, as ssh writes it.
pub fn read_scp(text: &str) -> Result<Option<GitSpec>, SpecError> {
    let Some((authority, path)) = text.split_once(':') else { return Ok(None) };
    let Some((user, host)) = authority.split_once('@') else { return Ok(None) };
    if authority.contains('/') || path.is_empty() {
        return Ok(None);
    }
    if user.starts_with('-') || host.starts_with('-') || path.starts_with('-') {
        return Err(SpecError::Option { text: text.to_owned() });
    }
    let (path, spec) = suffixes(path);
    let (repository, below) = split_git(path);
    Ok(Some(GitSpec { url: format!("{authority}:{repository}"), path: below, ..spec }))
}

/// Takes `#REF` and `@NAME` off the end.
pub fn suffixes(text: &str) -> (&str, GitSpec) {
    let (text, reference) = match text.split_once('#') {
        Some((text, reference)) => (text, Some(reference)),
        None => (text, None),
    };
    // The name may stand behind the ref, where there is one.
    let (reference, behind) = match reference.and_then(|reference| reference.rsplit_once('@')) {
        Some((reference, at)) => (Some(reference), Some(at)),
        None => (reference, None),
    };
    let (text, at) = match text.rsplit_once('@') {
        Some((text, at)) => (text, Some(at)),
        None => (text, None),
    };
    let spec = GitSpec {
        reference: reference.map(str::to_owned),
        at: behind.or(at).map(str::to_owned),
        ..GitSpec::default()
    };
    (text, spec)
}

/// The repository, up to `.git`, and what lies below it.
fn split_git(path: &str) -> (&str, Option<String>) {
    match path.find(".git/") {
        Some(at) => {
            let (repository, below) = path.split_at(at + ".git".len());
            (repository, Some(below.to_owned()))
        }
        None => (path, None),
    }
}

/// Whether a host, with or without a port, is this machine, so that nobody listens on the way.
pub fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
