//! Instructions against whoever uses the skill: overrides, theft, secrecy, orders from elsewhere.

use crate::codes::Code;
use crate::markdown::Line;
use crate::pattern::patterns;
use crate::scan::{Scan, Setting, Source};

patterns! {
    OVERRIDE = r"\b(ignore|disregard|forget|override|bypass)\b[ ]+((all|any|your|the|these|those|every|of|my) +){0,4}",
        r"(previous|prior|above|earlier|preceding|existing|system|safety|original|former)( +(system|safety))?[ ]+",
        r"(instructions?|prompts?|rules|guidelines|directions?|directives?|constraints?|messages?|polic(y|ies)|guardrails?)\b";
    PRIVATE = r"((~|\$home|/home/[a-z]+|/users/[a-z]+)?/?\.(ssh|aws|gnupg|netrc|npmrc|kube|env|git-credentials)\b[a-z_/.-]*|\bid_rsa\b|\bid_ed25519\b|",
        r"\bssh keys?\b|\bprivate keys?\b|\bseed phrases?\b|\bmnemonics?\b|\bkeychain\b|\b(browser|saved|stored|session) (cookies|passwords)\b|",
        r"\b(all|every|the) (environment variables?|env vars)\b|\bcredentials? files?\b|\baws credentials\b|\bwallet files?\b|\bshell history\b)";
    SEND = r"\b(send|sends|sending|post|upload|uploads|uploading|exfiltrate|transmit|forward|submit|report|attach|include)\b";
    DESTINATION = r"(https?://[a-z0-9.-]+|\bwebhook\b|\bremote server\b|\bour server\b|\bexternal (server|endpoint|url)\b|\b[a-z0-9._-]+@[a-z0-9-]+\.[a-z]{2,}\b)";
    NEGATED = r"\b(never|do not|don't|dont|must not|should not|avoid|without|no|not|cannot|won't)\b";
    SECRECY = r"\b(do not|don't|dont|never|without|avoid)[ ]+(tell(ing)?|mention(ing)?|inform(ing)?|reveal(ing)?|disclos(e|ing)|notify(ing)?|alert(ing)?|warn(ing)?|let(ting)?|show(ing)?)\b[^\n.]{0,40}\b(user|human|owner|operator)s?\b";
    ACTION = r"\b(send|sends|upload|post|transmit|exfiltrate|forward|copy|steal|collect)\b[^\n]{0,80}\b(contents?|files?|data|credentials?|keys?|tokens?|passwords?|secrets?|history|conversation|https?:)";
    REMOTE = r"\b(fetch|download|read|load|retrieve|visit|open|curl|get)\b[^\n]{0,60}https?://[^\n]{0,120}\b(follow|execute|obey|apply|carry out|do what)\b[^\n]{0,30}\b(instructions?|steps|commands?|directives?|it says)\b";
}

/// Measures a line of prose, with the lines beside it.
pub fn check(line: &Line, near: &str, source: &Source<'_>, scan: &mut Scan) {
    let text = line.text.as_str();
    if let Some(found) = OVERRIDE.first(text) {
        let quoted = Source { setting: if is_quoted(text, found.start) { Setting::Example } else { source.setting }, ..*source };
        scan.report(&quoted, 0, Code::OverrideInstructions, text);
    }
    if PRIVATE.is_in(text) && SEND.is_in(text) && DESTINATION.is_in(text) && !NEGATED.is_in(text) {
        scan.report(source, 0, Code::InstructedTheft, text);
    }
    if SECRECY.is_in(text) {
        let code = if ACTION.is_in(near) && DESTINATION.is_in(near) { Code::Conceal } else { Code::Secrecy };
        scan.report(source, 0, code, text);
    }
    if REMOTE.is_in(text) {
        scan.report(source, 0, Code::RemoteInstructions, text);
    }
}

/// Whether a quotation or a code span is open at an offset of a line: such words are spoken of, not said.
fn is_quoted(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or_default();
    let is_open = |mark: char| before.matches(mark).count() % 2 == 1;
    is_open('"') || is_open('`') || before.matches('“').count() > before.matches('”').count() || before.trim_end().ends_with('\'')
}
