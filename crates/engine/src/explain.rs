//! `explain`: what a code means.
//!
//! It explains codes alone; the problem at hand has its own message and hint.

use crate::reply::Explain;
use crate::{Code, Envelope};
use guild_manifest::Code as ProblemCode;
use guild_manifest::fold::nearest;
use guild_vet::Code as RuleCode;

/// Explains the code of a problem, an outcome or a finding.
pub fn explain(code: &str) -> Envelope<Option<Explain>> {
    if let Some(found) = ProblemCode::ALL.iter().find(|known| known.as_str() == code) {
        return Envelope::ok(Some(Explain {
            code: code.to_owned(),
            kind: "problem",
            weight: found.severity().to_string(),
            excludes: found.excludes(),
            about: found.about(),
            advice: None,
            classes: &[],
        }));
    }
    if let Some(found) = Code::ALL.iter().find(|known| known.as_str() == code) {
        return Envelope::ok(Some(Explain {
            code: code.to_owned(),
            kind: "outcome",
            weight: format!("exit code {}", found.exit_code()),
            excludes: false,
            about: found.about(),
            advice: None,
            classes: &[],
        }));
    }
    if let Some(found) = RuleCode::named(code) {
        return Envelope::ok(Some(Explain {
            code: code.to_owned(),
            kind: "finding",
            weight: found.tier().as_str().to_owned(),
            excludes: false,
            about: found.about(),
            advice: Some(found.advice()),
            classes: found.classes(),
        }));
    }
    let known =
        ProblemCode::ALL.iter().map(|code| code.as_str()).chain(Code::ALL.iter().map(|code| code.as_str()));
    let known = known.chain(RuleCode::ALL.iter().map(|code| code.as_str()));
    let hint = nearest(code, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Envelope::error(Code::UnknownCode, format!("there is no code `{code}`{hint}"), None)
}
