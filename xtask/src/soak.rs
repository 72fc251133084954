//! `cargo xtask soak`: the tests that kill and race, as often as they were meant to.
//!
//! Each reads `GUILD_TEST_ROUNDS` and does a few rounds without it, which is all that `./test` has time for. No test is left out by
//! what is said here without being named: a list that selects nothing fails.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::process;

const USAGE: &str = "\
Usage: cargo xtask soak [--rounds N] [NAME]...

Runs the tests that kill and race with 200 rounds each, or N; NAME leaves out all others.

";

/// Rounds where nobody says otherwise.
const ROUNDS: u32 = 200;

/// Tests that repeat something.
struct Trial {
    name: &'static str,
    /// What has to hold every time.
    claim: &'static str,
    package: &'static str,
    /// Selects the tests, in nextest's language.
    tests: &'static str,
}

const TRIALS: &[Trial] = &[
    Trial {
        name: "launchers",
        claim: "a launcher killed at any moment leaves no process and, after the next start, no residue",
        package: "guild-sandbox",
        tests: "binary(attacks) & test(killing_the_launcher_at_any_moment_leaves_nothing)",
    },
    Trial {
        name: "streams",
        claim: "no launch inherits another thread's descriptors, and no last words are lost",
        package: "guild-sandbox",
        tests: "binary(attacks) & (test(inherits_nothing_that_another_thread_opens) | test(what_was_written_last))",
    },
    Trial {
        name: "changes",
        claim: "whoever is killed while applying changes leaves the old or the new, and what is applied is what was seen",
        package: "guild-sandbox",
        tests: "binary(changes) & (test(/^crashes::/) | test(/^random::/))",
    },
    Trial {
        name: "skills",
        claim: "of many that write one skill at once, exactly one succeeds",
        package: "guild-catalog",
        tests: "test(of_many_that_write_one)",
    },
    Trial {
        name: "store",
        claim: "whoever is killed or raced while staging loses nothing acknowledged, and every tree is what its manifest says",
        package: "guild-source",
        tests: "test(/^crash::/) | test(/^race::/)",
    },
];

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    rounds: u32,
    names: Vec<String>,
}

/// What one trial took.
struct Figure {
    name: &'static str,
    claim: &'static str,
    time: Duration,
    passed: bool,
}

/// Runs every trial, prints what each took, and fails if one has failed.
pub fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    if arguments.iter().any(|argument| crate::asks_for_help(argument)) {
        print!("{USAGE}{}", list());
        return Ok(());
    }
    let options = Options::parse(arguments)?;
    let rounds = options.rounds.to_string();
    let mut figures = Vec::new();
    for trial in TRIALS.iter().filter(|trial| options.asks_for(trial.name)) {
        let start = Instant::now();
        let result = process::run(root, "cargo", &trial.command(), &[("GUILD_TEST_ROUNDS", &rounds)]);
        if let Err(error) = &result {
            eprintln!("error: {}: {error}", trial.name);
        }
        let Trial { name, claim, .. } = trial;
        figures.push(Figure { name, claim, time: start.elapsed(), passed: result.is_ok() });
    }
    print!("{}", summary(&rounds, &figures));
    if figures.iter().all(|figure| figure.passed) {
        Ok(())
    } else {
        Err("not every trial has passed".to_owned())
    }
}

impl Trial {
    /// The profile gives a test more time than `./test` would.
    fn command(&self) -> Vec<&'static str> {
        vec![
            "nextest",
            "run",
            "--locked",
            "--profile",
            "soak",
            "--no-fail-fast",
            "--no-tests",
            "fail",
            "--package",
            self.package,
            "--filterset",
            self.tests,
        ]
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { rounds: ROUNDS, names: Vec::new() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if argument == "--rounds" {
                let number =
                    arguments.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
                options.rounds = number.ok_or("`--rounds` takes a number")?;
            } else if TRIALS.iter().any(|trial| trial.name == argument) {
                options.names.push(argument.clone());
            } else {
                return Err(format!("there is no trial `{argument}`\n\n{USAGE}{}", list()));
            }
        }
        Ok(options)
    }

    fn asks_for(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|asked| asked == name)
    }
}

fn list() -> String {
    TRIALS.iter().map(|trial| format!("  {:<10} {}\n", trial.name, trial.claim)).collect()
}

fn summary(rounds: &str, figures: &[Figure]) -> String {
    let mut summary = format!("==> {rounds} rounds of each\n");
    for Figure { name, claim, time, passed } in figures {
        let verdict = if *passed { "passed" } else { "FAILED" };
        summary.push_str(&format!("  {verdict}  {name:<10} {:>7.1} s  {claim}\n", time.as_secs_f64()));
    }
    summary
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: &Expect) {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let said = match Options::parse(&arguments) {
            Ok(options) => format!("{options:?}"),
            Err(error) => error.lines().next().unwrap_or_default().to_owned(),
        };
        expected.assert_eq(&said);
    }

    #[test]
    fn all_trials_run_two_hundred_rounds_unless_asked_otherwise() {
        check("", &expect!["Options { rounds: 200, names: [] }"]);
        check("--rounds 1000 changes", &expect![[r#"Options { rounds: 1000, names: ["changes"] }"#]]);
    }

    #[test]
    fn what_is_not_understood_runs_nothing() {
        check("--rounds", &expect!["`--rounds` takes a number"]);
        check("--rounds 0", &expect!["`--rounds` takes a number"]);
        check("change", &expect!["there is no trial `change`"]);
    }

    #[test]
    fn the_summary_has_a_figure_for_each_trial() {
        let figure =
            |name, passed| Figure { name, claim: "it holds", time: Duration::from_millis(1540), passed };
        expect![[r#"
            ==> 200 rounds of each
              passed  launchers      1.5 s  it holds
              FAILED  changes        1.5 s  it holds
        "#]]
        .assert_eq(&summary("200", &[figure("launchers", true), figure("changes", false)]));
    }

    /// A test that asks for rounds and is in no trial would never be soaked.
    #[test]
    fn every_file_that_asks_for_rounds_is_in_a_trial() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files =
            process::capture(root, "git", &["grep", "--files-with-matches", "rounds()", "--", "crates"]);
        expect![[r#"
            crates/catalog/src/create/tests.rs
            crates/sandbox/tests/attacks/descriptors.rs
            crates/sandbox/tests/attacks/lifetime.rs
            crates/sandbox/tests/attacks/output.rs
            crates/sandbox/tests/changes/crashes.rs
            crates/sandbox/tests/changes/random.rs
            crates/source/tests/it/crash.rs
            crates/source/tests/it/race.rs
            crates/testkit/src/rounds.rs
        "#]]
        .assert_eq(&files.unwrap());
    }
}
