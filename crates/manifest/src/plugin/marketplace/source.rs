//! Where a plugin that a marketplace offers can be had.
//!
//! A pin that cannot be read makes an entry unusable: to ignore it would be to install something else.

use crate::plugin::fields::Fields;
use crate::plugin::inspection::shown;
use crate::plugin::mcp::address::Address;
use crate::plugin::path;
use crate::tree::{Data, Node, parse_int};
use serde::{Deserialize, Serialize};

/// Where a plugin can be had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OfferSource {
    /// In the marketplace's own directory; also Codex's `local`.
    Path(String),
    /// In a repository on GitHub.
    Github {
        /// `owner/name`.
        repo: String,
        /// A branch or a tag.
        reference: Option<String>,
        /// The commit, which counts before the branch or tag.
        sha: Option<String>,
    },
    /// In a Git repository, in a directory of it where `path` says so; also `git-subdir`.
    Git {
        /// The repository's address, or `owner/name` on GitHub.
        url: String,
        /// The directory in it.
        path: Option<String>,
        /// A branch or a tag.
        reference: Option<String>,
        /// The commit, which counts before the branch or tag.
        sha: Option<String>,
    },
    /// In a package of an npm registry.
    Npm {
        /// The package.
        package: String,
        /// A version or a range.
        version: Option<String>,
        /// Another registry than the usual one.
        registry: Option<String>,
    },
    /// In an archive.
    Archive {
        /// Its address.
        url: String,
        /// Its digest.
        sha256: Option<String>,
    },
    /// In a directory that a command prints; shown, and never run.
    Command {
        /// The command line.
        command: String,
        /// Seconds that it may take.
        timeout: Option<i64>,
        /// What is done with the directory.
        mode: CommandMode,
    },
    /// Somewhere that is not known; the entry is shown and cannot be installed.
    Unknown(Data),
}

/// What is done with the directory that a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandMode {
    /// It is copied.
    Copy,
    /// It is linked to.
    Link,
}

/// The source of an entry; a bare name lies below `root`. No answer if it was refused.
pub(super) fn read(parts: &mut Fields<'_>, root: Option<&str>) -> Option<OfferSource> {
    let Some(node) = parts.take("source") else {
        parts.missing("source");
        return None;
    };
    if let Some(place) = node.as_str() {
        return below(parts, place, root).map(OfferSource::Path);
    }
    let mut source = parts.within("source", node)?;
    let kind = source.required("source")?;
    match kind.as_str() {
        "local" => local(&mut source),
        "github" => github(&mut source),
        "url" | "git" => git(&mut source, Subdirectory::Optional),
        "git-subdir" => git(&mut source, Subdirectory::Required),
        "npm" => npm(&mut source),
        "archive" => archive(&mut source),
        "command" => command(&mut source),
        _ => {
            let message =
                format!("`{}` is `{}`, a source that is not known", source.named("source"), shown(&kind));
            source.refuse(source.at_key("source"), message, "the plugin is listed, but cannot be installed");
            Some(OfferSource::Unknown(node.to_data()))
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subdirectory {
    Optional,
    Required,
}

fn below(parts: &Fields<'_>, place: &str, root: Option<&str>) -> Option<String> {
    let contained = |place: &str| match path::contained(place) {
        Ok(path) => Some(path),
        Err(wrong) => {
            let message = format!("`{}`: the path `{}` {wrong}", parts.named("source"), shown(place));
            parts.refuse(parts.at_key("source"), message, "write a path below the marketplace's directory");
            None
        }
    };
    let found = contained(place)?;
    match root.filter(|_| !place.starts_with('.')) {
        Some(root) => Some(path::join(&contained(root)?, &found)),
        None => Some(found),
    }
}

fn local(source: &mut Fields<'_>) -> Option<OfferSource> {
    let place = source.required("path")?;
    subdirectory(source, &place).map(OfferSource::Path)
}

fn github(source: &mut Fields<'_>) -> Option<OfferSource> {
    let repo = source.required("repo")?;
    let is_repo = is_shorthand(&repo);
    require(source, "repo", is_repo, "write `owner/name`")?;
    let (reference, sha) = pins(source)?;
    Some(OfferSource::Github { repo, reference, sha })
}

fn git(source: &mut Fields<'_>, wanted: Subdirectory) -> Option<OfferSource> {
    let url = source.required("url")?;
    require(source, "url", is_git_url(&url), "write the address of a Git repository")?;
    let place = match wanted {
        Subdirectory::Required => Some(source.required("path")?),
        Subdirectory::Optional => source.text("path"),
    };
    let path = match place {
        Some(place) => Some(subdirectory(source, &place)?),
        None => None,
    };
    let (reference, sha) = pins(source)?;
    Some(OfferSource::Git { url, path, reference, sha })
}

fn npm(source: &mut Fields<'_>) -> Option<OfferSource> {
    let package = source.required("package")?;
    require(source, "package", is_package(&package), "write the name of a package, such as `@scope/name`")?;
    let (version, registry) = (source.text("version"), source.text("registry"));
    let is_https = registry.as_deref().is_none_or(is_https);
    require(source, "registry", is_https, "write an https address")?;
    Some(OfferSource::Npm { package, version, registry })
}

fn archive(source: &mut Fields<'_>) -> Option<OfferSource> {
    let url = source.required("url")?;
    require(source, "url", is_https(&url), "write an https address")?;
    let sha256 = hex(source, "sha256", 64)?;
    Some(OfferSource::Archive { url, sha256 })
}

fn command(source: &mut Fields<'_>) -> Option<OfferSource> {
    let command = source.required("command")?;
    let is_plain = command.len() <= 500 && command.bytes().all(|b| (b' '..=b'~').contains(&b));
    require(source, "command", is_plain, "write at most 500 printable ASCII characters")?;
    let timeout = match source.take("timeout") {
        None => None,
        Some(node) => {
            let seconds = node.as_scalar().and_then(|scalar| parse_int(&scalar.text));
            let seconds = seconds.filter(|seconds| (1..=600).contains(seconds));
            require(source, "timeout", seconds.is_some(), "write a number of seconds from 1 to 600")?;
            seconds
        }
    };
    let mode = source.text("mode");
    let is_mode = matches!(mode.as_deref(), None | Some("copy" | "link"));
    require(source, "mode", is_mode, "write `copy` or `link`")?;
    let mode = if mode.as_deref() == Some("link") { CommandMode::Link } else { CommandMode::Copy };
    Some(OfferSource::Command { command, timeout, mode })
}

fn subdirectory(source: &Fields<'_>, place: &str) -> Option<String> {
    let found = path::contained(place).ok();
    require(
        source,
        "path",
        found.is_some(),
        "write a path below the repository's or marketplace's directory",
    )?;
    found
}

/// The branch or tag and the commit.
fn pins(source: &mut Fields<'_>) -> Option<(Option<String>, Option<String>)> {
    let reference = source.text("ref");
    require(source, "ref", reference.as_deref().is_none_or(is_reference), "write a branch or a tag")?;
    Some((reference, hex(source, "sha", 40)?))
}

fn hex(source: &mut Fields<'_>, key: &str, length: usize) -> Option<Option<String>> {
    let Some(node) = source.take(key) else { return Some(None) };
    let is_hex = |text: &&str| text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit());
    let digits = Node::as_str(node).filter(is_hex).map(str::to_ascii_lowercase);
    require(source, key, digits.is_some(), &format!("write {length} hexadecimal digits"))?;
    Some(digits)
}

fn require(source: &Fields<'_>, key: &str, holds: bool, hint: &str) -> Option<()> {
    if !holds {
        source.refuse(source.at_key(key), format!("`{}` cannot be used", source.named(key)), hint);
    }
    holds.then_some(())
}

fn is_shorthand(repo: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['-', '.'])
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    repo.split_once('/').is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

/// Addresses that reach a repository and nothing else: Git's own helpers (`ext::`) and options (`-`) are refused.
fn is_git_url(url: &str) -> bool {
    let is_plain = !url.starts_with('-') && !url.contains(|c: char| c.is_control() || c.is_whitespace());
    let is_address = Address::parse(url).is_some_and(|address| {
        !address.host.starts_with('-') && address.has_scheme(&["https", "http", "ssh", "git"])
    });
    is_plain && (is_address || is_shorthand(url) || is_scp(url))
}

fn is_scp(url: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && !word.starts_with('-')
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let Some((user, rest)) = url.split_once('@') else { return false };
    let Some((host, path)) = rest.split_once(':') else { return false };
    is_word(user) && is_word(host) && !path.is_empty() && !path.starts_with(['-', ':'])
}

fn is_reference(reference: &str) -> bool {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    !reference.starts_with('-') && !reference.contains("..") && !reference.contains(is_odd)
}

fn is_package(package: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['-', '.'])
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b))
    };
    match package.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        None => is_part(package),
    }
}

fn is_https(url: &str) -> bool {
    Address::parse(url).is_some_and(|address| address.has_scheme(&["https"]) && !address.has_user)
}
