//! Pages of the common forges, as a browser's address line has them: a repository, a ref and a path in one address.
//!
//! A ref with a slash in it cannot be told from a path here: its first part counts, and whoever fetches it finds out; `#REF` says it exactly.

use super::{GitSpec, url};

/// The repository behind a page of a forge; `None` where the address is none of theirs.
pub fn page(scheme: &str, authority: &str, host: &str, path: &str) -> Option<GitSpec> {
    if !matches!(scheme, "https" | "http") {
        return None;
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let host = host.strip_prefix("www.").unwrap_or(host);
    let base = format!("{scheme}://{}/", authority.strip_prefix("www.").unwrap_or(authority));
    if let Some((repository, rest)) = path.split_once("/-/") {
        let (kind, rest) = rest.split_once('/')?;
        return matches!(kind, "tree" | "blob" | "raw")
            .then(|| spec(&base, repository.trim_matches('/'), rest));
    }
    if let Some((project, name)) = path.split_once("/_git/") {
        return Some(azure(&format!("{base}{project}/_git/"), name, query));
    }
    if path.contains(".git/") {
        return None;
    }
    match host {
        "git.sr.ht" => sourcehut(&base, path),
        "gitlab.com" => gitlab(&base, path),
        _ => plain(&base, host, path),
    }
    .or_else(|| data_center(&base, path, query))
    .or_else(|| shown(&base, path, query).filter(|_| is_known(host)))
}

/// Whether a host is one of the common forges, which have repositories and nothing else.
pub fn is_known(host: &str) -> bool {
    matches!(host, "github.com" | "codeberg.org" | "bitbucket.org" | "gitea.com" | "gitlab.com" | "git.sr.ht")
}

/// `owner/repo/tree/REF/path` and what looks like it, of the large forges and of those that people have of their own.
fn plain(base: &str, host: &str, path: &str) -> Option<GitSpec> {
    let mut parts = path.trim_matches('/').splitn(4, '/');
    let (owner, name, kind) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = parts.next().filter(|rest| !rest.is_empty())?;
    let repository = format!("{owner}/{name}");
    match kind {
        "tree" | "blob" => Some(spec(base, &repository, rest)),
        "src" if host == "bitbucket.org" => Some(spec(base, &repository, rest)),
        "src" => {
            let (kind, rest) = rest.split_once('/')?;
            matches!(kind, "branch" | "tag" | "commit").then(|| spec(base, &repository, rest))
        }
        _ => None,
    }
}

/// `group/sub/repo/tree/REF/path`, as it was before there was a dash.
fn gitlab(base: &str, path: &str) -> Option<GitSpec> {
    let kinds = ["/tree/", "/blob/"];
    let (repository, rest) = kinds.iter().find_map(|kind| path.split_once(kind))?;
    repository.trim_matches('/').contains('/').then(|| spec(base, repository.trim_matches('/'), rest))
}

/// `~owner/repo/tree/REF/item/path`.
fn sourcehut(base: &str, path: &str) -> Option<GitSpec> {
    let (repository, rest) = path.split_once("/tree/")?;
    let (reference, path) = rest.split_once("/item/").unwrap_or((rest, ""));
    let (path, suffixes) = url::suffixes(path);
    let (reference, own) = url::suffixes(reference.trim_end_matches('/'));
    Some(GitSpec {
        url: format!("{base}{repository}"),
        path: Some(directory_of(&decoded(path)).to_owned()),
        reference: suffixes.reference.or(own.reference).or_else(|| Some(decoded(reference))),
        at: suffixes.at.or(own.at),
        ..GitSpec::default()
    })
}

/// `projects/KEY/repos/NAME/browse/path?at=REF`, of Bitbucket in a company, whose repositories have another address.
fn data_center(base: &str, path: &str, query: &str) -> Option<GitSpec> {
    let parts: Vec<&str> = path.trim_matches('/').splitn(6, '/').collect();
    let [place @ ("projects" | "users"), owner, "repos", name, "browse", below @ ..] = parts.as_slice()
    else {
        return None;
    };
    let owner = if *place == "users" { format!("~{owner}") } else { owner.to_lowercase() };
    let at = value(query, "at").map(|at| {
        let names = ["refs/heads/", "refs/tags/"];
        names.iter().find_map(|name| at.strip_prefix(name)).unwrap_or(&at).to_owned()
    });
    let path = below.first().map(|path| directory_of(&decoded(path)).to_owned());
    Some(GitSpec { url: format!("{base}scm/{owner}/{name}.git"), path, reference: at, ..GitSpec::default() })
}

/// What a browser puts behind a repository's address says how its page is shown; `#` begins a ref, as elsewhere.
fn shown(base: &str, path: &str, query: &str) -> Option<GitSpec> {
    let reference = query.split_once('#').map(|(_, reference)| reference.to_owned());
    let url = format!("{base}{}", path.trim_matches('/'));
    (!query.is_empty()).then(|| GitSpec { url, reference, ..GitSpec::default() })
}

/// A repository with `REF/path` behind it.
fn spec(base: &str, repository: &str, rest: &str) -> GitSpec {
    let (rest, suffixes) = url::suffixes(rest);
    let (reference, path) = rest.split_once('/').unwrap_or((rest, ""));
    let reference = suffixes.reference.or_else(|| Some(decoded(reference)).filter(|text| !text.is_empty()));
    GitSpec {
        url: format!("{base}{repository}"),
        path: Some(directory_of(&decoded(path)).to_owned()),
        reference,
        at: suffixes.at,
        is_loose: true,
    }
}

/// The directory that a page shows: that of a skill's own file is its directory's.
pub fn directory_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((directory, file)) if file.eq_ignore_ascii_case("SKILL.md") => directory,
        None if path.eq_ignore_ascii_case("SKILL.md") => "",
        _ => path,
    }
}

/// Azure writes the path and the ref as a query.
fn azure(before: &str, name: &str, query: &str) -> GitSpec {
    let (name, suffixes) = url::suffixes(name);
    let (query, behind) =
        query.split_once('#').map_or((query, None), |(query, behind)| (query, Some(behind)));
    // A branch, a tag or a commit: without it another state than the one on the page would be taken.
    let kinds = ["GB", "GT", "GC"];
    let version = value(query, "version")
        .and_then(|version| Some(kinds.iter().find_map(|kind| version.strip_prefix(kind))?.to_owned()));
    GitSpec {
        url: format!("{before}{}", name.trim_end_matches('/')),
        path: value(query, "path").map(|path| directory_of(&path).to_owned()),
        reference: behind.map(str::to_owned).or(suffixes.reference).or(version),
        at: suffixes.at,
        ..GitSpec::default()
    }
}

/// What a query says of a key.
fn value(query: &str, key: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, _)| *name == key).map(|(_, value)| decoded(value)).next()
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
