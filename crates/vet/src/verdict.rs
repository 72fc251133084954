//! From codes to a verdict: a pure function of the set of codes, and of what a person configured.
//!
//! Where configuration and suppressions come from is the caller's business; nothing in a skill reaches this.

use crate::codes::{Code, Tier};
use guild_manifest::Digest;
use std::collections::BTreeSet;
use std::fmt;

/// The version of the rule set: a major change voids approvals, a minor one voids cached results.
pub const RULES: Version = Version { major: 1, minor: 2 };

/// A version of the rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Part of the security hash.
    pub major: u16,
    /// Part of the key of cached results and suppressions.
    pub minor: u16,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What follows from the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing was found that rules can find.
    Allow,
    /// Worth a look.
    Warn,
    /// Refused.
    Deny,
}

impl Verdict {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }

    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Allow, Self::Warn, Self::Deny].into_iter().find(|verdict| verdict.as_str() == name)
    }
}

/// A warning that a person suppressed for one content under one rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suppression {
    /// The warning.
    pub code: Code,
    /// The digest of the skill's content.
    pub digest: Digest,
    /// The rules it was suppressed under.
    pub rules: Version,
}

/// What a person decided about codes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Denials that count as warnings, from the person's or the machine's configuration.
    pub downgraded: BTreeSet<Code>,
    /// Warnings that do not count.
    pub suppressed: BTreeSet<Suppression>,
}

impl Policy {
    /// How much a code weighs for a content; `None` where it is suppressed.
    ///
    /// A denial is never suppressed, whatever the set says; a downgraded one is still a warning.
    pub fn weigh(&self, code: Code, digest: Digest) -> Option<Tier> {
        match code.tier() {
            Tier::Deny if self.downgraded.contains(&code) => Some(Tier::Warn),
            Tier::Deny => Some(Tier::Deny),
            Tier::Warn => {
                let suppression = Suppression { code, digest, rules: RULES };
                (!self.suppressed.contains(&suppression)).then_some(Tier::Warn)
            }
        }
    }

    /// The verdict on a content by the codes that were found in it.
    pub fn verdict(&self, codes: impl IntoIterator<Item = Code>, digest: Digest) -> Verdict {
        let heaviest = codes.into_iter().filter_map(|code| self.weigh(code, digest)).max();
        match heaviest {
            None => Verdict::Allow,
            Some(Tier::Warn) => Verdict::Warn,
            Some(Tier::Deny) => Verdict::Deny,
        }
    }

    /// Which policy this is: the major version of the rules and the denials that a person downgraded.
    ///
    /// It goes into the security hash, so that approvals do not survive a change of either.
    pub fn version(&self) -> String {
        let downgraded: String = self.downgraded.iter().map(|code| format!("-{code}")).collect();
        format!("vet-{}{downgraded}", RULES.major)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest() -> Digest {
        Digest::of(b"content")
    }

    #[test]
    fn the_heaviest_code_decides() {
        let policy = Policy::default();
        assert_eq!(policy.verdict([], digest()), Verdict::Allow);
        assert_eq!(policy.verdict([Code::Secret], digest()), Verdict::Warn);
        assert_eq!(policy.verdict([Code::Secret, Code::ForkBomb], digest()), Verdict::Deny);
    }

    #[test]
    fn a_downgraded_denial_is_a_warning_and_changes_the_policy_version() {
        let policy = Policy { downgraded: [Code::ForkBomb].into(), ..Policy::default() };
        assert_eq!(policy.verdict([Code::ForkBomb], digest()), Verdict::Warn);
        assert_eq!(policy.version(), "vet-1-deny.shell.fork_bomb");
        assert_eq!(Policy::default().version(), "vet-1");
    }

    #[test]
    fn a_suppression_holds_for_its_content_and_its_rules_alone() {
        let of = |digest, rules| Policy {
            suppressed: [Suppression { code: Code::Secret, digest, rules }].into(),
            ..Policy::default()
        };
        let older = Version { major: RULES.major, minor: RULES.minor + 1 };
        assert_eq!(of(digest(), RULES).verdict([Code::Secret], digest()), Verdict::Allow);
        assert_eq!(of(Digest::of(b"other"), RULES).verdict([Code::Secret], digest()), Verdict::Warn);
        assert_eq!(of(digest(), older).verdict([Code::Secret], digest()), Verdict::Warn);
    }

    #[test]
    fn a_denial_cannot_be_suppressed() {
        let suppression = Suppression { code: Code::ForkBomb, digest: digest(), rules: RULES };
        let policy = Policy { suppressed: [suppression].into(), ..Policy::default() };
        assert_eq!(policy.verdict([Code::ForkBomb], digest()), Verdict::Deny);
    }
}
