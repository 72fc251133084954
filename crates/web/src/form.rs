//! Fields as browsers send them, in a query or in a form's body: `name=value&name=value`.

/// The first field of a name.
pub(crate) fn field(text: &[u8], name: &str) -> Option<String> {
    fields(text).find(|(found, _)| found == name).map(|(_, value)| value)
}

/// Every field, in order.
pub(crate) fn fields(text: &[u8]) -> impl Iterator<Item = (String, String)> {
    let pairs = text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let mut parts = pair.splitn(2, |byte| *byte == b'=');
        let mut next = || decoded(parts.next().unwrap_or_default());
        (next(), next())
    })
}

/// A text as it stands in an address, whatever it holds.
pub(crate) fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if is_plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

fn decoded(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match (first, escaped(after)) {
            (b'+', _) => bytes.push(b' '),
            (b'%', Some((byte, after))) => {
                bytes.push(byte);
                rest = after;
            }
            _ => bytes.push(first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte that two digits stand for, and what follows them.
fn escaped(text: &[u8]) -> Option<(u8, &[u8])> {
    let [high, low, rest @ ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = digit(*high)? << 4 | digit(*low)?;
    Some((u8::try_from(byte).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_browsers_write_them() {
        let read: Vec<(String, String)> = fields(b"a=1&b=x+y%2fz&&c&d=%zz%4&e=%C3%A4=1").collect();
        let read: Vec<(&str, &str)> =
            read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(read, [("a", "1"), ("b", "x y/z"), ("c", ""), ("d", "%zz%4"), ("e", "ä=1")]);
        assert_eq!(field(b"a=1&a=2", "a").as_deref(), Some("1"));
        assert_eq!(field(b"", "a"), None);
    }

    #[test]
    fn every_text_survives_an_address() {
        for text in ["", "a/b c", "<script>", "ä&=+%", "\u{202e}"] {
            let query = format!("q={}", encoded(text));
            assert_eq!(field(query.as_bytes(), "q").as_deref(), Some(text));
        }
    }
}
