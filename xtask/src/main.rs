//! The house's automation: `cargo xtask tidy` and its siblings.
//!
//! It checks, and calls cargo and QEMU; it writes nothing outside `target`. It is no part of the product, and nothing of the product depends on it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers prints its progress and its findings"
)]

mod api;
mod audit;
mod bench_tests;
mod gates;
mod hosts;
mod mcp;
mod process;
mod soak;
mod tidy;
mod vm;

use std::path::Path;
use std::process::ExitCode;

/// One subcommand: its name, what `--help` says of it, and what it does at the repository's root.
struct Subcommand {
    name: &'static str,
    about: &'static str,
    run: Run,
}

enum Run {
    /// Takes no arguments.
    Alone(fn(&Path) -> Result<(), String>),
    /// Reads the arguments behind its name itself.
    WithArguments(fn(&Path, &[String]) -> Result<(), String>),
}

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand { name: "tidy", about: "check the house rules", run: Run::Alone(tidy::run) },
    Subcommand {
        name: "audit",
        about: "check licences, duplicates and sources of the dependencies",
        run: Run::Alone(audit::run),
    },
    Subcommand {
        name: "quality-check",
        about: "formatting, clippy, tidy and the tests of the benchmarks",
        run: Run::Alone(|root| gates::run(root, &[gates::QUALITY])),
    },
    Subcommand {
        name: "docs-check",
        about: "rustdoc and doctests",
        run: Run::Alone(|root| gates::run(root, &[gates::DOCS])),
    },
    Subcommand {
        name: "conformance",
        about: "the conformance suite of `guild run`",
        run: Run::Alone(|root| gates::run(root, &[gates::CONFORMANCE])),
    },
    Subcommand {
        name: "mcp-conformance",
        about: "the official suite, the inspector and the Python client of MCP against the server",
        run: Run::Alone(|root| gates::run(root, &[gates::MCP])),
    },
    Subcommand {
        name: "api-conformance",
        about: "requests that Schemathesis makes up from the OpenAPI document, against the server",
        run: Run::Alone(|root| gates::run(root, &[gates::API])),
    },
    Subcommand {
        name: "ci-gates",
        about: "all of the above and the tests, as CI runs them",
        run: Run::Alone(|root| gates::run(root, gates::ALL)),
    },
    Subcommand {
        name: "host-smoke",
        about: "agents' own programs from npm, connected and asked whether they reach the server",
        run: Run::Alone(hosts::run),
    },
    Subcommand {
        name: "soak",
        about: "the tests that kill and race, with all their rounds; `soak --help` lists them",
        run: Run::WithArguments(soak::run),
    },
    Subcommand {
        name: "vm-test",
        about: "tests in a small virtual machine with cgroup v2; `vm-test --help` has its options",
        run: Run::WithArguments(vm::run),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first().filter(|(name, _)| !asks_for_help(name)) else {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    };
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().unwrap_or(manifest);
    let result = match SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name).map(|found| &found.run) {
        Some(Run::WithArguments(run)) => run(root, rest),
        Some(Run::Alone(run)) if rest.is_empty() => run(root),
        Some(Run::Alone(_)) | None => {
            eprint!("error: no such subcommand: `{}`\n\n{}", arguments.join(" "), usage());
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn asks_for_help(argument: &str) -> bool {
    matches!(argument, "-h" | "--help" | "help")
}

fn usage() -> String {
    let mut usage = "Usage: cargo xtask <SUBCOMMAND>\n\n".to_owned();
    for subcommand in SUBCOMMANDS {
        usage.push_str(&format!("  {:<16} {}\n", subcommand.name, subcommand.about));
    }
    usage
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn usage_names_every_subcommand() {
        expect![[r#"
            Usage: cargo xtask <SUBCOMMAND>

              tidy             check the house rules
              audit            check licences, duplicates and sources of the dependencies
              quality-check    formatting, clippy, tidy and the tests of the benchmarks
              docs-check       rustdoc and doctests
              conformance      the conformance suite of `guild run`
              mcp-conformance  the official suite, the inspector and the Python client of MCP against the server
              api-conformance  requests that Schemathesis makes up from the OpenAPI document, against the server
              ci-gates         all of the above and the tests, as CI runs them
              host-smoke       agents' own programs from npm, connected and asked whether they reach the server
              soak             the tests that kill and race, with all their rounds; `soak --help` lists them
              vm-test          tests in a small virtual machine with cgroup v2; `vm-test --help` has its options
        "#]]
        .assert_eq(&usage());
    }
}
