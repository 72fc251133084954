//! Where a command's program is looked for, and with which environment, the same for every backend.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::backend::LaunchError;
use crate::command::Command;

/// Where programs are looked for when the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A command, ready to be executed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where the program may be, in the order in which to try.
    pub(crate) candidates: Vec<OsString>,
    /// Its environment, as `name=value`.
    pub(crate) env: Vec<String>,
    /// The program as it was asked for.
    pub(crate) program: String,
}

/// Prepares a command, its environment laid over the policy's.
pub(crate) fn find(policy: &BTreeMap<String, String>, command: &Command) -> Result<Found, LaunchError> {
    let program = command.argv.first().filter(|program| !program.is_empty());
    let program = program.ok_or_else(|| invalid("there is no command to run".to_owned()))?;
    let mut variables = policy.clone();
    variables.extend(command.env.clone());
    let search = variables.get("PATH").map_or(DEFAULT_PATH, String::as_str);
    let candidates = candidates(program, search);
    for string in command.argv.iter().map(OsString::as_os_str).chain([command.cwd.as_os_str()]) {
        if string.as_bytes().contains(&0) {
            let shown = string.to_string_lossy();
            return Err(invalid(format!("`{}` contains a NUL byte", shown.escape_debug())));
        }
    }
    let env = variables.iter().map(variable).collect::<Result<_, _>>()?;
    Ok(Found { candidates, env, program: program.to_string_lossy().into_owned() })
}

fn variable((name, value): (&String, &String)) -> Result<String, LaunchError> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(invalid(format!("`{}` is no name of an environment variable", name.escape_debug())));
    }
    if value.contains('\0') {
        // The value may be a secret.
        return Err(invalid(format!("the environment variable `{name}` contains a NUL byte")));
    }
    Ok(format!("{name}={value}"))
}

/// A program with a slash is a path; any other is looked for in each directory of `search`.
fn candidates(program: &OsStr, search: &str) -> Vec<OsString> {
    if program.as_bytes().contains(&b'/') {
        return vec![program.to_owned()];
    }
    let directories = search.split(':').filter(|directory| directory.starts_with('/'));
    let joined = |directory: &str| [directory.as_bytes(), b"/", program.as_bytes()].concat();
    directories.map(|directory| OsString::from_vec(joined(directory))).collect()
}

fn invalid(reason: String) -> LaunchError {
    LaunchError::InvalidPolicy { reason }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(policy: &[(&str, &str)], command: Command, expected: Expect) {
        let policy = policy.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let shown = match find(&policy, &command) {
            Ok(found) => format!("{:?}\n{:?}", found.candidates, found.env),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_program_is_looked_for_in_the_path_of_the_command_then_of_the_policy() {
        check(
            &[],
            Command::new("sh"),
            expect![[r#"
            ["/usr/local/sbin/sh", "/usr/local/bin/sh", "/usr/sbin/sh", "/usr/bin/sh", "/sbin/sh", "/bin/sh"]
            []"#]],
        );
        check(
            &[("PATH", "/a:rel::/b")],
            Command::new("sh"),
            expect![[r#"
            ["/a/sh", "/b/sh"]
            ["PATH=/a:rel::/b"]"#]],
        );
        let mut command = Command::new("sh");
        command.env.insert("PATH".to_owned(), "/c".to_owned());
        check(
            &[("PATH", "/a"), ("X", "1")],
            command,
            expect![[r#"
            ["/c/sh"]
            ["PATH=/c", "X=1"]"#]],
        );
    }

    #[test]
    fn a_program_with_a_slash_is_a_path() {
        check(
            &[],
            Command::new("./run"),
            expect![[r#"
            ["./run"]
            []"#]],
        );
    }

    #[test]
    fn what_the_kernel_would_cut_short_is_refused() {
        check(
            &[],
            Command::new("a\0b"),
            expect![[r#"the policy cannot be applied: `a\0b` contains a NUL byte"#]],
        );
        check(
            &[],
            Command::new("a").cwd("/\0"),
            expect![[r#"the policy cannot be applied: `/\0` contains a NUL byte"#]],
        );
        check(
            &[("A=B", "")],
            Command::new("a"),
            expect!["the policy cannot be applied: `A=B` is no name of an environment variable"],
        );
        check(
            &[("A", "\0")],
            Command::new("a"),
            expect!["the policy cannot be applied: the environment variable `A` contains a NUL byte"],
        );
        check(
            &[],
            Command { argv: Vec::new(), ..Command::new("") },
            expect!["the policy cannot be applied: there is no command to run"],
        );
        // It would be found as the first directory that programs are in.
        check(&[], Command::new(""), expect!["the policy cannot be applied: there is no command to run"]);
    }
}
