//! What of the host a run may see as `/workspace`, and how a person's paths read inside.
//!
//! The workspace is the repository's root, else the caller's directory. One that would show everything a person has is refused.

use std::path::{Component, Path, PathBuf};

use guild_catalog::Machine;

use crate::{Code, Places, Refusal};

/// Where the workspace stands in a container.
pub const INSIDE: &str = "/workspace";

/// The workspace of a caller, links resolved.
pub fn workspace(machine: &Machine, places: &Places) -> Result<PathBuf, Refusal> {
    let directory = machine.workspace();
    let real = directory.canonicalize().map_err(|error| {
        Refusal::new(Code::PathNotFound, format!("cannot use {} as workspace: {error}", directory.display()))
    })?;
    match too_wide(&real, machine, places) {
        None => Ok(real),
        Some(why) => {
            let message = format!(
                "the workspace would be {}, which {why}; run it from inside a project's directory",
                real.display()
            );
            Err(Refusal::new(Code::WorkspaceTooWide, message))
        }
    }
}

/// Why a directory shows more than a skill may ever see.
fn too_wide(real: &Path, machine: &Machine, places: &Places) -> Option<&'static str> {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let home = machine.home.as_deref().map(resolved);
    let own = [&places.data, &places.state, &places.cache];
    let mut own = own.into_iter().flatten().map(|path| resolved(path));
    match () {
        () if real.parent().is_none() => Some("is the whole file system"),
        () if home.as_deref() == Some(real) => Some("is the home directory"),
        () if home.is_some_and(|home| home.starts_with(real)) => Some("holds the home directory"),
        () if own.any(|own| own.starts_with(real)) => Some("holds Guildhall's own data"),
        () => None,
    }
}

/// A person's path as it reads in the container: taken from where they stand, links resolved, inside the workspace.
pub fn path_inside(given: &str, from: &Path, workspace: &Path) -> Result<String, String> {
    if given == INSIDE || given.starts_with("/workspace/") {
        return Ok(given.to_owned());
    }
    let real = resolve(&from.join(given))
        .map_err(|error| format!("the path `{given}` cannot be resolved: {error}"))?;
    let below = real
        .strip_prefix(workspace)
        .map_err(|_| format!("the path `{given}` lies outside the workspace {}", workspace.display()))?;
    let below = below.to_str().ok_or_else(|| format!("the path `{given}` is no text"))?;
    Ok(if below.is_empty() { INSIDE.to_owned() } else { format!("{INSIDE}/{below}") })
}

/// The path without links and dots, as far as it exists; what does not exist yet follows as it is written.
fn resolve(path: &Path) -> std::io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut known = path;
    loop {
        match known.canonicalize() {
            Ok(real) => {
                let rest: PathBuf = missing.into_iter().rev().collect();
                // Above something that is not there, dots lead nowhere that could be checked.
                let has_dots = rest.components().any(|part| part == Component::ParentDir);
                return if has_dots {
                    Err(std::io::Error::other("it leads back over a directory that is not there"))
                } else {
                    Ok(real.join(rest))
                };
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let parts = (known.parent(), known.components().next_back());
                let (Some(parent), Some(last)) = parts else { return Err(error) };
                missing.push(Path::new(last.as_os_str()));
                known = parent;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[track_caller]
    fn check(given: &str, expected: &Expect) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("work/src")).unwrap();
        fs::create_dir_all(root.join("other")).unwrap();
        fs::write(root.join("work/src/a b.py"), "").unwrap();
        symlink(root.join("other"), root.join("work/out")).unwrap();
        symlink("src", root.join("work/in")).unwrap();
        let told = match path_inside(given, &root.join("work/src"), &root.join("work")) {
            Ok(inside) => inside,
            Err(error) => format!("error: {}", error.replace(root.to_str().unwrap(), "ROOT")),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn a_path_means_what_it_means_where_the_caller_stands() {
        check(".", &expect!["/workspace/src"]);
        check("..", &expect!["/workspace"]);
        check("a b.py", &expect!["/workspace/src/a b.py"]);
        check("../in/a b.py", &expect!["/workspace/src/a b.py"]);
        check("new/file", &expect!["/workspace/src/new/file"]);
        check("/workspace/any/thing", &expect!["/workspace/any/thing"]);
    }

    #[test]
    fn a_path_out_of_the_workspace_is_refused_however_it_is_spelled() {
        check("../..", &expect!["error: the path `../..` lies outside the workspace ROOT/work"]);
        check("../out", &expect!["error: the path `../out` lies outside the workspace ROOT/work"]);
        check("/etc/passwd", &expect!["error: the path `/etc/passwd` lies outside the workspace ROOT/work"]);
        check("/workspacex", &expect!["error: the path `/workspacex` lies outside the workspace ROOT/work"]);
        check(
            "new/../../../x",
            &expect![
                "error: the path `new/../../../x` cannot be resolved: it leads back over a directory that is not there"
            ],
        );
    }

    fn machine(directory: &Path, home: &Path) -> Machine {
        Machine { directory: directory.to_owned(), home: Some(home.to_owned()), ..Machine::default() }
    }

    #[test]
    fn a_workspace_that_shows_everything_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let home = root.join("home");
        let data = root.join("data/guild");
        fs::create_dir_all(home.join("project")).unwrap();
        fs::create_dir_all(&data).unwrap();
        let places = Places { data: Some(data), ..Places::default() };
        let code =
            |directory: &Path| workspace(&machine(directory, &home), &places).map_err(|refusal| refusal.code);
        assert_eq!(code(Path::new("/")), Err(Code::WorkspaceTooWide));
        assert_eq!(code(&home), Err(Code::WorkspaceTooWide));
        assert_eq!(code(&root), Err(Code::WorkspaceTooWide));
        assert_eq!(code(&root.join("data")), Err(Code::WorkspaceTooWide));
        assert_eq!(code(&home.join("project")), Ok(home.join("project")));
        assert_eq!(code(&root.join("gone")), Err(Code::PathNotFound));
    }
}
