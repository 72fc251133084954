//! Encodings that hide text: base64, hexadecimal digits, escapes.
//!
//! It is strict: what is not clearly encoded is not decoded.

/// How much is decoded at once.
const MAX_BYTES: usize = 256 * 1024;

/// The bytes of a base64 text, in either alphabet, with or without padding; white space is skipped.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xff).unwrap_or_default());
        }
        if out.len() > MAX_BYTES {
            return None;
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The bytes of hexadecimal digits; `\x`, `0x`, white space and commas between them are skipped.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let text = text.replace("\\x", "").replace("0x", "");
    let mut digits = Vec::new();
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b',') {
        digits.push(u8::try_from(char::from(byte).to_digit(16)?).ok()?);
    }
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() || digits.is_empty() || digits.len() > 2 * MAX_BYTES {
        return None;
    }
    Some(pairs.filter_map(|pair| Some(pair.first()? << 4 | pair.get(1)?)).collect())
}

/// Bytes as text, if nearly all of them are printable.
pub fn readable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let odd = text.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')).count();
    (odd == 0 && !text.is_empty()).then(|| text.to_owned())
}

/// The shortest run of base64 letters that is worth decoding.
const SHORTEST_RUN: usize = 40;

/// Long runs of base64 letters in a text, with their offsets.
///
/// Only where a long run could end is a byte looked at, and from there back to what cannot belong to it: prose is mostly passed over.
pub fn base64_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_letter =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            let first = bytes.get(start..start + SHORTEST_RUN)?;
            if let Some(other) = first.iter().rposition(|byte| !is_letter(byte)) {
                start += other + 1;
                continue;
            }
            let behind = bytes.get(start + SHORTEST_RUN..).unwrap_or_default();
            let more = behind.iter().position(|byte| !is_letter(byte)).unwrap_or(behind.len());
            let (from, end) = (start, start + SHORTEST_RUN + more);
            start = end;
            return Some((from, text.get(from..end)?));
        }
    })
}

/// A text with its backslash escapes put in place, as C, Python, JavaScript and `$'…'` write them.
pub fn escapes(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c != '\\' {
            out.extend(c.to_string().into_bytes());
            continue;
        }
        let Some(kind) = rest.chars().next() else { break };
        let after = rest.get(kind.len_utf8()..).unwrap_or_default();
        let (digits, base) = match kind {
            'x' => (take_digits(after, 2, 16), 16),
            'u' => (take_digits(after, 4, 16), 16),
            '0'..='7' => (take_digits(rest, 3, 8), 8),
            _ => ("", 0),
        };
        if let Ok(value) = u32::from_str_radix(digits, base.max(2)) {
            match u8::try_from(value) {
                Ok(byte) => out.push(byte),
                Err(_) => out.extend(char::from_u32(value).unwrap_or(' ').to_string().into_bytes()),
            }
            let start = if base == 8 { rest } else { after };
            rest = start.get(digits.len()..).unwrap_or_default();
            continue;
        }
        let plain = match kind {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            other => other,
        };
        out.extend(plain.to_string().into_bytes());
        rest = after;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn take_digits(text: &str, most: usize, base: u32) -> &str {
    let length = text.chars().take(most).take_while(|c| c.is_digit(base)).count();
    text.get(..length).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_both_alphabets_is_read() {
        assert_eq!(base64("aGVsbG8=").unwrap(), b"hello");
        assert_eq!(base64("_-8").unwrap(), [0xff, 0xef]);
        assert_eq!(base64("no spaces & signs"), None);
    }

    #[test]
    fn long_runs_are_found_wherever_they_stand() {
        let run = "a".repeat(SHORTEST_RUN);
        let short = "b".repeat(SHORTEST_RUN - 1);
        let runs = |text: &str| base64_runs(text).map(|(at, run)| (at, run.len())).collect::<Vec<_>>();
        assert_eq!(runs(&run), [(0, 40)]);
        assert_eq!(runs(&short), []);
        assert_eq!(runs(&format!("{short} {run}=\n{run}{short}")), [(40, 41), (82, 79)]);
        assert_eq!(runs(&format!("ü{run}é {short}é")), [(2, 40)]);
    }

    #[test]
    fn hexadecimal_digits_are_read_in_several_spellings() {
        assert_eq!(hex("68 65").unwrap(), b"he");
        assert_eq!(hex("\\x68\\x65").unwrap(), b"he");
        assert_eq!(hex("0x68, 0x65").unwrap(), b"he");
        assert_eq!(hex("686"), None);
    }
}
