//! Ranges of versions as npm writes them.
//!
//! Bare numbers mean what they leave open, blanks mean "and", `||` means "or", and `1.0 - 1.2` is from one to the other.

use semver::VersionReq;

/// The ranges of which one is to match; nothing where one of them is none.
pub fn parse(text: &str) -> Option<Vec<VersionReq>> {
    text.split("||").map(|range| one(range.trim())).collect()
}

fn one(text: &str) -> Option<VersionReq> {
    if let Some((from, to)) = text.split_once(" - ") {
        // What the upper end leaves open belongs to it.
        let to = if to.matches('.').count() < 2 { open(to) } else { format!("<={}", plain(to)) };
        return VersionReq::parse(&format!(">={}, {to}", plain(from))).ok();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut operator = String::new();
    for word in text.split_whitespace() {
        let digits = word.trim_start_matches(|char: char| "<>=~^".contains(char));
        operator.push_str(word.get(..word.len() - digits.len()).unwrap_or_default());
        // The number may stand apart from what it is compared by.
        if !digits.is_empty() {
            parts.push(compared(&std::mem::take(&mut operator), plain(digits)));
        }
    }
    let is_whole = operator.is_empty() && !parts.is_empty();
    VersionReq::parse(&parts.join(", ")).ok().filter(|_| is_whole)
}

/// A version with what it is compared by; without that its numbers say how much they leave open.
fn compared(operator: &str, version: &str) -> String {
    match (operator, version.matches('.').count()) {
        ("", _) if version.starts_with(['*', 'x', 'X']) => "*".to_owned(),
        ("", 0) => format!("^{version}"),
        ("", 1) => format!("~{version}"),
        ("", _) => format!("={version}"),
        ("~>", _) => format!("~{version}"),
        (operator, _) => format!("{operator}{version}"),
    }
}

/// Everything up to the end of what one or two numbers name.
fn open(version: &str) -> String {
    let numbers: Option<Vec<u64>> = plain(version).split('.').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some([major]) => format!("<{}.0.0", major.saturating_add(1)),
        Some([major, minor]) => format!("<{major}.{}.0", minor.saturating_add(1)),
        _ => "none".to_owned(),
    }
}

fn plain(version: &str) -> &str {
    let version = version.trim();
    version.strip_prefix('v').unwrap_or(version)
}
