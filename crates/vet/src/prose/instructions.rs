//! Instructions against whoever uses the skill: overrides, theft, secrecy, orders from elsewhere.

use crate::codes::Code;
use crate::pattern::patterns;

patterns! {
    OVERRIDE = r"\b(ignore|disregard|forget|override|bypass)\b[ ]+((all|any|your|the|these|those|every|of|my) +){0,4}",
        r"(previous|prior|above|earlier|preceding|existing|system|safety|original|former)( +(system|safety))?[ ]+",
        r"(instructions?|prompts?|rules|guidelines|directions?|directives?|constraints?|messages?|polic(y|ies)|guardrails?)\b";
    /// What is nobody else's, as the thing that is sent.
    SENT = r"\b(send|sends|sending|post|upload|uploads|uploading|exfiltrate|transmit|forward|submit|include)\b([ ]+(the|all|their|your|its|any|every|user's|full|whole|entire|contents?|copy|copies|of|and|a|both|local|private)){0,6}[ ]+",
        r"[`'\x22]?((~|\$home|/home/[a-z]+|/users/[a-z]+|/root)?/?\.(ssh|aws|gnupg|netrc|npmrc|kube|env|git-credentials)\b|id_rsa\b|id_ed25519\b|",
        r"ssh keys?\b|private keys?\b|seed phrases?\b|mnemonics?\b|keychain\b|((browser|saved|stored|session) )?(cookies|passwords)\b|",
        r"environment variables?\b|credentials? files?\b|aws credentials\b|wallet files?\b|shell history\b)";
    /// What is nobody else's, as the thing that is taken and then sent.
    TAKEN = r"\b(read|reads|reading|collect|gather|copy|cat|grab|take|extract|harvest|find|open|load|locate)\b[^\n]{0,80}",
        r"(\.(ssh|aws|gnupg|netrc|kube|git-credentials)\b|\bid_rsa\b|\bid_ed25519\b|\bseed phrases?\b|\bmnemonics?\b|\bkeychain\b|",
        r"\b(browser|saved|stored|session) (cookies|passwords)\b|\b(all|every) (environment variables?|env vars)\b|\baws credentials\b|",
        r"\bwallet files?\b|\bshell history\b)[^\n]{0,160}\b(send|post|upload|exfiltrate|transmit|forward|submit)\b";
    DESTINATION = r"(https?://[a-z0-9.-]+|\bwebhook\b|\bremote server\b|\bour server\b|\bexternal (server|endpoint|url)\b|\b[a-z0-9._-]+@[a-z0-9-]+\.[a-z]{2,}\b)";
    NEGATED = r"\b(public|never|do not|don't|dont|must not|should not|avoid|without|no|not|cannot|won't)\b";
    SECRECY = r"\b(do not|don't|dont|never|without|avoid)[ ]+(tell(ing)?|mention(ing)?|inform(ing)?|reveal(ing)?|disclos(e|ing)|notify(ing)?|alert(ing)?|warn(ing)?)\b[^\n.]{0,40}\b(user|human|owner|operator)s?\b";
    ACTION = r"\b(send|sends|upload|post|transmit|exfiltrate|forward|copy|steal|collect)\b[^\n]{0,80}\b(contents?|files?|credentials?|keys?|tokens?|passwords?|secrets?|history|conversation)\b";
    REMOTE = r"\b(fetch|download|read|load|retrieve|visit|open|curl|get)\b[^\n]{0,60}https?://[^\n]{0,120}\b(follow|execute|obey|apply|carry out|do what)\b[^\n]{0,30}\b(instructions?|steps|commands?|directives?|it says)\b";
    // Words that each rule needs, whatever else it asks for: a text without them, as most are, is not searched for sentences.
    OVERRIDING = r"(ignore|disregard|forget|override|bypass)[ ]";
    PRIVATE = r"(\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|\.kube|\.env|\.git-credentials|id_rsa|id_ed25519|ssh key|private key|seed phrase|mnemonic|",
        r"keychain|cookies|passwords|environment variable|env var|credentials? file|aws credentials|wallet file|shell history)";
    FORBIDDING = r"(do not|don't|dont|never|without|avoid)[ ]+(tell|mention|inform|reveal|disclos|notify|alert|warn)";
    OBEYING = r"https?://[^\n]*(follow|execute|obey|apply|carry out|do what)";
}

/// Which rules may find something in a text at all.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    overrides: bool,
    theft: bool,
    secrecy: bool,
    remote: bool,
}

/// How something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// As it stands; the words around it say how it is meant.
    Plain,
    /// As a prohibition, whose own words are no warning to the reader.
    Forbidding,
    /// As something that is only spoken of.
    Quoted,
}

/// What a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Under which code.
    pub code: Code,
    /// How it is said.
    pub manner: Manner,
}

impl Wanted {
    /// Looks once over a whole text, so that most lines need no second look.
    pub fn of(text: &str) -> Self {
        Self {
            overrides: OVERRIDING.is_in(text) && OVERRIDE.is_in(text),
            theft: PRIVATE.is_in(text) && (SENT.is_in(text) || TAKEN.is_in(text)) && DESTINATION.is_in(text),
            secrecy: FORBIDDING.is_in(text) && SECRECY.is_in(text),
            remote: OBEYING.is_in(text) && REMOTE.is_in(text),
        }
    }
}

/// What a line of prose shows, with the lines beside it.
pub fn check(text: &str, near: impl Fn() -> String, wanted: Wanted) -> Vec<Shown> {
    let mut shown = Vec::new();
    let plain = |code| Shown { code, manner: Manner::Plain };
    if let Some(found) = wanted.overrides.then(|| OVERRIDE.first(text)).flatten() {
        let manner = if is_quoted(text, found.start) { Manner::Quoted } else { Manner::Plain };
        shown.push(Shown { code: Code::OverrideInstructions, manner });
    }
    if wanted.theft && text.split(". ").any(is_theft) {
        shown.push(plain(Code::InstructedTheft));
    }
    if wanted.secrecy && SECRECY.is_in(text) {
        let near = near();
        let is_hiding = ACTION.is_in(&near) && DESTINATION.is_in(&near);
        let code = if is_hiding { Code::Conceal } else { Code::Secrecy };
        shown.push(Shown { code, manner: Manner::Forbidding });
    }
    if wanted.remote && REMOTE.is_in(text) {
        shown.push(plain(Code::RemoteInstructions));
    }
    shown
}

/// Whether a sentence tells somebody to send what is private.
fn is_theft(sentence: &str) -> bool {
    (SENT.is_in(sentence) || TAKEN.is_in(sentence)) && DESTINATION.is_in(sentence) && !NEGATED.is_in(sentence)
}

/// Whether a quotation or a code span is open at an offset of a line: such words are spoken of, not said.
fn is_quoted(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or_default();
    let is_open = |mark: char| before.matches(mark).count() % 2 == 1;
    is_open('"')
        || is_open('`')
        || before.matches('“').count() > before.matches('”').count()
        || before.trim_end().ends_with('\'')
}
