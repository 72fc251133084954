//! How many tests passed and failed, and the line by which the machine says so.
//!
//! The line is written inside and read outside; both are here, so that they agree.

use std::fmt;

/// Counts of tests.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
}

impl Tally {
    /// Reads the line that ends a pass, if `line` is one.
    pub fn read(line: &str) -> Option<Self> {
        let counts = line.strip_prefix("guild-vm: ended with ")?.strip_suffix(" failed")?;
        let (passed, failed) = counts.split_once(" passed, ")?;
        Some(Self { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
    }

    /// Counts `other` in.
    pub fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Whether there were tests and all of them passed.
    pub fn verdict(&self) -> Result<(), String> {
        match (self.passed, self.failed) {
            (0, 0) => Err("no test ran".to_owned()),
            (_, 0) => Ok(()),
            (_, failed) => Err(format!("failed tests: {failed}")),
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "guild-vm: ended with {} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_inside_is_read_outside() {
        let tally = Tally { passed: 61, failed: 2 };
        assert_eq!(Tally::read(&tally.to_string()), Some(tally));
        assert_eq!(Tally::read("guild-vm: ended with a bang"), None);
    }
}
