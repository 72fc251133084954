//! Secrets: names that promise one, and texts that look like a live one.

use crate::codes::Code;
use crate::evidence::redacted;
use crate::finding::Finding;
use crate::pattern::patterns;
use crate::rows::Rows;
use crate::scan::Scan;
use std::collections::BTreeSet;

/// Parts of names of variables that hold secrets.
const NAMES: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIAL",
    "PRIVATE",
    "MNEMONIC",
    "SEED_PHRASE",
    "COOKIE",
];

patterns! {
    /// The forms of well-known tokens.
    TOKEN = "(?-i:",
        "AKIA[0-9A-Z]{16}",
        "|gh[pousr]_[A-Za-z0-9_]{36,255}",
        "|github_pat_[A-Za-z0-9_]{60,255}",
        "|glpat-[A-Za-z0-9_-]{20,60}",
        "|sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,200}",
        "|xox[baprs]-[A-Za-z0-9-]{20,200}",
        "|AIza[0-9A-Za-z_-]{35}",
        "|npm_[A-Za-z0-9]{36}",
        "|pypi-[A-Za-z0-9_-]{80,250}",
        "|hf_[A-Za-z]{34}",
        "|SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}",
        "|[rs]k_live_[A-Za-z0-9]{24,100}",
        "|-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY(?: BLOCK)?-----[ \\t\\r\\n]+[A-Za-z0-9+/=]{40,}",
        ")";
}

/// Whether the name of a variable promises a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.iter().any(|part| name.contains(part)) && !name.contains("PUBLIC")
}

/// Finds texts that look like live secrets; only what they begin with is shown.
pub fn scan(path: &str, text: &str, scan: &mut Scan) {
    let mut rows = Rows::new(text);
    for (start, token) in TOKEN.all(text).filter(|(_, token)| is_live(token)) {
        let line = rows.line(start);
        scan.add(Finding::new(Code::Secret, path, line, &redacted(token)));
    }
}

/// Whether a token is no placeholder: varied, and without a word that says so.
fn is_live(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    let told = [
        "example",
        "xxxx",
        "your",
        "test",
        "dummy",
        "fake",
        "sample",
        "placeholder",
        "abcdef",
        "123456",
        "redacted",
        "0000",
    ];
    let distinct: BTreeSet<char> = token.chars().collect();
    distinct.len() >= 14 && !told.iter().any(|word| lower.contains(word))
}
