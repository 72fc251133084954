//! The house's automation: `cargo xtask tidy` and its siblings.
//!
//! It checks and calls cargo; it writes no file. It is no part of the product, and nothing of the product depends on it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers prints its progress and its findings"
)]

mod audit;
mod gates;
mod process;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

/// One subcommand: its words, what `--help` says of it, and what it does at the repository's root.
struct Subcommand {
    words: &'static [&'static str],
    about: &'static str,
    run: fn(&Path) -> Result<(), String>,
}

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand { words: &["tidy"], about: "check the house rules", run: tidy::run },
    Subcommand {
        words: &["audit"],
        about: "check licences, duplicates and sources of the dependencies",
        run: audit::run,
    },
    Subcommand {
        words: &["quality-check"],
        about: "formatting, clippy and tidy",
        run: |root| gates::run(root, &[gates::QUALITY]),
    },
    Subcommand {
        words: &["docs-check"],
        about: "rustdoc and doctests",
        run: |root| gates::run(root, &[gates::DOCS]),
    },
    Subcommand {
        words: &["ci-gates"],
        about: "all of the above and the tests, as CI runs them",
        run: |root| gates::run(root, &[gates::QUALITY, gates::DEPENDENCIES, gates::DOCS, gates::TESTS]),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asks_for_help = |argument: &String| matches!(argument.as_str(), "-h" | "--help" | "help");
    if arguments.is_empty() || arguments.iter().any(asks_for_help) {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(subcommand) = SUBCOMMANDS.iter().find(|subcommand| arguments == subcommand.words) else {
        eprint!("error: no such subcommand: `{}`\n\n{}", arguments.join(" "), usage());
        return ExitCode::from(2);
    };
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    match (subcommand.run)(manifest.parent().unwrap_or(manifest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut usage = "Usage: cargo xtask <SUBCOMMAND>\n\n".to_owned();
    for subcommand in SUBCOMMANDS {
        usage.push_str(&format!("  {:<16} {}\n", subcommand.words.join(" "), subcommand.about));
    }
    usage
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn usage_names_every_subcommand() {
        expect![[r"
            Usage: cargo xtask <SUBCOMMAND>

              tidy             check the house rules
              audit            check licences, duplicates and sources of the dependencies
              quality-check    formatting, clippy and tidy
              docs-check       rustdoc and doctests
              ci-gates         all of the above and the tests, as CI runs them
        "]]
        .assert_eq(&usage());
    }
}
