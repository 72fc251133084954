//! How often a test repeats what only chance brings about.
//!
//! `./test` has little time for it; `cargo xtask soak` has more and says so. Which tests repeat is theirs to know.

/// The variable by which whoever has more time for the tests says so.
const VARIABLE: &str = "GUILD_TEST_ROUNDS";

/// Rounds where nobody says otherwise.
const FEW: u64 = 25;

/// How often to kill or race: 25 times, or as often as `GUILD_TEST_ROUNDS` says. Panics where that is no number.
pub fn rounds() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the tests have no other caller than their environment")]
    let said = std::env::var(VARIABLE).ok();
    number(said.as_deref()).unwrap_or_else(|| panic!("{VARIABLE} is no number of rounds: {said:?}"))
}

fn number(said: Option<&str>) -> Option<u64> {
    said.map_or(Some(FEW), |said| said.parse().ok().filter(|rounds| *rounds > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_unless_somebody_says_otherwise() {
        assert_eq!(number(None), Some(25));
        assert_eq!(number(Some("200")), Some(200));
    }

    #[test]
    fn no_rounds_at_all_prove_nothing() {
        assert_eq!(number(Some("0")), None);
        assert_eq!(number(Some("many")), None);
    }
}
