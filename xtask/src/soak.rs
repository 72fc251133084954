//! `cargo xtask soak`: the tests that kill and race, as often as they were meant to.
//!
//! Each reads `GUILD_TEST_ROUNDS` and does a few rounds without it, which is all that `./test` has time for. No test is left out by
//! what is said here without being named: a list that selects nothing fails.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::process;

const USAGE: &str = "\
Usage: cargo xtask soak [--rounds N] [NAME]...

Runs the tests that kill and race, each as often as it is meant to or N times; NAME leaves out all others.

";

/// Tests that repeat something.
struct Trial {
    name: &'static str,
    /// What has to hold every time.
    claim: &'static str,
    package: &'static str,
    /// Selects the tests, in nextest's language.
    tests: &'static str,
    /// Rounds where nobody says otherwise.
    rounds: u32,
}

const TRIALS: &[Trial] = &[
    Trial {
        name: "launchers",
        claim: "a launcher killed at any moment leaves no process and, after the next start, no residue",
        package: "guild-sandbox",
        tests: "binary(attacks) & test(killing_the_launcher_at_any_moment_leaves_nothing)",
        rounds: 200,
    },
    Trial {
        name: "streams",
        claim: "no launch inherits another thread's descriptors, and no last words are lost",
        package: "guild-sandbox",
        tests: "binary(attacks) & (test(inherits_nothing_that_another_thread_opens) | test(what_was_written_last))",
        rounds: 200,
    },
    Trial {
        name: "changes",
        claim: "whoever is killed while applying changes leaves the old or the new, and what is applied is what was seen",
        package: "guild-sandbox",
        tests: "binary(changes) & (test(/^crashes::/) | test(/^random::/))",
        rounds: 200,
    },
    Trial {
        name: "skills",
        claim: "of many that write one skill at once, exactly one succeeds",
        package: "guild-catalog",
        tests: "test(of_many_that_write_one)",
        rounds: 200,
    },
    Trial {
        name: "store",
        claim: "whoever is killed or raced while staging loses nothing acknowledged, and every tree is what its manifest says",
        package: "guild-source",
        tests: "test(/^crash::/) | test(/^race::/)",
        rounds: 200,
    },
    Trial {
        name: "ledger",
        claim: "a writer killed at any moment loses nothing acknowledged, and no grant is used twice, on either database",
        package: "guild-ledger",
        tests: "test(/^crash::/)",
        rounds: 300,
    },
    Trial {
        name: "runs",
        claim: "a run or an approval killed at any moment leaves sound books, no grant to use twice, and no residue",
        package: "guild",
        tests: "binary(it) & test(/^crash::/)",
        rounds: 300,
    },
    Trial {
        name: "installs",
        claim: "an install, update or removal killed at any moment leaves the old or the new, and the files, the lock and the registry agree",
        package: "guild",
        tests: "binary(it) & test(/^power_cut::/)",
        rounds: 300,
    },
    Trial {
        name: "storm",
        claim: "of a thousand skills that are rewritten a thousand times while eight clients list, search and run, no snapshot is torn",
        package: "guild-engine",
        tests: "binary(it) & test(/^storm::/)",
        rounds: 250,
    },
    Trial {
        name: "approvals",
        claim: "of a skill that is rewritten while it is approved and run, what ran is what was approved",
        package: "guild",
        tests: "binary(it) & test(/^race::/)",
        rounds: 200,
    },
];

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    rounds: Option<u32>,
    names: Vec<String>,
}

/// What one trial took.
struct Figure {
    name: &'static str,
    rounds: u32,
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
    let mut figures = Vec::new();
    for trial in TRIALS.iter().filter(|trial| options.asks_for(trial.name)) {
        let start = Instant::now();
        let rounds = options.rounds.unwrap_or(trial.rounds);
        let result =
            process::run(root, "cargo", &trial.command(), &[("GUILD_TEST_ROUNDS", &rounds.to_string())]);
        if let Err(error) = &result {
            eprintln!("error: {}: {error}", trial.name);
        }
        let Trial { name, claim, .. } = trial;
        figures.push(Figure { name, rounds, claim, time: start.elapsed(), passed: result.is_ok() });
    }
    print!("{}", summary(&figures));
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
        let mut options = Options { rounds: None, names: Vec::new() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if argument == "--rounds" {
                let number =
                    arguments.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
                options.rounds = Some(number.ok_or("`--rounds` takes a number")?);
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
    let line = |trial: &Trial| format!("  {:<10} {:>4} rounds  {}\n", trial.name, trial.rounds, trial.claim);
    TRIALS.iter().map(line).collect()
}

fn summary(figures: &[Figure]) -> String {
    let mut summary = "==> trials\n".to_owned();
    for Figure { name, rounds, claim, time, passed } in figures {
        let verdict = if *passed { "passed" } else { "FAILED" };
        let time = time.as_secs_f64();
        summary.push_str(&format!("  {verdict}  {name:<10} {rounds:>4} rounds {time:>7.1} s  {claim}\n"));
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
    fn all_trials_run_their_own_rounds_unless_asked_otherwise() {
        check("", &expect!["Options { rounds: None, names: [] }"]);
        check("--rounds 1000 changes", &expect![[r#"Options { rounds: Some(1000), names: ["changes"] }"#]]);
    }

    #[test]
    fn what_is_not_understood_runs_nothing() {
        check("--rounds", &expect!["`--rounds` takes a number"]);
        check("--rounds 0", &expect!["`--rounds` takes a number"]);
        check("change", &expect!["there is no trial `change`"]);
    }

    #[test]
    fn the_summary_has_a_figure_for_each_trial() {
        let time = Duration::from_millis(1540);
        let figure = |name, rounds, passed| Figure { name, rounds, claim: "it holds", time, passed };
        expect![[r#"
            ==> trials
              passed  launchers   200 rounds     1.5 s  it holds
              FAILED  changes    1000 rounds     1.5 s  it holds
        "#]]
        .assert_eq(&summary(&[figure("launchers", 200, true), figure("changes", 1000, false)]));
    }

    /// A test that asks for rounds and is in no trial would never be soaked.
    #[test]
    fn every_file_that_asks_for_rounds_is_in_a_trial() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files =
            process::capture(root, "git", &["grep", "--files-with-matches", "rounds()", "--", "crates"]);
        expect![[r#"
            crates/catalog/src/create/tests.rs
            crates/engine/tests/it/storm.rs
            crates/guild/tests/it/crash.rs
            crates/guild/tests/it/power_cut.rs
            crates/guild/tests/it/race.rs
            crates/ledger/tests/it/crash.rs
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
