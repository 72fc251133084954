//! Pages of the common forges, as a browser's address line has them: a repository, a ref and a path in one address.
//!
//! A ref with a slash in it cannot be told from a path here: its first part counts, and `#REF` says it exactly.

use super::{GitSpec, url};

/// The repository behind a page of a forge; `None` where the address is none of theirs.
pub fn page(scheme: &str, authority: &str, host: &str, path: &str) -> Option<GitSpec> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let host = host.strip_prefix("www.").unwrap_or(host);
    let authority = authority.strip_prefix("www.").unwrap_or(authority);
    if let Some((repository, rest)) = path.split_once("/-/") {
        let (repository, rest) = (repository.trim_matches('/'), rest.split_once('/')?);
        return matches!(rest.0, "tree" | "blob" | "raw")
            .then(|| spec(scheme, authority, repository, rest.1));
    }
    if let Some((project, name)) = path.split_once("/_git/") {
        return Some(azure(&format!("{scheme}://{authority}/{project}/_git/"), name, query));
    }
    if !is_known(host) || path.contains(".git/") {
        return None;
    }
    let mut parts = path.trim_matches('/').splitn(3, '/');
    let (owner, name, rest) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let (kind, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let repository = format!("{owner}/{name}");
    match (host, kind) {
        ("github.com", "tree" | "blob") => Some(spec(scheme, authority, &repository, rest)),
        ("bitbucket.org", "src") => Some(spec(scheme, authority, &repository, rest)),
        ("codeberg.org" | "gitea.com", "src") => {
            let (_, rest) = rest.split_once('/')?;
            Some(spec(scheme, authority, &repository, rest))
        }
        // What a browser puts behind a repository's address says how its page is shown; `#` begins a ref, as elsewhere.
        _ if !query.is_empty() => {
            let shown = spec(scheme, authority, path.trim_matches('/'), "");
            Some(GitSpec {
                reference: query.split_once('#').map(|(_, reference)| reference.to_owned()),
                ..shown
            })
        }
        _ => None,
    }
}

/// Whether a host is one of the common forges, which have repositories and nothing else.
pub fn is_known(host: &str) -> bool {
    matches!(host, "github.com" | "codeberg.org" | "bitbucket.org" | "gitea.com" | "gitlab.com")
}

/// A repository with `REF/path` behind it; the page of a skill's own file means its directory.
fn spec(scheme: &str, authority: &str, repository: &str, rest: &str) -> GitSpec {
    let (rest, suffixes) = url::suffixes(rest);
    let (reference, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = match path.rsplit_once('/') {
        Some((directory, file)) if file.eq_ignore_ascii_case("SKILL.md") => directory,
        None if path.eq_ignore_ascii_case("SKILL.md") => "",
        _ => path,
    };
    let reference = suffixes.reference.or_else(|| Some(decoded(reference)).filter(|text| !text.is_empty()));
    GitSpec {
        url: format!("{scheme}://{authority}/{repository}"),
        path: Some(decoded(path)),
        reference,
        at: suffixes.at,
    }
}

/// Azure writes the path and the ref as a query.
fn azure(before: &str, name: &str, query: &str) -> GitSpec {
    let value = |key: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| *name == key).map(|(_, value)| decoded(value)).next()
    };
    // A branch, a tag or a commit: without it another state than the one on the page would be taken.
    let kinds = ["GB", "GT", "GC"];
    let reference = value("version")
        .and_then(|version| Some(kinds.iter().find_map(|kind| version.strip_prefix(kind))?.to_owned()));
    GitSpec { url: format!("{before}{name}"), path: value("path"), reference, at: None }
}

/// A part of an address as it is called in the repository. What is no text then, or none that a name could be, stays as it is written.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let code = behind.get(..2).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) else {
            return text.to_owned();
        };
        bytes.push(byte);
        rest = behind.get(2..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    let name = String::from_utf8(bytes).ok().filter(|name| !name.contains(char::is_control));
    name.unwrap_or_else(|| text.to_owned())
}
