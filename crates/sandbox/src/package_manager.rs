//! Package managers of the host, which bring programs that skills need: fixed argument lists, names that are checked, and packages'
//! own scripts switched off.
//!
//! They run outside any container, so that nothing of a skill reaches them but one name. Whether one may run at all is decided
//! above; where a manager cannot switch scripts off it is not here.

use std::collections::BTreeMap;
use std::io;
use std::process::{Command, Stdio};

/// A package manager that can be told to run no scripts of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// Homebrew: formulas of its own repository, without their steps after the installation.
    Brew,
    /// uv: Python packages that are built already.
    Uv,
    /// npm: packages without their life-cycle scripts.
    Npm,
    /// Go: modules are compiled, without C.
    Go,
}

/// A package and who brings it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    manager: Manager,
    name: String,
}

/// A text that is no name of a package there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no name of a package that {} takes", .manager.program())]
pub struct NotAPackage {
    manager: Manager,
    name: String,
}

impl Manager {
    /// The program.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Brew => "brew",
            Self::Uv => "uv",
            Self::Npm => "npm",
            Self::Go => "go",
        }
    }

    /// The arguments before the package.
    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Brew => &["install", "--skip-post-install"],
            Self::Uv => &["tool", "install", "--no-build"],
            Self::Npm => &["install", "--global", "--ignore-scripts"],
            Self::Go => &["install"],
        }
    }

    /// What its environment has beyond the caller's.
    const fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Brew => &[("HOMEBREW_NO_AUTO_UPDATE", "1")],
            Self::Npm => &[("npm_config_ignore_scripts", "true")],
            Self::Go => &[("CGO_ENABLED", "0")],
            Self::Uv => &[],
        }
    }
}

impl Package {
    /// A package by its name, which may say a version where the manager has a way to.
    ///
    /// # Errors
    /// Where it is no such name: an option, a path, an address, or anything with other characters.
    pub fn new(manager: Manager, name: &str) -> Result<Self, NotAPackage> {
        let refused = || NotAPackage { manager, name: name.to_owned() };
        let name = match manager {
            Manager::Brew if is_word(name, "@+._-") => name.to_owned(),
            Manager::Uv if is_pinned(name, "==", |name| is_word(name, "._-")) => name.to_owned(),
            Manager::Npm if is_npm(name) => name.to_owned(),
            Manager::Go => module(name).ok_or_else(refused)?,
            _ => return Err(refused()),
        };
        Ok(Self { manager, name })
    }

    /// The whole command, word by word.
    pub fn command(&self) -> Vec<String> {
        let words = [self.manager.program()].into_iter().chain(self.manager.arguments().iter().copied());
        words.chain([self.name.as_str()]).map(str::to_owned).collect()
    }

    /// Runs the manager to its end, at the caller's terminal; what it prints goes to `output`. The exit code, or none where a signal
    /// ended it.
    ///
    /// # Errors
    /// Where it cannot be started.
    #[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
    pub fn install(&self, environment: &BTreeMap<String, String>, output: Stdio) -> io::Result<Option<i32>> {
        let mut command = Command::new(self.manager.program());
        command.args(self.manager.arguments()).arg(&self.name);
        command.env_clear().envs(environment).envs(self.manager.environment().iter().copied());
        command.stdin(Stdio::inherit()).stdout(output).stderr(Stdio::inherit());
        Ok(command.status()?.code())
    }
}

/// Letters and digits, the first of them one, and of others only those that are named.
fn is_word(text: &str, others: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric();
    text.len() <= 128
        && text.starts_with(is_plain)
        && text.chars().all(|letter| is_plain(letter) || others.contains(letter))
        && !text.contains("..")
}

/// A name, and perhaps a version behind a mark.
fn is_pinned(text: &str, mark: &str, is_name: impl Fn(&str) -> bool) -> bool {
    match text.split_once(mark) {
        Some((name, version)) => is_name(name) && is_word(version, "._+-"),
        None => is_name(text),
    }
}

/// `name`, `@scope/name`, either with `@version`.
fn is_npm(text: &str) -> bool {
    let is_name = |name: &str| is_pinned(name, "@", |name| is_word(name, "._-"));
    match text.strip_prefix('@').map(|scoped| scoped.split_once('/')) {
        Some(Some((scope, name))) => is_word(scope, "._-") && is_name(name),
        Some(None) => false,
        None => is_name(text),
    }
}

/// `host.name/path@version`; the latest version where none is said.
fn module(text: &str) -> Option<String> {
    let (path, version) = text.split_once('@').unwrap_or((text, "latest"));
    let (host, rest) = path.split_once('/')?;
    let is_host = is_word(host, ".-") && host.contains('.');
    let is_path = rest.split('/').all(|part| is_word(part, "._~-"));
    (is_host && is_path && is_word(version, "._+-")).then(|| format!("{path}@{version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(manager: Manager, name: &str, expected: Option<&str>) {
        let command = Package::new(manager, name).map(|package| package.command().join(" "));
        assert_eq!(command.ok().as_deref(), expected, "{name}");
    }

    #[test]
    fn a_package_is_one_word_behind_fixed_arguments() {
        check(Manager::Brew, "ripgrep", Some("brew install --skip-post-install ripgrep"));
        check(Manager::Brew, "python@3.13", Some("brew install --skip-post-install python@3.13"));
        check(Manager::Uv, "ruff==0.9.1", Some("uv tool install --no-build ruff==0.9.1"));
        check(
            Manager::Npm,
            "@scope/tool@1.2.3",
            Some("npm install --global --ignore-scripts @scope/tool@1.2.3"),
        );
        check(Manager::Npm, "prettier", Some("npm install --global --ignore-scripts prettier"));
        check(Manager::Go, "example.org/a/cmd/b", Some("go install example.org/a/cmd/b@latest"));
        check(Manager::Go, "example.org/a@v1.2.3", Some("go install example.org/a@v1.2.3"));
    }

    #[test]
    fn whatever_else_is_refused() {
        let hostile = [
            "",
            "-g",
            "--prefix=/",
            ".",
            "..",
            "../x",
            "/etc",
            "./x",
            "~",
            "a b",
            "a;b",
            "$(id)",
            "`id`",
            "a\nb",
            "a\0b",
            "é",
            "http://example.org/x.tgz",
            "git+https://example.org/x",
            "file:x",
            "a/../b",
            "user/tap/formula",
            "a@",
            "@a",
            "@/b",
            "a==",
            "x@npm:y",
            "x@git+ssh://z",
            "a|b",
            "a>b",
            "a&b",
            "\u{202e}a",
        ];
        for name in hostile {
            for manager in [Manager::Brew, Manager::Uv, Manager::Npm, Manager::Go] {
                // A version may be empty for nobody, and Homebrew's own names may end with what elsewhere is a mark.
                if manager == Manager::Brew && name == "a@" {
                    continue;
                }
                check(manager, name, None);
            }
        }
        check(Manager::Npm, &"a".repeat(129), None);
        check(Manager::Go, "localhost/x", None);
    }
}
