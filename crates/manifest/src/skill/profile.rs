//! The three profiles: how strictly a skill's file is judged.
//!
//! `lenient` loads what can be loaded, `strict` holds the file to the open specification, and `upload` to what
//! hosted skill services accept. A profile adds problems and weight; it never lets a broken file load.

use super::keys::SPEC_KEYS;
use crate::fold::same;
use crate::tree::{Map, Node, ScalarKind, Value};
use crate::{Code, Pos, Problem, Severity, coerce};
use unicode_normalization::UnicodeNormalization;

/// How strictly a file is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Load what can be loaded, say what is wrong.
    #[default]
    Lenient,
    /// The open specification.
    Strict,
    /// What hosted skill services accept.
    Upload,
}

const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;
const RESERVED_WORDS: &[&str] = &["anthropic", "claude"];

impl Profile {
    /// The profile of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "lenient" => Some(Self::Lenient),
            "strict" => Some(Self::Strict),
            "upload" => Some(Self::Upload),
            _ => None,
        }
    }

    /// Adds the problems that only this profile sees.
    pub(super) fn check(self, map: &Map, at: Pos, stem: &str, problems: &mut Vec<Problem>) {
        length(map, "description", MAX_DESCRIPTION, Code::DescriptionTooLong, problems);
        length(map, "compatibility", MAX_COMPATIBILITY, Code::CompatibilityTooLong, problems);
        if self == Self::Lenient {
            return;
        }
        spec_name(map, at, stem, problems);
        spec_keys(map, problems);
        spec_values(map, problems);
        if self == Self::Upload {
            upload(map, problems);
        }
    }

    /// Gives each problem the weight it has under this profile: what the specification forbids is an error there.
    ///
    /// A reader that adds problems of its own, about files beside the skill, weighs them too.
    pub fn weigh(self, problems: &mut [Problem]) {
        const STILL_WARNINGS: &[Code] =
            &[Code::BodyEmpty, Code::BodyTooShort, Code::CommandInert, Code::SidecarInvalid, Code::ValueCut];
        if self == Self::Lenient {
            return;
        }
        for problem in problems.iter_mut() {
            let forbidden = problem.severity == Severity::Warning || problem.code == Code::NameMismatch;
            if forbidden && !STILL_WARNINGS.contains(&problem.code) {
                problem.severity = Severity::Error;
            }
        }
    }
}

fn length(map: &Map, key: &str, most: usize, code: Code, problems: &mut Vec<Problem>) {
    let Some(node) = map.get(key) else { return };
    // Bytes are at least as many as characters, and nearly every text is short.
    let count = match node.as_scalar() {
        Some(scalar) if scalar.text.len() <= most => 0,
        Some(scalar) => scalar.text.trim_end().chars().count(),
        None => coerce::text(node, "\n").map_or(0, |text| text.chars().count()),
    };
    if count > most {
        let message = format!("`{key}` has {count} characters; hosts take at most {most}");
        problems.push(Problem::new(code, node.at, message, "say it shorter, and put the rest into the body"));
    }
}

/// 1 to 64 lower-case letters, digits and single hyphens, after NFKC.
fn spec_name(map: &Map, at: Pos, stem: &str, problems: &mut Vec<Problem>) {
    let Some(node) = map.get("name") else { return };
    let Some(written) = coerce::text(node, " ") else { return };
    let name: String = written.nfkc().collect();
    let broken = if name.chars().count() > MAX_NAME {
        Some("is longer than 64 characters")
    } else if name != name.to_lowercase() {
        Some("has upper-case letters")
    } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        Some("begins or ends with a hyphen, or has two in a row")
    } else if !name.chars().all(|c| c.is_alphanumeric() || c == '-') {
        Some("has characters other than letters, digits and hyphens")
    } else {
        None
    };
    let already = problems.iter().any(|problem| problem.code == Code::NameInvalid);
    if let Some(reason) = broken.filter(|_| !already) {
        let at = if node.at == Pos::START { at } else { node.at };
        let hint = format!("use a name such as `{}`", kebab(stem));
        problems.push(Problem::new(Code::NameInvalid, at, format!("the name {reason}"), hint));
    }
}

fn kebab(stem: &str) -> String {
    let mapped =
        stem.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect::<String>();
    mapped.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

fn spec_keys(map: &Map, problems: &mut Vec<Problem>) {
    for entry in map.entries().iter().filter(|entry| !SPEC_KEYS.contains(&entry.key.as_str())) {
        let told =
            problems.iter().any(|problem| problem.code == Code::UnknownKey && problem.at == entry.key_at);
        if told {
            continue;
        }
        let message = format!("`{}` is not one of the six keys of the specification", entry.key);
        let hint = match SPEC_KEYS.iter().find(|known| same(known, &entry.key)) {
            Some(known) => format!("spell it `{known}`"),
            None => format!("move it below `metadata:` as `{}:`", entry.key),
        };
        problems.push(Problem::new(Code::UnknownKey, entry.key_at, message, hint));
    }
}

/// Metadata values are text, and `allowed-tools` is one text with spaces.
fn spec_values(map: &Map, problems: &mut Vec<Problem>) {
    if let Some(tools) = map.get("allowed-tools").filter(|node| node.as_scalar().is_none()) {
        let message = format!("`allowed-tools` is {}, but the specification takes one text", tools.what());
        problems.push(Problem::new(
            Code::ValueInvalid,
            tools.at,
            message,
            "write `allowed-tools: Read Grep`",
        ));
    }
    for key in ["name", "description", "license", "compatibility"] {
        if let Some(node) = map.get(key).filter(|node| node.as_list().is_some()) {
            let message = format!("`{key}` is a list, but the specification takes one text");
            problems.push(Problem::new(Code::ValueInvalid, node.at, message, "write it as one text"));
        }
    }
    if let Some(node) = map.get("metadata").filter(|node| is_json_text(node)) {
        let message = "`metadata` is JSON in a text, but the specification takes a mapping";
        problems.push(Problem::new(
            Code::MetadataNotText,
            node.at,
            message,
            "write `key: value` lines below it",
        ));
    }
    let Some(metadata) = map.get("metadata").and_then(Node::as_map) else { return };
    let is_text =
        |node: &Node| matches!(&node.value, Value::Scalar(scalar) if scalar.kind == ScalarKind::Text);
    for entry in metadata.entries().iter().filter(|entry| !is_text(&entry.value)) {
        let message =
            format!("metadata `{}` is {}, but the specification takes text", entry.key, entry.value.what());
        problems.push(Problem::new(
            Code::MetadataNotText,
            entry.value.at,
            message,
            if entry.value.as_scalar().is_some() {
                "put quotes around the value"
            } else {
                "write it as one text, or move it into the body"
            },
        ));
    }
}

fn is_json_text(node: &Node) -> bool {
    node.as_str().is_some_and(|text| text.trim_start().starts_with('{'))
}

fn upload(map: &Map, problems: &mut Vec<Problem>) {
    for key in ["name", "description"] {
        let Some(node) = map.get(key) else { continue };
        let text = coerce::text(node, "\n").unwrap_or_default();
        if text.contains(['<', '>']) {
            let message = format!("`{key}` has an angle bracket, which hosted services refuse");
            problems.push(Problem::new(
                Code::AngleBracket,
                node.at,
                message,
                "write the words without brackets",
            ));
        }
        let is_told = problems.iter().any(|problem| problem.code == Code::NameInvalid);
        if key == "name" && !text.is_ascii() && !is_told {
            let message = "the name has letters beyond a to z, which hosted services refuse";
            let hint = "use lower-case letters from a to z, digits and hyphens";
            problems.push(Problem::new(Code::NameInvalid, node.at, message, hint));
        }
        let folded = text.to_lowercase();
        if let Some(word) = RESERVED_WORDS.iter().find(|word| key == "name" && folded.contains(*word)) {
            let message = format!("the name uses the reserved word `{word}`");
            problems.push(Problem::new(Code::ReservedWord, node.at, message, "choose another name"));
        }
    }
}
