//! One word for one key: `allowed-tools`, `allowed_tools` and `allowedTools` fold to the same text.

use std::borrow::Cow;

/// The key without separators and in lower case.
pub fn fold(key: &str) -> Cow<'_, str> {
    if key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(key);
    }
    Cow::Owned(letters(key).collect())
}

/// Whether two spellings fold to the same word, decided without building either.
#[inline]
pub fn same(a: &str, b: &str) -> bool {
    // Nearly all keys that differ do so in their first letter, and this is asked often.
    match (a.as_bytes().first(), b.as_bytes().first()) {
        (Some(x), Some(y))
            if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() && !x.eq_ignore_ascii_case(y) =>
        {
            false
        }
        // Those that do not differ are mostly spelled alike.
        _ => a == b || same_letters(a, b),
    }
}

fn same_letters(a: &str, b: &str) -> bool {
    let (mut left, mut right) = (a.bytes(), b.bytes());
    loop {
        match (next_letter(&mut left), next_letter(&mut right)) {
            // Letters beyond ASCII have cases of their own.
            (Some(128..), _) | (_, Some(128..)) => return letters(a).eq(letters(b)),
            (Some(x), Some(y)) if x == y => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

fn next_letter(bytes: &mut std::str::Bytes<'_>) -> Option<u8> {
    bytes.find(|byte| !matches!(byte, b'-' | b'_')).map(|byte| byte.to_ascii_lowercase())
}

/// The nearest of `known` to `word`, close enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    let allowed = if folded.chars().count() <= 4 { 1 } else { 2 };
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn letters(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_fold_to_one_word() {
        for key in ["allowed-tools", "allowed_tools", "allowedTools", "AllowedTools", "allowedtools"] {
            assert_eq!(fold(key), "allowedtools");
            assert!(same(key, "allowed-tools"));
        }
    }

    #[test]
    fn different_words_stay_different() {
        assert!(!same("name", "names"));
        assert!(!same("", "-a"));
        assert!(same("", "-_"));
        assert!(same("Größe", "grösse".replace("ss", "ß").as_str()) && same("ÀB", "à_b") && !same("é", "e"));
    }

    #[test]
    fn a_slip_finds_its_word_and_a_different_word_does_not() {
        let known = ["name", "description", "license"];
        assert_eq!(nearest("descripton", known), Some("description"));
        assert_eq!(nearest("nmae", known), Some("name"));
        assert_eq!(nearest("tags", known), None);
    }
}
