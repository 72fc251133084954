//! Packages of npm: which version is meant, where its archive is, and what that has to be.
//!
//! It reads what a registry says of a package; fetching is another's business. Nothing of a package is run, and nothing that it depends on is
//! fetched: what counts is the files in it.

mod accounts;
mod range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA384, SHA512};
use semver::Version;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

pub use accounts::Accounts;

/// The registry where nobody says otherwise.
pub const REGISTRY: &str = "https://registry.npmjs.org";

/// A package, and which version of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpmSpec {
    /// Another registry than the usual one.
    pub registry: Option<String>,
    /// Its name, with its scope.
    pub package: String,
    /// A version, a range or a tag; nothing for the latest.
    pub version: Option<String>,
}

/// One version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The version.
    pub version: String,
    /// Where its archive is.
    pub tarball: String,
    /// What that has to be: `sha512-…` as npm writes it, or 40 hexadecimal digits.
    integrity: String,
}

/// Why a package cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NpmError {
    /// It is no document of a package.
    #[error("the registry's answer cannot be read: {0}")]
    Form(String),
    /// There is no such version.
    #[error("there is no version `{0}` of it")]
    NoVersion(String),
    /// Nothing says what its archive has to be.
    #[error("version {0} of it has no digest, so nobody could tell what it is")]
    NoDigest(String),
}

impl NpmSpec {
    /// Reads `name`, `@scope/name`, each with `@version` behind it.
    pub fn parse(text: &str) -> Option<Self> {
        let at = text.char_indices().skip(1).find(|(_, char)| *char == '@').map(|(at, _)| at);
        let (package, version) = match at {
            Some(at) => (text.get(..at)?, text.get(at + 1..)),
            None => (text, None),
        };
        let version = version.map(str::to_owned);
        let is_version =
            |text: &String| !text.is_empty() && text.len() <= 64 && !text.contains(['/', ':', '@']);
        (is_package(package) && version.as_ref().is_none_or(is_version)).then(|| Self {
            registry: None,
            package: package.to_owned(),
            version,
        })
    }

    /// What the lock calls it: the package, below its registry where that is another one.
    pub fn source(&self) -> String {
        match &self.registry {
            Some(registry) => format!("{}/{}", registry.trim_end_matches('/'), self.package),
            None => self.package.clone(),
        }
    }

    /// Reads what the lock calls it.
    pub fn of_source(source: &str) -> Option<Self> {
        let Some((scheme, rest)) = source.split_once("://") else {
            return Self::parse(source).filter(|spec| spec.version.is_none());
        };
        let at = rest.find("/@").or_else(|| rest.rfind('/'))?;
        let (host, package) = (rest.get(..at)?, rest.get(at + 1..)?);
        let spec = Self::parse(package).filter(|spec| spec.version.is_none() && !host.is_empty())?;
        Some(Self { registry: Some(format!("{scheme}://{host}")), ..spec })
    }

    /// Where the registry says what there is of it; `usual` is the registry where none is named.
    pub fn address(&self, usual: &str) -> String {
        let registry = self.registry.as_deref().unwrap_or(usual).trim_end_matches('/');
        format!("{registry}/{}", self.package.replace('/', "%2f"))
    }
}

/// Whether a text can be the name of a package.
pub fn is_package(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "-._~".contains(char);
        !part.is_empty() && !part.starts_with(['.', '-', '_']) && part.chars().all(is_plain)
    };
    let parts = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/'),
        None => Some(("scope", name)),
    };
    name.len() <= 214 && parts.is_some_and(|(scope, name)| is_part(scope) && is_part(name))
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "dist-tags", default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    versions: BTreeMap<String, Written>,
}

#[derive(Deserialize)]
struct Written {
    dist: Dist,
}

#[derive(Deserialize)]
struct Dist {
    tarball: String,
    integrity: Option<String>,
    shasum: Option<String>,
}

/// The version that is meant, in what a registry says of a package.
///
/// # Errors
/// Where it says nothing of the kind, or has no such version.
pub fn release(document: &[u8], wanted: Option<&str>) -> Result<Release, NpmError> {
    let mut read: Document =
        serde_json::from_slice(document).map_err(|error| NpmError::Form(error.to_string()))?;
    let wanted = wanted.unwrap_or("latest");
    let version = version(&read, wanted).ok_or_else(|| NpmError::NoVersion(wanted.to_owned()))?;
    let Some(Written { dist }) = read.versions.remove(&version) else {
        return Err(NpmError::NoVersion(wanted.to_owned()));
    };
    let strong = dist.integrity.filter(|text| strongest(text).is_some());
    let integrity = strong.or(dist.shasum.filter(|text| text.len() == 40));
    let integrity = integrity.ok_or_else(|| NpmError::NoDigest(version.clone()))?;
    Ok(Release { version, tarball: dist.tarball, integrity })
}

/// An exact version counts before a tag, and that before a range.
fn version(document: &Document, wanted: &str) -> Option<String> {
    if document.versions.contains_key(wanted) {
        return Some(wanted.to_owned());
    }
    if let Some(tagged) = document.tags.get(wanted) {
        return Some(tagged.clone());
    }
    let ranges = range::parse(wanted)?;
    let is_fitting = |version: &Version| ranges.iter().any(|range| range.matches(version));
    // As npm has it: what its maker calls the latest counts before what is higher, as long as it fits.
    let latest = document.tags.get("latest").filter(|latest| document.versions.contains_key(*latest));
    if let Some(latest) =
        latest.filter(|latest| Version::parse(latest).is_ok_and(|version| is_fitting(&version)))
    {
        return Some(latest.clone());
    }
    let parsed = document.versions.keys().filter_map(|text| Some((Version::parse(text).ok()?, text)));
    let fitting = parsed.filter(|(version, _)| is_fitting(version));
    fitting.max_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, text)| text.clone())
}

/// The strongest digest of several.
fn strongest(integrity: &str) -> Option<(&str, &str)> {
    let parts = || integrity.split_whitespace().filter_map(|part| part.split_once('-'));
    ["sha512", "sha384", "sha256"].iter().find_map(|wanted| parts().find(|(name, _)| name == wanted))
}

impl Release {
    /// Whether a file is the archive of this release.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn is(&self, path: &Path) -> io::Result<bool> {
        let (algorithm, expected) = match strongest(&self.integrity) {
            Some((name, text)) => {
                let text = text.split('?').next().unwrap_or_default();
                let algorithm = match name {
                    "sha512" => &SHA512,
                    "sha384" => &SHA384,
                    _ => &SHA256,
                };
                (algorithm, STANDARD.decode(text).unwrap_or_default())
            }
            None => (&SHA1_FOR_LEGACY_USE_ONLY, bytes(&self.integrity).unwrap_or_default()),
        };
        let mut context = Context::new(algorithm);
        let mut file = File::open(path)?;
        let mut piece = vec![0; 64 * 1024];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(context.finish().as_ref() == expected),
                count => context.update(piece.get(..count).unwrap_or_default()),
            }
        }
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = (0..hex.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(wanted: &[&str], expected: &Expect) {
        let entry = |version: &str| {
            format!(
                r#""{version}": {{"dist": {{"tarball": "https://r.example/{version}.tgz", "integrity": "sha512-AAAA"}}}}"#
            )
        };
        let entries = ["1.0.0", "1.2.0", "1.2.5", "1.10.0", "2.0.0", "3.0.0-beta.1"].map(entry).join(",");
        let bare = r#""0.1.0": {"dist": {"tarball": "x"}}"#;
        let document = format!(
            r#"{{"dist-tags": {{"latest": "2.0.0", "next": "3.0.0-beta.1"}}, "versions": {{{entries},{bare}}}}}"#
        );
        let shown = wanted.iter().map(|wanted| {
            let found = release(document.as_bytes(), Some(wanted).filter(|text| !text.is_empty()).copied());
            format!("{wanted:>10} {}\n", found.map_or_else(|error| error.to_string(), |found| found.version))
        });
        expected.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn versions_tags_and_ranges_mean_one_release() {
        check(
            &[
                "",
                "latest",
                "next",
                "1.2.0",
                "1",
                "1.2",
                "^1.0.0",
                "~1.2.0",
                ">=1.0.0 <1.10.0",
                "1.x",
                "*",
                "9",
                "0.1.0",
                "||",
            ],
            &expect![[r#"
                           2.0.0
                    latest 2.0.0
                      next 3.0.0-beta.1
                     1.2.0 1.2.0
                         1 1.10.0
                       1.2 1.2.5
                    ^1.0.0 1.10.0
                    ~1.2.0 1.2.5
                >=1.0.0 <1.10.0 1.2.5
                       1.x 1.10.0
                         * 2.0.0
                         9 there is no version `9` of it
                     0.1.0 version 0.1.0 of it has no digest, so nobody could tell what it is
                        || there is no version `||` of it
            "#]],
        );
        assert!(matches!(release(b"<html>", None), Err(NpmError::Form(_))));
    }

    /// What npm's own program takes: the latest where that fits, and else the highest.
    #[test]
    fn ranges_are_those_of_npm() {
        check(
            &[
                "0.x || ^1.0.0",
                "1.0.0 || 9",
                "1.0.0 - 1.2",
                "1.0.0 - 1.2.0",
                ">= 1.0.0 < 1.10.0",
                "~> 1.2.0",
                "v1.2.0",
                "=v1.2.0",
                "1.2.x",
                ">=1",
                "3.0.0-beta.1 || 9",
                "1 - 2 - 3",
                "<1.0.0-0",
            ],
            &expect![[r#"
                0.x || ^1.0.0 1.10.0
                1.0.0 || 9 1.0.0
                1.0.0 - 1.2 1.2.5
                1.0.0 - 1.2.0 1.2.0
                >= 1.0.0 < 1.10.0 1.2.5
                  ~> 1.2.0 1.2.5
                    v1.2.0 1.2.0
                   =v1.2.0 1.2.0
                     1.2.x 1.2.5
                       >=1 2.0.0
                3.0.0-beta.1 || 9 3.0.0-beta.1
                 1 - 2 - 3 there is no version `1 - 2 - 3` of it
                  <1.0.0-0 version 0.1.0 of it has no digest, so nobody could tell what it is
            "#]],
        );
    }

    #[test]
    fn what_its_maker_calls_the_latest_counts_before_what_is_higher() {
        let document = r#"{"dist-tags": {"latest": "1.2.0"}, "versions": {
            "1.2.0": {"dist": {"tarball": "a", "integrity": "sha512-AAAA"}},
            "1.3.0": {"dist": {"tarball": "b", "integrity": "sha512-AAAA"}}}}"#;
        let found = |wanted| release(document.as_bytes(), Some(wanted)).unwrap().version;
        assert_eq!([found("^1.0.0"), found(">1.2.0")], ["1.2.0", "1.3.0"]);
    }

    #[test]
    fn names_are_those_of_packages_and_sources_come_back() {
        for text in ["tools", "@acme/tools", "@acme/tools@^1.2", "tools@latest"] {
            let spec = NpmSpec::parse(text).unwrap();
            let plain = NpmSpec { version: None, ..spec };
            assert_eq!(NpmSpec::of_source(&plain.source()).unwrap(), plain);
            let other = NpmSpec { registry: Some("https://npm.example/a".to_owned()), ..plain };
            assert_eq!(NpmSpec::of_source(&other.source()).unwrap(), other);
        }
        for text in ["", "@", "@acme", "@acme/", "../x", "a/b", "a b", "tools@", "tools@a/b", "-x", "@a/b/c"]
        {
            assert_eq!(NpmSpec::parse(text), None, "{text}");
        }
    }
}
