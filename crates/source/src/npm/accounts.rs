//! A person's `.npmrc`: which registry a scope means, and who they are at a registry.
//!
//! Only the person's own file counts; a project's is a stranger's. What it says is never shown, and goes to the registry alone that it
//! was written for.

use super::is_package;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::fmt;

/// What the file says.
#[derive(Clone, Default)]
pub struct Accounts {
    registry: Option<String>,
    /// By scope, with its `@`.
    scopes: BTreeMap<String, String>,
    /// Keys by registry, which is written as `//host/path/`.
    keys: BTreeMap<String, BTreeMap<String, String>>,
}

impl Accounts {
    /// Reads the file. `${NAME}` is what `env` says; a line that means nothing here is passed over.
    pub fn parse(text: &str, env: &BTreeMap<String, String>) -> Self {
        let mut accounts = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = substituted(value.trim().trim_matches(['"', '\'']), env);
            accounts.take(key.trim(), value);
        }
        accounts
    }

    fn take(&mut self, key: &str, value: String) {
        if key == "registry" {
            self.registry = Some(value);
        } else if let Some(scope) = key.strip_suffix(":registry") {
            if is_package(&format!("{scope}/x")) {
                self.scopes.insert(scope.to_owned(), value);
            }
        } else if let Some((place, name)) = key.rsplit_once(":_").or_else(|| key.rsplit_once(":user"))
            && place.starts_with("//")
        {
            let place = format!("{}/", place.trim_end_matches('/'));
            self.keys.entry(place).or_default().insert(name.to_owned(), value);
        }
    }

    /// The registry that a package's scope means, where the file says so.
    pub fn registry_of(&self, package: &str) -> Option<&str> {
        let (scope, _) = package.split_once('/')?;
        self.scopes.get(scope).map(String::as_str)
    }

    /// The registry of everything else, where the file says so.
    pub fn registry(&self) -> Option<&str> {
        self.registry.as_deref()
    }

    /// What to say in `Authorization` at an address: that of the longest registry which the address lies below.
    pub fn authorization(&self, url: &str) -> Option<String> {
        let place = url.split_once(':')?.1;
        let below = self.keys.iter().filter(|(registry, _)| place.starts_with(registry.as_str()));
        let (_, keys) = below.max_by_key(|(registry, _)| registry.len())?;
        if let Some(token) = keys.get("authToken") {
            return Some(format!("Bearer {token}"));
        }
        if let Some(both) = keys.get("auth") {
            return Some(format!("Basic {both}"));
        }
        let password = STANDARD.decode(keys.get("password")?).ok()?;
        let password = String::from_utf8(password).ok()?;
        Some(format!("Basic {}", STANDARD.encode(format!("{}:{password}", keys.get("name")?))))
    }
}

impl fmt::Debug for Accounts {
    /// The registries alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.keys.keys()).finish()
    }
}

/// A value with its variables filled in; one that is not set stays as it is written, as npm has it.
fn substituted(value: &str, env: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        text.push_str(before);
        match env.get(name) {
            Some(value) => text.push_str(value),
            None => text.push_str(&format!("${{{name}}}")),
        }
        rest = behind;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
        ; the company's
        registry=https://mirror.example/npm/
        @acme:registry = \"https://npm.acme.example\"
        //npm.acme.example/:_authToken=${ACME_TOKEN}
        //npm.acme.example/deep/:_authToken=deeper
        //old.example/:username=ada
        //old.example/:_password=bG92ZWxhY2U=
        //basic.example/:_auth=YWRhOmxvdmVsYWNl
        always-auth=true
    ";

    fn accounts() -> Accounts {
        Accounts::parse(FILE, &BTreeMap::from([("ACME_TOKEN".to_owned(), "s3cret".to_owned())]))
    }

    #[test]
    fn a_token_goes_to_the_registry_that_it_was_written_for() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(accounts().authorization(url).as_deref(), expected, "{url}");
        };
        check("https://npm.acme.example/@acme%2ftools", Some("Bearer s3cret"));
        check("https://npm.acme.example/deep/x", Some("Bearer deeper"));
        check("https://npm.acme.example.evil.example/x", None);
        check("https://npm.acme.example:8443/x", None);
        check("https://evil.example/npm.acme.example/x", None);
        check("https://old.example/x", Some("Basic YWRhOmxvdmVsYWNl"));
        check("https://basic.example/x", Some("Basic YWRhOmxvdmVsYWNl"));
        check("nowhere", None);
    }

    #[test]
    fn a_scope_means_its_registry() {
        let accounts = accounts();
        assert_eq!(accounts.registry_of("@acme/tools"), Some("https://npm.acme.example"));
        assert_eq!(accounts.registry_of("@other/tools"), None);
        assert_eq!(accounts.registry_of("tools"), None);
        assert_eq!(accounts.registry(), Some("https://mirror.example/npm/"));
    }

    #[test]
    fn nothing_of_it_is_shown() {
        let shown = format!("{:?}", accounts());
        assert!(!shown.contains("s3cret") && !shown.contains("bG92"), "{shown}");
    }

    #[test]
    fn a_variable_that_is_not_set_stays_as_it_is_written() {
        let env = BTreeMap::from([("A".to_owned(), "1".to_owned())]);
        for (value, expected) in [("x${A}y${A}", "x1y1"), ("${B}", "${B}"), ("${A", "${A"), ("$A", "$A")] {
            assert_eq!(substituted(value, &env), expected);
        }
    }
}
