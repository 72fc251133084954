//! Which ASCII text a name looks like: what Unicode calls its skeleton, where that is ASCII.
//!
//! The table is text without pointers. As one of pointers it would be the largest that the loader moves addresses in, at every start
//! of the command, and a name that is not ASCII is rare.

use std::sync::LazyLock;

/// A line for each text: the text in quotation marks, and the characters that look like it, alone or from one to another.
const TABLE: &str = include_str!("imitated.txt");

/// Characters from the first to the second look like the text.
type Range = (u32, u32, &'static str);

/// The ASCII text that a text looks like, without control characters; none where something in it looks like nothing in ASCII.
pub fn imitated(text: &str) -> Option<String> {
    // Read once: a hostile name may be as long as a file.
    static RANGES: LazyLock<Vec<Range>> = LazyLock::new(ranges);
    text.chars().filter(|c| !c.is_ascii_control()).map(|c| find(&RANGES, c)).collect()
}

fn find(ranges: &[Range], c: char) -> Option<&'static str> {
    let behind = ranges.partition_point(|(first, ..)| *first <= c.into());
    let (_, last, text) = ranges.get(behind.checked_sub(1)?)?;
    (u32::from(c) <= *last).then_some(*text)
}

/// The table in the order of characters.
fn ranges() -> Vec<Range> {
    let mut ranges: Vec<Range> = TABLE.lines().flat_map(of_line).collect();
    ranges.sort_unstable();
    ranges
}

fn of_line(line: &'static str) -> impl Iterator<Item = Range> {
    let parts = line.strip_prefix('"').and_then(|line| line.rsplit_once("\" "));
    parts.into_iter().flat_map(|(text, characters)| {
        characters.split(' ').filter_map(move |range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let code = |hex| u32::from_str_radix(hex, 16).ok();
            Some((code(first)?, code(last)?, text))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect_file;
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    use unicode_security::confusable_detection::skeleton;

    /// The skeleton of each character that has one in ASCII, as the crate for this says.
    fn skeletons() -> BTreeMap<String, Vec<u32>> {
        let mut all: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for c in '\0'..=char::MAX {
            let skeleton: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
            if skeleton.is_ascii() && !c.is_ascii_control() {
                all.entry(skeleton).or_default().push(c.into());
            }
        }
        all
    }

    #[test]
    fn the_table_is_what_unicode_says() {
        let mut table = String::new();
        for (text, characters) in skeletons() {
            write!(table, "\"{text}\"").unwrap();
            for run in characters.chunk_by(|a, b| a + 1 == *b) {
                match run {
                    [first, .., last] => write!(table, " {first:x}-{last:x}"),
                    _ => write!(table, " {:x}", run[0]),
                }
                .unwrap();
            }
            table.push('\n');
        }
        expect_file!["imitated.txt"].assert_eq(&table);
    }

    #[test]
    fn every_character_is_found_where_the_table_has_it() {
        let ranges = ranges();
        for (text, characters) in skeletons() {
            for c in characters.into_iter().filter_map(char::from_u32) {
                assert_eq!(find(&ranges, c), Some(text.as_str()), "{c:?}");
            }
        }
        let found = ('\0'..=char::MAX).filter(|c| find(&ranges, *c).is_some()).count();
        assert_eq!(found, skeletons().values().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn a_text_looks_like_its_skeleton() {
        for text in
            ["paypal", "раураl", "ｇｕｉｌｄ", "ﬁle", "𝐦y-skill", "a\u{200b}b", "Größe", "名前", "ａ50%"]
        {
            let skeleton: String = skeleton(text).collect();
            assert_eq!(imitated(text), Some(skeleton).filter(|skeleton| skeleton.is_ascii()), "{text}");
        }
    }
}
