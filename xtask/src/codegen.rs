//! The registry of files that are generated and committed: `cargo xtask codegen` writes them, `--check` compares.
//!
//! It renders nothing itself. A file is added by one row in `GENERATED`; whoever renders it must give the
//! same text on every machine.

use std::fs;
use std::path::Path;

/// A committed file that is made from something else in the repository.
pub struct Generated {
    /// The path from the repository's root.
    path: &'static str,
    /// Makes the whole text, given the repository's root.
    render: fn(&Path) -> Result<String, String>,
}

const GENERATED: &[Generated] = &[];

/// Writes every generated file that differs from what it should be.
pub fn write(root: &Path) -> Result<(), String> {
    for (path, text) in stale(root, GENERATED)? {
        write_file(&root.join(path), &text).map_err(|error| format!("cannot write {path}: {error}"))?;
        println!("wrote {path}");
    }
    Ok(())
}

/// Fails if a generated file is absent or differs from what it should be.
pub fn check(root: &Path) -> Result<(), String> {
    refuse_stale(&stale(root, GENERATED)?)
}

fn refuse_stale(stale: &[(&str, String)]) -> Result<(), String> {
    if stale.is_empty() {
        return Ok(());
    }
    let paths: Vec<&str> = stale.iter().map(|(path, _)| *path).collect();
    Err(format!("not up to date: {}; run `cargo xtask codegen` and commit the result", paths.join(", ")))
}

/// The generated files that are not as they should be, with the text they should have.
fn stale(root: &Path, registry: &[Generated]) -> Result<Vec<(&'static str, String)>, String> {
    let mut stale = Vec::new();
    for generated in registry {
        let text =
            (generated.render)(root).map_err(|error| format!("cannot render {}: {error}", generated.path))?;
        if fs::read(root.join(generated.path)).ok().as_deref() != Some(text.as_bytes()) {
            stale.push((generated.path, text));
        }
    }
    Ok(stale)
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use guild_testkit::Fixture;

    use super::*;

    const REGISTRY: &[Generated] = &[
        Generated { path: "docs/fresh.md", render: |_| Ok("fresh\n".to_owned()) },
        Generated { path: "docs/old.md", render: |_| Ok("now\n".to_owned()) },
        Generated { path: "absent.md", render: |_| Ok(String::new()) },
    ];

    #[test]
    fn old_and_absent_files_are_named() {
        let fixture = Fixture::write("//- /docs/fresh.md\nfresh\n//- /docs/old.md\nthen\n");
        let error = refuse_stale(&stale(fixture.path(), REGISTRY).unwrap()).unwrap_err();
        expect!["not up to date: docs/old.md, absent.md; run `cargo xtask codegen` and commit the result"]
            .assert_eq(&error);
    }

    #[test]
    fn what_was_written_is_up_to_date() {
        let fixture = Fixture::empty();
        for (path, text) in stale(fixture.path(), REGISTRY).unwrap() {
            write_file(&fixture.join(path), &text).unwrap();
        }
        assert_eq!(stale(fixture.path(), REGISTRY), Ok(Vec::new()));
    }

    #[test]
    fn a_renderer_that_fails_is_named() {
        let registry = [Generated { path: "a.md", render: |_| Err("no source".to_owned()) }];
        assert_eq!(stale(Path::new("/"), &registry), Err("cannot render a.md: no source".to_owned()));
    }
}
