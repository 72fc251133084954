//! Paths of the configuration: what `~` and `${VAR}` stand for, and which paths stay in a project.
//!
//! It looks at words only. Whether a path exists, and where links lead, is the caller's to find out.

use std::path::{Path, PathBuf};

/// Why a path could not be made whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The path begins with `~` and no home directory is known.
    #[error("`~` is used, but the home directory is not known")]
    NoHome,
    /// The path names another person's home directory.
    #[error("`~{user}` is another person's home directory; only `~` is expanded")]
    OtherHome {
        /// Who.
        user: String,
    },
    /// A variable is not set, or is empty.
    #[error("the variable `{name}` is not set")]
    Unset {
        /// Which.
        name: String,
    },
    /// `${` without a name or without its `}`.
    #[error("`${{` is not followed by a variable's name and `}}`")]
    Malformed,
    /// The path, or the value of a variable in it, is empty or holds a NUL character.
    #[error("the path is empty or holds a NUL character")]
    Unusable,
}

/// The whole path: `~` and `${VAR}` replaced, then joined to `base` where it is relative.
///
/// `.` and doubled slashes go; `..` stays for the file system, which alone knows where links lead.
pub fn expand(
    path: &str,
    home: Option<&str>,
    env: &dyn Fn(&str) -> Option<String>,
    base: &str,
) -> Result<String, ExpandError> {
    let (start, rest) = match path.strip_prefix('~') {
        None => ("", path),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => (home.ok_or(ExpandError::NoHome)?, rest),
        Some(rest) => {
            let user = rest.split('/').next().unwrap_or(rest).to_owned();
            return Err(ExpandError::OtherHome { user });
        }
    };
    let whole = format!("{start}{}", substitute(rest, env)?);
    if whole.trim().is_empty() || whole.contains('\0') {
        return Err(ExpandError::Unusable);
    }
    let joined: PathBuf = Path::new(base).join(whole).components().collect();
    joined.into_os_string().into_string().map_err(|_| ExpandError::Unusable)
}

/// Whether a path, as written, can only lead into the directory it is relative to.
///
/// Backslashes and drive letters count on every system, so that one file means one thing everywhere.
pub(super) fn stays_inside(path: &str) -> bool {
    let mut parts = path.split(['/', '\\']);
    let first = parts.next().unwrap_or("");
    !first.is_empty()
        && !first.starts_with('~')
        && !first.contains(':')
        && !path.contains("${")
        && !path.contains('\0')
        && !path.split(['/', '\\']).any(|part| part.trim() == "..")
}

fn substitute(path: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<String, ExpandError> {
    let mut whole = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or(ExpandError::Malformed)?;
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(ExpandError::Malformed);
        }
        // An empty value would turn `${DATA}/skills` into the root's `/skills`.
        let value = env(name).filter(|value| !value.is_empty());
        whole.push_str(before);
        whole.push_str(&value.ok_or_else(|| ExpandError::Unset { name: name.to_owned() })?);
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(path: &str, expect: Expect) {
        let env = |name: &str| match name {
            "DATA" => Some("/data".to_owned()),
            "SUB" => Some("a/${DATA}".to_owned()),
            "EMPTY" => Some(String::new()),
            "NUL" => Some("/a\0b".to_owned()),
            _ => None,
        };
        let shown = expand(path, Some("/home/ada"), &env, "/work/project").unwrap_or_else(|e| e.to_string());
        expect.assert_eq(&shown);
    }

    #[test]
    fn home_variables_and_relative_paths_become_whole() {
        check("~", expect!["/home/ada"]);
        check("~/skills/", expect!["/home/ada/skills"]);
        check("skills", expect!["/work/project/skills"]);
        check("./a//b/.", expect!["/work/project/a/b"]);
        check(".", expect!["/work/project"]);
        check("../shared", expect!["/work/project/../shared"]);
        check("/opt/skills", expect!["/opt/skills"]);
        check("${DATA}/skills", expect!["/data/skills"]);
        check("x/${DATA}/y", expect!["/work/project/x/data/y"]);
        check("a b/ü", expect!["/work/project/a b/ü"]);
    }

    #[test]
    fn a_value_is_taken_as_it_is_and_bare_dollars_are_text() {
        check("${SUB}", expect!["/work/project/a/${DATA}"]);
        check("$DATA/a$", expect!["/work/project/$DATA/a$"]);
        check("a~b", expect!["/work/project/a~b"]);
    }

    #[test]
    fn what_cannot_be_expanded_says_why() {
        check("~root/x", expect!["`~root` is another person's home directory; only `~` is expanded"]);
        check("${GONE}/x", expect!["the variable `GONE` is not set"]);
        check("${EMPTY}/x", expect!["the variable `EMPTY` is not set"]);
        check("${}", expect!["`${` is not followed by a variable's name and `}`"]);
        check("a/${DATA", expect!["`${` is not followed by a variable's name and `}`"]);
        check("${A B}", expect!["`${` is not followed by a variable's name and `}`"]);
        check("", expect!["the path is empty or holds a NUL character"]);
        check("${NUL}", expect!["the path is empty or holds a NUL character"]);
        assert_eq!(expand("~/x", None, &|_| None, "/"), Err(ExpandError::NoHome));
    }

    #[test]
    fn only_plain_relative_paths_stay_inside() {
        for path in ["skills", "./skills", ".", "a/b/../c/..x", "a/~", "a:b/..c", "a b", "$HOME"] {
            let inside = !path.contains("../c") && !path.contains(':');
            assert_eq!(stays_inside(path), inside, "{path}");
        }
        for path in [
            "",
            "/",
            "/a",
            "..",
            "../a",
            "a/..",
            "a/../../b",
            "~",
            "~/a",
            "~ada",
            "${HOME}/a",
            "a/${X}",
            "\\a",
            "a\\..\\..\\b",
            "C:\\a",
            "C:a",
            "python:pkg",
            "a/ .. /b",
            "a\0",
        ] {
            assert!(!stays_inside(path), "{path}");
        }
    }
}
