//! Digests in a text, whatever the text is.

use guild_manifest::Digest;

/// How many hexadecimal digits a digest has.
const DIGITS: usize = 64;

/// Every run of exactly 64 hexadecimal digits in a text.
pub fn digests_in(text: &[u8]) -> impl Iterator<Item = Digest> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let runs = text.split(move |byte| !is_digit(byte)).filter(|run| run.len() == DIGITS);
    runs.filter_map(|run| format!("sha256:{}", std::str::from_utf8(run).ok()?).parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_found_wherever_it_stands() {
        let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
        let text = format!("{{\"a\":\"{one}\",\"b\":[\"{}\"]}} 0{}", other.to_hex(), one.to_hex());
        assert_eq!(digests_in(text.as_bytes()).collect::<Vec<_>>(), [one, other]);
        assert_eq!(digests_in(b"abc").count(), 0);
    }
}
