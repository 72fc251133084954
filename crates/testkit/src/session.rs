//! A terminal session as text: command lines in, the same lines with their output out.
//!
//! Lines are `guild …`, `cd DIRECTORY`, comments and blank lines. Quotes group words and `NAME=value` in
//! front sets a variable; there are no pipes, globs or expansions, because a session shows the command, not a shell.

use std::path::{Path, PathBuf};

use crate::output::closed;
use crate::{Env, Output};

/// Runs the lines of `script` in `env` and renders each with what it printed.
///
/// A failing command is followed by `[exit N]`; standard error stands after `[stderr]`, below standard output.
#[must_use]
#[track_caller]
pub fn session(env: &Env, script: &str) -> String {
    let mut transcript = String::new();
    let mut directory = env.project();
    for line in script.trim().lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            transcript.push_str(&format!("{line}\n"));
            continue;
        }
        transcript.push_str(&format!("$ {line}\n"));
        if let Some(target) = line.strip_prefix("cd ") {
            directory = change_directory(env, &directory, target.trim());
        } else {
            transcript.push_str(&shown(&run(env, &directory, line)));
        }
    }
    transcript
}

#[track_caller]
fn run(env: &Env, directory: &Path, line: &str) -> Output {
    let words = split_words(line);
    let assignments = words.iter().map_while(|word| assignment(word)).collect::<Vec<_>>();
    let mut rest = words.iter().skip(assignments.len());
    if rest.next().map(String::as_str) != Some("guild") {
        panic!("a session runs `guild`, `cd` and nothing else: {line:?}");
    }
    let arguments: Vec<&String> = rest.collect();
    let invocation = env.invocation(&arguments).cwd(directory);
    assignments.into_iter().fold(invocation, |run, (name, value)| run.env(name, value)).output()
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_name.then_some((name, value))
}

#[track_caller]
fn change_directory(env: &Env, from: &Path, target: &str) -> PathBuf {
    let target = match target.strip_prefix('~') {
        Some(rest) => env.home().join(rest.trim_start_matches('/')),
        None => from.join(target),
    };
    target.canonicalize().unwrap_or_else(|error| panic!("change to {}: {error}", target.display()))
}

fn shown(output: &Output) -> String {
    let mut text = closed(&output.stdout());
    let stderr = output.stderr();
    if !stderr.is_empty() {
        text.push_str(&format!("[stderr]\n{}", closed(&stderr)));
    }
    if output.code() != Some(0) {
        text.push_str(&format!("[exit {}]\n", output.exit()));
    }
    text
}

/// Splits a line at blanks; single and double quotes keep blanks and each other, and do nothing else.
#[track_caller]
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for char in line.chars() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '"' | '\'') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    if let Some(open) = quote {
        panic!("a quote {open} is not closed in {line:?}");
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// `guild -c SCRIPT` is `/bin/sh -c SCRIPT` here.
    #[track_caller]
    fn check(script: &str, expect: &Expect) {
        let env = Env::new("/bin/sh");
        env.write("//- /project/sub/\n//- /home/docs/\n");
        expect.assert_eq(&session(&env, script));
    }

    #[test]
    fn a_session_reads_like_a_terminal() {
        check(
            "
            # Two commands.
            guild -c 'echo one'
            guild -c 'echo \"two words\"; echo oops >&2; exit 2'

            cd sub
            guild -c pwd
            cd ~/docs
            NOTE='a b' guild -c 'echo $NOTE in $PWD'
            ",
            &expect![[r#"
                # Two commands.
                $ guild -c 'echo one'
                one
                $ guild -c 'echo "two words"; echo oops >&2; exit 2'
                two words
                [stderr]
                oops
                [exit 2]

                $ cd sub
                $ guild -c pwd
                [ROOT]/project/sub
                $ cd ~/docs
                $ NOTE='a b' guild -c 'echo $NOTE in $PWD'
                a b in [ROOT]/home/docs
            "#]],
        );
    }

    #[test]
    fn words_are_split_at_blanks_outside_quotes() {
        assert_eq!(split_words("a  'b c'd \"it's\" ''"), ["a", "b cd", "it's", ""]);
    }

    #[test]
    fn other_programs_are_refused() {
        let refused = std::panic::catch_unwind(|| session(&Env::new("/bin/sh"), "rm -r .")).unwrap_err();
        expect![[r#"a session runs `guild`, `cd` and nothing else: "rm -r .""#]]
            .assert_eq(refused.downcast_ref::<String>().unwrap());
    }
}
