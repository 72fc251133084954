//! Names of tools that every host takes as they are: small letters, digits and `_`, and short enough for a host's own prefix.

use guild_manifest::Digest;

/// Hosts put their own words before it, and cut at 64.
const LONGEST: usize = 40;
/// What of a digest tells two long names apart.
const MARK: usize = 8;

/// The name of a skill's tool: `skill_<plugin>_<name>`. Where that leaves something out, a digest of the name is at its end.
pub(super) fn of(qualified: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String =
        std::iter::once("skill_").flat_map(str::chars).chain(qualified.chars().map(safe)).collect();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_/.".contains(c);
    if name.len() <= LONGEST && qualified.chars().all(is_plain) {
        return name;
    }
    let digest = Digest::of(qualified.as_bytes()).to_string();
    let mark: String = digest.rsplit(':').next().unwrap_or_default().chars().take(MARK).collect();
    let kept: String = name.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(qualified: &str, expected: &str) {
        let name = of(qualified);
        assert_eq!(name, expected);
        assert!(
            name.len() <= LONGEST
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        );
    }

    #[test]
    fn a_name_is_one_that_every_host_takes() {
        check("greet", "skill_greet");
        check("Release-Kit/cut.notes", "skill_release_kit_cut_notes");
        check(&"a-".repeat(40), "skill_a_a_a_a_a_a_a_a_a_a_a_a_a_186c7a79");
        check("größe", "skill_gr__e_d353a267");
        check("kit/; rm -rf", "skill_kit___rm__rf_c9df51d6");
    }
}
