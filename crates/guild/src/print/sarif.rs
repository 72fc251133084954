//! SARIF 2.1.0: problems and findings for code-scanning services.
//!
//! It weighs nothing anew; codes and severities are those of the check or the vet.

use super::escape;
use guild_engine::manifest::Code;
use guild_engine::reply::{Check, FindingLine, ProblemLine, Vet};
use guild_engine::rules::Code as RuleCode;
use serde_json::{Value as Json, json};
use std::io::{self, Write};
use std::path::Path;

/// Prints a check as one SARIF log.
pub fn print(check: &Check<'_>, out: &mut dyn Write) -> io::Result<()> {
    let of_skills = check.skills.iter().flat_map(|file| {
        let directory = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        file.problems.iter().map(move |problem| result(problem, directory))
    });
    let of_others =
        check.others.iter().flat_map(|file| file.problems.iter().map(|p| result(p, Path::new(""))));
    let results: Vec<Json> = of_skills.chain(of_others).collect();
    write(Code::ALL.iter().map(rule).collect(), results, out)
}

/// Prints a vet as one SARIF log.
pub fn print_vet(vet: &Vet, out: &mut dyn Write) -> io::Result<()> {
    let results = vet.skills.iter().flat_map(|skill| {
        let directory = Path::new(&skill.root);
        skill.findings.iter().map(move |finding| found(finding, directory))
    });
    write(RuleCode::ALL.iter().map(vet_rule).collect(), results.collect(), out)
}

fn write(rules: Vec<Json>, results: Vec<Json>, out: &mut dyn Write) -> io::Result<()> {
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "guild",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    // What moves a terminal's cursor is written as `\u…` everywhere: that means the same.
    writeln!(out, "{}", escape::json(&serde_json::to_string_pretty(&log)?))
}

fn rule(code: &Code) -> Json {
    json!({
        "id": code.as_str(),
        "shortDescription": {"text": code.about()},
        "defaultConfiguration": {"level": level(code.severity().as_str())},
    })
}

fn vet_rule(code: &RuleCode) -> Json {
    json!({
        "id": code.as_str(),
        "shortDescription": {"text": code.about()},
        "help": {"text": code.advice()},
        "defaultConfiguration": {"level": level(code.tier().as_str())},
        "properties": {"tags": code.classes()},
    })
}

fn found(finding: &FindingLine, directory: &Path) -> Json {
    // What lies in an archive is shown at the archive.
    let file = finding.path.split('!').next().unwrap_or_default();
    json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": {"text": format!("{} Evidence: {}. Hint: {}", finding.message, finding.evidence, finding.advice)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&directory.join(file))},
            "region": {"startLine": finding.line},
        }}],
    })
}

fn result(problem: &ProblemLine<'_>, directory: &Path) -> Json {
    let path = directory.join(problem.file.as_ref());
    json!({
        "ruleId": problem.code,
        "level": level(problem.severity),
        "message": {"text": format!("{}. Hint: {}", problem.message, problem.hint)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&path)},
            "region": {"startLine": problem.line, "startColumn": problem.column},
        }}],
    })
}

fn level(severity: &str) -> &'static str {
    match severity {
        "error" | "deny" => "error",
        "warning" | "warn" => "warning",
        _ => "note",
    }
}

/// The path as a URI: absolute ones with their scheme, everything but plain characters percent-encoded.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let encoded: String = text
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    if path.is_absolute() { format!("file://{encoded}") } else { encoded }
}
