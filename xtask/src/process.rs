//! The one place where xtask starts programs: cargo, git and what `vm` needs, from argument lists.
//!
//! It adds no policy: which programs run, and in which order, is the business of `gates` and `vm`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a program in `directory`, shows what it prints, and fails if it does.
pub fn run(
    directory: &Path,
    program: &str,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Result<(), String> {
    let status = command(directory, program, arguments)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cannot start `{program}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", line(program, arguments))) }
}

/// Runs a program in `directory` and returns what it printed to standard output.
pub fn capture(directory: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = command(directory, program, arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start `{program}`: {error}"))?;
    if output.status.success() {
        String::from_utf8(output.stdout)
            .map_err(|_| format!("`{}` printed no UTF-8", line(program, arguments)))
    } else {
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{}` failed ({}): {}", line(program, arguments), output.status, stderr.trim_end()))
    }
}

/// Where cargo builds.
pub fn target(root: &Path) -> Result<PathBuf, String> {
    let metadata = capture(root, "cargo", &["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let target = metadata.get("target_directory").and_then(serde_json::Value::as_str);
    target.map(PathBuf::from).ok_or_else(|| "cargo does not say where it builds".to_owned())
}

/// The command line as a person would type it.
pub fn line(program: &str, arguments: &[&str]) -> String {
    [&[program], arguments].concat().join(" ")
}

/// A program to be started in `directory`, for those who want more than its output.
pub fn command(directory: &Path, program: &str, arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "xtask is no part of the product; it drives cargo and git")]
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    // Within a git hook these point at the repository of the hook, whatever `directory` is.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    command
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_failing_program_is_named_with_its_arguments() {
        let error = capture(Path::new("/"), "sh", &["-c", "echo why >&2; exit 3"]).unwrap_err();
        expect!["`sh -c echo why >&2; exit 3` failed (exit status: 3): why"].assert_eq(&error);
        let error = run(Path::new("/"), "false", &[], &[]).unwrap_err();
        expect!["`false` failed (exit status: 1)"].assert_eq(&error);
    }

    #[test]
    fn an_absent_program_is_named() {
        let error = capture(Path::new("/"), "no-such-program", &[]).unwrap_err();
        expect!["cannot start `no-such-program`: No such file or directory (os error 2)"].assert_eq(&error);
    }
}
