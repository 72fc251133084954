//! A command line that is wrong: clap's words for people, the same sentence in an envelope for programs.

use super::{end, fail};
use crate::print::escape;
use guild_engine::Code;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Ends a command that was called the wrong way; help and version are no errors.
pub fn usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        return error.print().map_or_else(|error| end(&error, 0), |()| ExitCode::SUCCESS);
    }
    let text = error.render().to_string();
    if asks_for_json(arguments) {
        return fail(true, Code::Usage, &sentence(&text));
    }
    write!(io::stderr(), "{}", escape::block(&text)).ok();
    ExitCode::from(Code::Usage.exit_code())
}

/// Whether `--json` is among the options; behind `--` it is a word like any other.
fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// What clap says, without the lines on usage that follow.
fn sentence(text: &str) -> String {
    let told = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let parts: Vec<&str> = told.map(str::trim).filter(|line| !line.is_empty()).collect();
    parts.join("; ").replace(":; ", ": ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: &Expect) {
        expect.assert_eq(&sentence(text));
    }

    #[test]
    fn what_clap_says_becomes_one_sentence() {
        check(
            "error: unexpected argument '--al' found\n\n  tip: a similar argument exists: '--all'\n\nUsage: guild list\n\nFor more information, try '--help'.\n",
            &expect!["unexpected argument '--al' found; tip: a similar argument exists: '--all'"],
        );
    }

    #[test]
    fn a_list_follows_its_colon() {
        check(
            "error: the following required arguments were not provided:\n  <SHELL>\n\nUsage: guild completions <SHELL>\n",
            &expect!["the following required arguments were not provided: <SHELL>"],
        );
    }

    #[test]
    fn json_behind_two_dashes_is_a_word() {
        let asks = |words: &[&str]| asks_for_json(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(asks(&["guild", "list", "--json"]));
        assert!(!asks(&["guild", "render", "a", "--", "--json"]));
    }
}
