//! What the vet found.

use guild_vet::{Finding, Tier, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

/// `vet`: what was found in every skill that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Vet {
    /// The skills, in the order of the request.
    pub skills: Vec<Vetted>,
    /// The version of the rules.
    pub rules: String,
    /// The counts.
    pub summary: VetSummary,
}

/// One skill that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Vetted {
    /// The name that lists show.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The directory that the findings' paths are relative to: the skill's, or that of the plugin that ships it.
    pub root: String,
    /// `allow`, `warn` or `deny`.
    pub verdict: &'static str,
    /// The digest of everything that was looked at.
    pub digest: String,
    /// What was found, by file and line.
    pub findings: Vec<FindingLine>,
    /// How many warnings are not among them because a person has allowed them; see `vet allowed`.
    pub allowed: usize,
    /// What was left unread, and why; where anything was, the verdict is never `allow`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<String>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingLine {
    /// Which rule.
    pub code: &'static str,
    /// `deny` or `warn`, under the person's policy.
    pub severity: &'static str,
    /// The file, relative to the skill, or to the plugin that ships it; what lies in an archive comes after a `!`.
    pub path: String,
    /// Line, from one.
    pub line: u32,
    /// The text that shows it: printable, at most 160 characters.
    pub evidence: String,
    /// What it means.
    pub message: String,
    /// What to do about it.
    pub advice: &'static str,
    /// Its classes of the OWASP Agentic Skills Top 10.
    pub classes: &'static [&'static str],
}

/// The counts of a vet.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VetSummary {
    /// Skills looked at.
    pub skills: usize,
    /// Skills in which nothing was found.
    pub allowed: usize,
    /// Skills with warnings.
    pub warned: usize,
    /// Skills that are denied.
    pub denied: usize,
}

/// `contract`: what a skill's scripts evidently need, and a contract that would fit.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Fit {
    /// Whether the skill was found.
    pub found: bool,
    /// Its qualified name.
    pub skill: Option<String>,
    /// The frontmatter of a contract that would fit.
    pub contract: String,
    /// Where what it needs is seen, and where it differs from what is declared.
    pub findings: Vec<FindingLine>,
    /// Programs that scripts call.
    pub programs: Vec<String>,
    /// Names near it, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

impl FindingLine {
    /// The line of a finding, weighed.
    pub fn of(finding: &Finding, tier: Tier) -> Self {
        Self {
            code: finding.code.as_str(),
            severity: tier.as_str(),
            path: finding.path.clone(),
            line: finding.line,
            evidence: finding.evidence.clone(),
            message: finding.message.clone(),
            advice: finding.code.advice(),
            classes: finding.code.classes(),
        }
    }
}

impl VetSummary {
    /// Counts verdicts.
    pub fn of(skills: &[Vetted]) -> Self {
        let of = |verdict: Verdict| skills.iter().filter(|skill| skill.verdict == verdict.as_str()).count();
        Self {
            skills: skills.len(),
            allowed: of(Verdict::Allow),
            warned: of(Verdict::Warn),
            denied: of(Verdict::Deny),
        }
    }
}
