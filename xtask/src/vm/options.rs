//! What `cargo xtask vm-test` is asked for.
//!
//! It reads words and looks nothing up; cargo and Debian say whether a package exists.

use std::path::PathBuf;
use std::time::Duration;

/// What `cargo xtask vm-test --help` prints.
pub const USAGE: &str = "\
Usage: cargo xtask vm-test [OPTIONS] [FILTER]...

Runs the tests whose `target::name` contains one of FILTER, or all of them.

  --systemd        in a login session under systemd, instead of in delegated cgroups without it
  --package NAME   the package whose tests are built (may be repeated; `guild-sandbox`)
  --test NAME      one of its test targets (may be repeated; those in its `metadata.vm-test`, or all)
  --binary PATH    a test binary that is there already, instead of building any (may be repeated)
  --kernel NAME    the Debian package with the kernel (`linux-image-amd64`)
  --skip WORD      leave out tests whose `target::name` contains WORD (may be repeated)
  --minutes N      how long the machine may take (10)
  --emulate        do not use /dev/kvm
";

/// The package whose tests are meant for such a machine.
const PACKAGE: &str = "guild-sandbox";

/// What to run, and in which machine.
#[derive(Debug)]
pub struct Options {
    /// Whether systemd is the first process.
    pub systemd: bool,
    /// Packages of this workspace whose tests are built.
    pub packages: Vec<String>,
    /// Test targets of these packages; empty for those that concern the kernel.
    pub tests: Vec<String>,
    /// Test binaries to run instead of building any.
    pub binaries: Vec<PathBuf>,
    /// The Debian package with the kernel.
    pub kernel: String,
    /// How long the machine may take.
    pub limit: Duration,
    /// Whether hardware that could help is left alone.
    pub emulate: bool,
    /// A test runs if its name contains one of these, or if there is none.
    pub filters: Vec<String>,
    /// A test does not run if its name contains one of these.
    pub skipped: Vec<String>,
}

impl Options {
    /// Whether they ask for every test that is meant for such a machine.
    pub fn are_whole(&self) -> bool {
        let narrow = [&self.tests, &self.filters, &self.skipped];
        self.packages == [PACKAGE] && self.binaries.is_empty() && narrow.iter().all(|words| words.is_empty())
    }

    /// Reads the arguments behind `vm-test`.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            systemd: false,
            packages: Vec::new(),
            tests: Vec::new(),
            binaries: Vec::new(),
            kernel: "linux-image-amd64".to_owned(),
            limit: Duration::from_secs(600),
            emulate: false,
            filters: Vec::new(),
            skipped: Vec::new(),
        };
        let mut rest = arguments.iter().cloned();
        while let Some(word) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--systemd" => options.systemd = true,
                "--emulate" => options.emulate = true,
                "--package" => options.packages.push(value()?),
                "--test" => options.tests.push(value()?),
                "--binary" => options.binaries.push(value()?.into()),
                "--kernel" => options.kernel = value()?,
                "--skip" => options.skipped.push(value()?),
                "--minutes" => options.limit = minutes(&value()?)?,
                _ if word.starts_with('-') => return Err(format!("no such option: `{word}`")),
                _ => options.filters.push(word),
            }
        }
        if options.packages.is_empty() {
            options.packages.push(PACKAGE.to_owned());
        }
        Ok(options)
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes = text.parse::<u32>().map_err(|_| format!("`{text}` is no number of minutes"))?;
    Ok(Duration::from_secs(60 * u64::from(minutes)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(arguments: &str, expect: &Expect) {
        let words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        match Options::parse(&words) {
            Ok(options) => expect.assert_eq(&format!("{options:?}")),
            Err(error) => expect.assert_eq(&error),
        }
    }

    #[test]
    fn the_sandbox_is_tested_unless_told_otherwise() {
        check(
            "",
            &expect![[
                r#"Options { systemd: false, packages: ["guild-sandbox"], tests: [], binaries: [], kernel: "linux-image-amd64", limit: 600s, emulate: false, filters: [], skipped: [] }"#
            ]],
        );
        check(
            "--systemd --package a --package b --test it --kernel linux-image-6.12-amd64 --minutes 3 --skip docker fork bomb",
            &expect![[
                r#"Options { systemd: true, packages: ["a", "b"], tests: ["it"], binaries: [], kernel: "linux-image-6.12-amd64", limit: 180s, emulate: false, filters: ["fork", "bomb"], skipped: ["docker"] }"#
            ]],
        );
        check(
            "--binary /tmp/probe --emulate",
            &expect![[
                r#"Options { systemd: false, packages: ["guild-sandbox"], tests: [], binaries: ["/tmp/probe"], kernel: "linux-image-amd64", limit: 600s, emulate: true, filters: [], skipped: [] }"#
            ]],
        );
    }

    #[test]
    fn what_is_not_understood_is_named() {
        check("--fast", &expect!["no such option: `--fast`"]);
        check("--minutes", &expect!["`--minutes` needs a value"]);
        check("--minutes soon", &expect!["`soon` is no number of minutes"]);
    }
}
