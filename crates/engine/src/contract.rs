//! `contract`: what a skill's scripts evidently need, as the frontmatter of a contract that would fit.
//!
//! It prints and changes nothing; what a program computes while it runs it cannot see.

use crate::Envelope;
use crate::hall::Hall;
use crate::reply::{FindingLine, Fit};
use crate::resolve::{Unresolved, resolve};
use crate::vet::{Subject, report};

/// The contract that would fit a skill.
pub fn contract(hall: &Hall, name: &str) -> Envelope<Fit> {
    let entry = match resolve(hall, name) {
        Ok(entry) => entry,
        Err(Unresolved { code, message, candidates }) => {
            return Envelope::error(code, message, Fit { candidates, ..Fit::default() });
        }
    };
    let report = report(Subject::of_entry(&hall.snapshot, entry));
    let is_declared = |code: &str| code.starts_with("warn.contract.");
    let findings = report.findings.iter().filter(|finding| is_declared(finding.code.as_str()));
    Envelope::ok(Fit {
        found: true,
        skill: Some(entry.qualified_name().into_owned()),
        contract: guild_vet::fitting(&report.needs),
        findings: findings.map(|finding| FindingLine::of(finding, finding.code.tier())).collect(),
        programs: report.needs.tools.into_iter().collect(),
        candidates: Vec::new(),
    })
}
