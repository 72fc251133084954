//! SARIF 2.1.0: problems for code-scanning services.
//!
//! It weighs nothing anew; codes and severities are those of the check.

use guild_engine::manifest::Code;
use guild_engine::reply::{Check, ProblemLine};
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
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "guild",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Code::ALL.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn rule(code: &Code) -> Json {
    json!({
        "id": code.as_str(),
        "shortDescription": {"text": code.about()},
        "defaultConfiguration": {"level": level(code.severity().as_str())},
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
        "error" => "error",
        "warning" => "warning",
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
