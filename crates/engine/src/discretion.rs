//! Values that must not be kept, taken out of what is: transcripts of child agents, and what scripts have printed.

use std::borrow::Cow;

/// A shorter value stands in too many texts by chance to be hidden.
const SHORTEST_SECRET: usize = 6;
/// What stands for a secret.
pub const HIDDEN: &str = "<secret>";

/// Values that are hidden.
#[derive(Debug, Clone, Default)]
pub struct Discretion {
    /// A value that holds another goes first, lest its rest stay.
    secrets: Vec<String>,
}

impl Discretion {
    /// Hides this value, too.
    pub fn hide(&mut self, secret: &str) {
        let secret = secret.trim();
        if secret.len() < SHORTEST_SECRET {
            return;
        }
        self.secrets.push(secret.to_owned());
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        self.secrets.dedup();
    }

    /// The text without the values that are hidden.
    pub fn text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), HIDDEN) } else { text }
        })
    }

    /// The same for output that may be no text.
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.secrets.iter().fold(Cow::Borrowed(bytes), |bytes, secret| {
            match replaced(&bytes, secret.as_bytes()) {
                Some(replaced) => Cow::Owned(replaced),
                None => bytes,
            }
        })
    }
}

/// The bytes with every occurrence of a secret hidden, if there is one.
fn replaced(bytes: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let find = |rest: &[u8]| rest.windows(secret.len()).position(|window| window == secret);
    let mut at = find(bytes)?;
    let (mut kept, mut rest) = (Vec::new(), bytes);
    loop {
        kept.extend_from_slice(rest.get(..at).unwrap_or_default());
        kept.extend_from_slice(HIDDEN.as_bytes());
        rest = rest.get(at + secret.len()..).unwrap_or_default();
        match find(rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    kept.extend_from_slice(rest);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_in_bytes_as_in_text() {
        let mut discretion = Discretion::default();
        ["hunter22", "tiny", "hunter22-and-more"].iter().for_each(|secret| discretion.hide(secret));
        let text = "hunter22 tiny hunter22-and-more.";
        assert_eq!(discretion.text(text), "<secret> tiny <secret>.");
        assert_eq!(&*discretion.bytes(text.as_bytes()), b"<secret> tiny <secret>.");
        assert_eq!(&*discretion.bytes(b"\xffhunter22\xfe"), b"\xff<secret>\xfe");
        assert!(matches!(discretion.bytes(b"nothing"), Cow::Borrowed(_)));
    }
}
