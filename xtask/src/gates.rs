//! The named subsets of what CI checks, as lists of steps: run in order, timed, ended by the first failure.
//!
//! A step is a cargo command or a function of xtask. Nothing here installs anything; `./test` does that.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::{api, audit, bench_tests, mcp, process, tidy, vm};

/// One thing that has to hold.
pub struct Step {
    name: &'static str,
    action: Action,
    /// What a person does about a failure.
    fix: &'static str,
}

enum Action {
    /// Cargo with these arguments and variables.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A check of our own.
    Own(fn(&Path) -> Result<(), String>),
}

/// Formatting, lints, the house rules, and the tests of what measures.
pub const QUALITY: &[Step] = &[
    Step {
        name: "format",
        action: Action::Cargo(&["fmt", "--all", "--", "--check"], &[]),
        fix: "run `cargo fmt --all`",
    },
    Step {
        name: "tidy",
        action: Action::Own(tidy::run),
        fix: "each finding above says how; `cargo xtask tidy` repeats them",
    },
    Step { name: "bench-tests", action: Action::Own(bench_tests::run), fix: "run `bench/NAME/tests.py`" },
    Step {
        name: "clippy",
        action: Action::Cargo(
            &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
            &[],
        ),
        fix: "mend the code; where a lint is wrong, `#[expect(lint, reason = \"…\")]` says why",
    },
];

/// Licences, duplicates and sources of what we depend on.
pub const DEPENDENCIES: &[Step] = &[Step {
    name: "audit",
    action: Action::Own(audit::run),
    fix: "each finding above says how; `cargo xtask audit` repeats them",
}];

/// Rustdoc and the examples in it; generated files are snapshots of tests.
pub const DOCS: &[Step] = &[
    Step {
        name: "rustdoc",
        action: Action::Cargo(
            &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        ),
        fix: "mend the doc comments named above",
    },
    Step {
        name: "doctests",
        action: Action::Cargo(&["test", "--doc", "--workspace", "--locked"], &[]),
        fix: "mend the example in the doc comment",
    },
];

/// The conformance suite: every way through a run, each code, and the envelopes exactly.
pub const CONFORMANCE: &[Step] = &[Step {
    name: "conformance",
    action: Action::Cargo(
        &[
            // The whole workspace is built, as the gate after this one needs it: one crate alone would be built with other features.
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "--no-tests",
            "fail",
            "--filterset",
            "package(=guild) & binary(it) & test(/^conformance::/)",
        ],
        &[],
    ),
    fix: "an envelope or a code that others rely on has changed; if that is meant, UPDATE_EXPECT=1 rewrites the snapshots",
}];

/// Every test of the workspace but the conformance suite, which has its own gate.
pub const TESTS: &[Step] = &[Step {
    name: "tests",
    action: Action::Cargo(
        &[
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "--filterset",
            "not (package(=guild) & binary(it) & test(/^conformance::/))",
        ],
        &[],
    ),
    fix: "run `cargo nextest run -E 'test(NAME)'` for one test; UPDATE_EXPECT=1 rewrites snapshots, then read the diff",
}];

/// What others have written to judge servers of MCP, and to talk to them.
pub const MCP: &[Step] = &[Step {
    name: "mcp",
    action: Action::Own(mcp::run),
    fix: "what failed is said above; `cargo xtask mcp-conformance` repeats it",
}];

/// Requests that somebody else's program makes up from our own document of the API.
pub const API: &[Step] = &[Step {
    name: "api",
    action: Action::Own(api::run),
    fix: "what failed is said above; `cargo xtask api-conformance` repeats it",
}];

/// The attacks again, on Docker and Podman, which the tests start by themselves. What a user is without cgroups is no business of theirs.
pub const ENGINES: &[Step] = &[Step {
    name: "engines",
    action: Action::Cargo(
        &[
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "-E",
            "binary(attacks) - test(without_cgroups)",
        ],
        &[("GUILD_ATTACK_BACKENDS", "docker,podman")],
    ),
    fix: "run `GUILD_ATTACK_BACKENDS=docker cargo nextest run -E 'binary(attacks) & test(NAME)'` for one test",
}];

/// What only another kernel's cgroups, and a login session, can show: in virtual machines, one after the other.
pub const MACHINE: &[Step] = &[
    Step {
        name: "vm-test",
        action: Action::Own(|root| vm::run(root, &[])),
        fix: "run `cargo xtask vm-test NAME` for one test",
    },
    Step {
        name: "vm-systemd",
        action: Action::Own(|root| vm::run(root, &["--systemd".to_owned()])),
        fix: "run `cargo xtask vm-test --systemd NAME` for one test",
    },
];

/// Everything that CI checks, the quickest to tell first.
pub const ALL: &[&[Step]] = &[QUALITY, DEPENDENCIES, DOCS, CONFORMANCE, TESTS, MCP, API, ENGINES, MACHINE];

/// Runs the steps of `subsets` in order, prints what each took, and stops at the first that fails.
pub fn run(root: &Path, subsets: &[&[Step]]) -> Result<(), String> {
    let mut timings = Vec::new();
    let mut result = Ok(());
    for step in subsets.iter().copied().flatten() {
        println!("==> {}: {}", step.name, step.shown());
        let start = Instant::now();
        result = step.run(root).map_err(|error| format!("{}: {error}\nfix: {}", step.name, step.fix));
        timings.push((step.name, start.elapsed()));
        if result.is_err() {
            break;
        }
    }
    print!("{}", summary(&timings));
    result
}

impl Step {
    fn run(&self, root: &Path) -> Result<(), String> {
        match self.action {
            Action::Cargo(arguments, variables) => process::run(root, "cargo", arguments, variables),
            Action::Own(check) => check(root),
        }
    }

    fn shown(&self) -> String {
        match self.action {
            Action::Cargo(arguments, _) => process::line("cargo", arguments),
            Action::Own(_) => format!("xtask {}", self.name),
        }
    }
}

fn summary(timings: &[(&str, Duration)]) -> String {
    let mut summary = "==> timings\n".to_owned();
    for (name, time) in timings {
        summary.push_str(&format!("  {name:<11} {:>7.1} s\n", time.as_secs_f64()));
    }
    let total: Duration = timings.iter().map(|(_, time)| *time).sum();
    summary.push_str(&format!("  {:<11} {:>7.1} s\n", "total", total.as_secs_f64()));
    summary
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const PASS: Step = Step { name: "pass", action: Action::Own(|_| Ok(())), fix: "nothing" };
    const FAIL: Step =
        Step { name: "fail", action: Action::Own(|_| Err("it broke".to_owned())), fix: "glue it" };
    const LATER: Step = Step { name: "later", action: Action::Own(|_| Err("reached".to_owned())), fix: "" };

    #[test]
    fn the_first_failure_ends_the_run_and_says_how_to_fix_it() {
        let error = run(Path::new("/"), &[&[PASS], &[FAIL, LATER]]).unwrap_err();
        expect![[r"
            fail: it broke
            fix: glue it"]]
        .assert_eq(&error);
    }

    #[test]
    fn steps_that_all_pass_are_a_success() {
        assert_eq!(run(Path::new("/"), &[&[PASS], &[PASS]]), Ok(()));
    }

    /// What the one gate takes is what the other leaves out, so that no test falls between them.
    #[test]
    fn the_tests_are_all_but_the_conformance_suite() {
        let filter = |step: &Step| match step.action {
            Action::Cargo(arguments, _) => arguments.last().copied().unwrap_or_default(),
            Action::Own(_) => "",
        };
        let suite = filter(&CONFORMANCE[0]);
        assert_eq!(filter(&TESTS[0]), format!("not ({suite})"));
    }

    #[test]
    fn the_summary_shows_each_step_and_the_total() {
        let timings = [("clippy", Duration::from_millis(61_240)), ("tests", Duration::from_secs(5))];
        expect![[r#"
            ==> timings
              clippy         61.2 s
              tests           5.0 s
              total          66.2 s
        "#]]
        .assert_eq(&summary(&timings));
    }
}
