//! Addresses: `skill://plugin/name/references/x.md`, each segment percent-encoded.

use std::fmt::Write as _;

/// What skills' files are addressed by.
pub(crate) const SCHEME: &str = "skill://";

/// The address of a skill, or of a file in it. A skill's own address has no slash at its end.
pub(crate) fn of(qualified_name: &str, file: Option<&str>) -> String {
    let segments = qualified_name.split('/').chain(file.into_iter().flat_map(|file| file.split('/')));
    format!("{SCHEME}{}", segments.map(encoded).collect::<Vec<_>>().join("/"))
}

/// The segments of a skill's address; nothing where it is none.
pub(crate) fn segments(uri: &str) -> Option<Vec<String>> {
    let segments: Option<Vec<String>> = uri.strip_prefix(SCHEME)?.split('/').map(decoded).collect();
    segments.filter(|segments| segments.iter().all(|segment| !matches!(segment.as_str(), "" | "." | "..")))
}

fn encoded(segment: &str) -> String {
    segment.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").ok();
        }
        out
    })
}

/// A segment as it was before it was encoded; nothing where it would be more than one, or no text.
pub(crate) fn decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = segment.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits)
            .ok()
            .filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    // An encoded slash would make one segment two.
    String::from_utf8(bytes).ok().filter(|text| !text.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, expected: Option<&[&str]>) {
        let expected = expected.map(|segments| segments.iter().map(|&segment| segment.to_owned()).collect());
        assert_eq!(segments(uri), expected, "{uri}");
    }

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for (name, file) in [("greet", None), ("plugin/greet", Some("SKILL.md")), ("a b", Some("x%/ü.md"))] {
            let expected: Vec<&str> =
                name.split('/').chain(file.into_iter().flat_map(|file| file.split('/'))).collect();
            check(&of(name, file), Some(&expected));
        }
        assert_eq!(of("a b", Some("ü.md")), "skill://a%20b/%C3%BC.md");
    }

    #[test]
    fn what_would_lead_elsewhere_is_no_address() {
        for uri in [
            "file:///etc/passwd",
            "skill://",
            "skill://a//b",
            "skill://a/../b",
            "skill://a/%2e%2e/b",
            "skill://a/%2Fetc",
            "skill://a/%zz",
            "skill://a/%2",
            "skill://a/%ff",
        ] {
            check(uri, None);
        }
    }
}
