//! Docker's contexts: named hosts in the directory of its settings, one of which is current.
//!
//! Only the address is read; a context's certificates are not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::given;
use crate::probe::Finding;
use crate::surroundings::Surroundings;

/// The context that Docker's client would use, and its host; `None` for the default one.
pub(super) fn current(around: &Surroundings) -> Result<Option<(String, String)>, Finding> {
    let Some(settings) = settings(around) else { return Ok(None) };
    let name = match given(&around.docker_context) {
        Some(name) => Some(name.to_owned()),
        None => configured(&settings)?,
    };
    match name.filter(|name| name != "default") {
        Some(name) => host(&settings, &name).map(|host| Some((name, host))),
        None => Ok(None),
    }
}

fn settings(around: &Surroundings) -> Option<PathBuf> {
    around.docker_config.clone().or_else(|| around.home.as_ref().map(|home| home.join(".docker")))
}

/// What `config.json` says; without the file nothing is said.
fn configured(settings: &Path) -> Result<Option<String>, Finding> {
    let path = settings.join("config.json");
    match read(&path) {
        Ok(config) => Ok(text_at(&config, "/currentContext").filter(|name| !name.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

/// A context's description lies in a directory that is named by the digest of its name.
fn host(settings: &Path, name: &str) -> Result<String, Finding> {
    let digest: String = Sha256::digest(name).iter().map(|byte| format!("{byte:02x}")).collect();
    let path = settings.join("contexts/meta").join(digest).join("meta.json");
    let description = read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Finding::new(
            format!("Docker's context `{name}` does not exist"),
            "choose another with `docker context use`, or set DOCKER_HOST",
        ),
        _ => unreadable(&path, &error),
    })?;
    text_at(&description, "/Endpoints/docker/Host").ok_or_else(|| {
        Finding::new(
            format!("Docker's context `{name}` names no host"),
            "choose another with `docker context use`, or set DOCKER_HOST",
        )
    })
}

fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

fn read(path: &Path) -> io::Result<Value> {
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::from)
}

fn unreadable(path: &Path, error: &io::Error) -> Finding {
    Finding::new(format!("cannot read {}: {error}", path.display()), "mend the file, or set DOCKER_HOST")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// `sha256("rootless")`
    const ROOTLESS: &str = "12b961af5feb3e9d39f93b2cefb9a1a944f18d02cca0cac2f04f5a982240605f";

    #[track_caller]
    fn check(files: &[(&str, &str)], context: Option<&str>, expected: Expect) {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().to_str().unwrap().to_owned();
        for (path, content) in files {
            let path = home.path().join(".docker").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let around = Surroundings {
            home: Some(home.path().to_owned()),
            docker_context: context.map(str::to_owned),
            ..Surroundings::default()
        };
        let found = match current(&around) {
            Ok(found) => format!("{found:?}"),
            Err(finding) => finding.cause,
        };
        expected.assert_eq(&found.replace(&root, "[HOME]"));
    }

    fn meta(name: &str) -> String {
        let digest: String = Sha256::digest(name).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("contexts/meta/{digest}/meta.json")
    }

    const DESCRIPTION: &str =
        r#"{"Name":"rootless","Endpoints":{"docker":{"Host":"unix:///run/user/1000/docker.sock"}}}"#;

    #[test]
    fn a_context_lies_where_dockers_client_put_it() {
        assert_eq!(meta("rootless"), format!("contexts/meta/{ROOTLESS}/meta.json"));
    }

    #[test]
    fn without_settings_it_is_the_default() {
        check(&[], None, expect!["None"]);
        check(&[("config.json", "{}")], None, expect!["None"]);
        check(&[("config.json", r#"{"currentContext":"default"}"#)], None, expect!["None"]);
    }

    #[test]
    fn the_current_context_names_the_host() {
        let config = ("config.json", r#"{"currentContext":"rootless"}"#);
        check(
            &[config, (&meta("rootless"), DESCRIPTION)],
            None,
            expect![[r#"Some(("rootless", "unix:///run/user/1000/docker.sock"))"#]],
        );
    }

    #[test]
    fn a_context_by_name_comes_before_the_current_one() {
        let config = ("config.json", r#"{"currentContext":"gone"}"#);
        check(
            &[config, (&meta("rootless"), DESCRIPTION)],
            Some("rootless"),
            expect![[r#"Some(("rootless", "unix:///run/user/1000/docker.sock"))"#]],
        );
        check(&[config], Some("default"), expect!["None"]);
    }

    #[test]
    fn a_context_that_is_not_there_is_said_and_not_replaced_by_another() {
        check(
            &[("config.json", r#"{"currentContext":"gone"}"#)],
            None,
            expect!["Docker's context `gone` does not exist"],
        );
        check(&[(&meta("odd"), "{}")], Some("odd"), expect!["Docker's context `odd` names no host"]);
        check(
            &[("config.json", "{")],
            None,
            expect!["cannot read [HOME]/.docker/config.json: EOF while parsing an object at line 1 column 1"],
        );
    }
}
