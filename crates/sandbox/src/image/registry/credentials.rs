//! Who to be at a registry: what a person's Docker configuration file says.
//!
//! Passwords that it leaves to helper programs stay there, since no program is started here.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oci_client::secrets::RegistryAuth;
use serde::Deserialize;

/// Bytes that the file may have.
const LONGEST: u64 = 1 << 20;

/// Names and passwords by registry.
#[derive(Clone, Default)]
pub struct Credentials {
    accounts: BTreeMap<String, (String, String)>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// The system says so.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no such file.
    #[error("{} is no Docker configuration", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
    },
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    auths: BTreeMap<String, Account>,
}

#[derive(Deserialize)]
struct Account {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

impl Credentials {
    /// Reads a Docker configuration file; where there is none, nobody is known.
    pub fn read(path: &Path) -> Result<Credentials, CredentialsError> {
        let failed = |source| CredentialsError::Read { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        match File::open(path) {
            Ok(file) => drop(file.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Credentials::default()),
            Err(error) => return Err(failed(error)),
        }
        Credentials::parse(&bytes).ok_or_else(|| CredentialsError::Invalid { path: path.to_owned() })
    }

    fn parse(bytes: &[u8]) -> Option<Credentials> {
        let document: Document = serde_json::from_slice(bytes).ok()?;
        let accounts = document.auths.into_iter();
        let accounts = accounts.filter_map(|(key, account)| Some((host(&key).to_owned(), account.read()?)));
        Some(Credentials { accounts: accounts.collect() })
    }

    /// Who to be at a registry; nobody where nothing is said.
    pub(super) fn of(&self, registry: &str) -> RegistryAuth {
        match self.accounts.get(registry) {
            Some((name, password)) => RegistryAuth::Basic(name.clone(), password.clone()),
            None => RegistryAuth::Anonymous,
        }
    }
}

impl Account {
    fn read(self) -> Option<(String, String)> {
        if let (Some(name), Some(password)) = (self.username, self.password) {
            return Some((name, password));
        }
        let decoded = STANDARD.decode(self.auth?.trim()).ok()?;
        let text = String::from_utf8(decoded).ok()?;
        let (name, password) = text.split_once(':')?;
        (!name.is_empty()).then(|| (name.to_owned(), password.trim_end_matches('\0').to_owned()))
    }
}

/// The registry that a key of the file means: `https://index.docker.io/v1/` is `index.docker.io`.
fn host(key: &str) -> &str {
    let key = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://")).unwrap_or(key);
    match key.split('/').next().unwrap_or(key) {
        "docker.io" | "registry-1.docker.io" => "index.docker.io",
        host => host,
    }
}

impl fmt::Debug for Credentials {
    /// The registries alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.accounts.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_passwords_are_found_by_registry() {
        let auth = STANDARD.encode("ada:se:cret");
        let text = format!(
            r#"{{"auths": {{"https://index.docker.io/v1/": {{"auth": "{auth}"}}, "r.example:5000": {{"username": "bob", "password": "x"}},
            "helped.example": {{}}, "broken.example": {{"auth": "!"}}}}, "credsStore": "desktop"}}"#
        );
        let credentials = Credentials::parse(text.as_bytes()).unwrap();
        let basic = |name: &str, password: &str| RegistryAuth::Basic(name.to_owned(), password.to_owned());
        assert_eq!(credentials.of("index.docker.io"), basic("ada", "se:cret"));
        assert_eq!(credentials.of("r.example:5000"), basic("bob", "x"));
        for registry in ["r.example", "helped.example", "broken.example", "elsewhere"] {
            assert_eq!(credentials.of(registry), RegistryAuth::Anonymous, "{registry}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let credentials =
            Credentials::parse(br#"{"auths": {"a": {"username": "u", "password": "hunter2"}}}"#);
        assert_eq!(format!("{:?}", credentials.unwrap()), r#"{"a"}"#);
    }

    #[test]
    fn a_file_that_is_not_there_knows_nobody_and_a_broken_one_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.json");
        assert!(Credentials::read(&path).unwrap().accounts.is_empty());
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(Credentials::read(&path), Err(CredentialsError::Invalid { .. })));
        assert!(matches!(Credentials::read(directory.path()), Err(CredentialsError::Read { .. })));
    }
}
