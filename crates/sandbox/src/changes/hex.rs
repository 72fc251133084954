//! Bytes as hexadecimal digits, for digests and for names that are no UTF-8.

/// The digits of `bytes`, in lower case.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a text of digits in lower case.
pub fn bytes(digits: &str) -> Option<Vec<u8>> {
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// The byte of two digits in lower case.
pub fn byte(pair: &[u8]) -> Option<u8> {
    let &[high, low] = pair else { return None };
    Some(value(high)? << 4 | value(low)?)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
