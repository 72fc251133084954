//! Paths as manifests write them: relative, inside the plugin, and spelled one way.
//!
//! This is about spelling only. What a link on the disk leads to is the caller's to check.

/// The path without `./` and doubled slashes, `.` for the directory itself, or what is wrong with it.
pub(super) fn contained(path: &str) -> Result<String, &'static str> {
    if path.trim().is_empty() {
        return Err("is empty");
    }
    if path.chars().any(char::is_control) {
        return Err("holds a control character");
    }
    if path.contains("://") {
        return Err("is an address, not a path");
    }
    if path.contains('\\') {
        return Err("is written with backslashes");
    }
    if is_rooted(path) {
        return Err("is not relative");
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return Err("leads upwards with `..`");
    }
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Whether a path that may hold `..` never climbs above where it starts.
pub(super) fn stays_inside(path: &str) -> bool {
    let mut depth = 0usize;
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

/// Joins a path as [`contained`] gives it to one below it.
pub(super) fn join(directory: &str, below: &str) -> String {
    match (directory, below) {
        (".", below) => below.to_owned(),
        (directory, ".") => directory.to_owned(),
        (directory, below) => format!("{directory}/{below}"),
    }
}

fn is_rooted(path: &str) -> bool {
    let has_drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && path.as_bytes().get(1).is_some_and(|byte| *byte == b':');
    has_drive || path.starts_with('/') || path == "~" || path.starts_with("~/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_path_has_one_spelling() {
        for (written, read) in [
            ("./skills", "skills"),
            ("skills/", "skills"),
            (".//a/./b//", "a/b"),
            (".", "."),
            ("./", "."),
            ("a..b", "a..b"),
            (".hidden/x", ".hidden/x"),
        ] {
            assert_eq!(contained(written).as_deref(), Ok(read), "{written}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_plugin_is_refused() {
        for path in [
            "",
            " ",
            "/etc",
            "~",
            "~/x",
            "..",
            "../x",
            "a/../b",
            "C:/x",
            "c:x",
            "a\\b",
            "https://x/y",
            "a\0b",
        ] {
            assert!(contained(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn climbing_is_counted_step_by_step() {
        for path in ["", ".", "a/..", "a/../b", "./a/./b/../.."] {
            assert!(stays_inside(path), "{path}");
        }
        for path in ["..", "./..", "a/../..", "a/../../a", "a\\..\\.."] {
            assert!(!stays_inside(path), "{path}");
        }
    }

    #[test]
    fn joining_keeps_one_spelling() {
        assert_eq!(join(".", "SKILL.md"), "SKILL.md");
        assert_eq!(join("a/b", "."), "a/b");
        assert_eq!(join("a", "b"), "a/b");
    }
}
