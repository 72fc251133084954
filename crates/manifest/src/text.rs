//! Bytes to text: byte order marks, line ends, bytes that are no UTF-8, and the way from an offset to a line.

use crate::{Code, Pos, Problem};
use std::borrow::Cow;

/// A decoded file.
#[derive(Debug)]
pub struct Text<'a> {
    /// The text with `\n` line ends and without a byte order mark.
    pub text: Cow<'a, str>,
    /// What had to be mended.
    pub problems: Vec<Problem>,
}

/// Decodes a file that must be text of at most `limit` bytes.
pub fn decode(bytes: &[u8], limit: usize) -> Result<Text<'_>, Problem> {
    if bytes.len() > limit {
        return Err(too_large(bytes.len() as u64, limit));
    }
    let mut problems = Vec::new();
    let text = decode_utf8(bytes, &mut problems);
    // Most files have neither, which one look tells.
    if memchr::memchr2(0, b'\r', text.as_bytes()).is_none() {
        return Ok(Text { text: strip_mark(text, &mut problems), problems });
    }
    if let Some(offset) = memchr::memchr(0, text.as_bytes()) {
        let at = end_of(text.get(..offset).unwrap_or_default());
        let hint = "save the file as plain UTF-8 text";
        return Err(Problem::new(Code::BinaryFile, at, "the file holds a NUL byte", hint));
    }
    Ok(Text { text: unify_line_ends(strip_mark(text, &mut problems)), problems })
}

/// The problem of a file that is not read because of its size.
pub fn too_large(size: u64, limit: usize) -> Problem {
    let message = format!("the file has {size} bytes; the limit is {limit}");
    let hint = "move long material into files under `references/`";
    Problem::new(Code::FileTooLarge, Pos::START, message, hint)
}

fn decode_utf8<'a>(bytes: &'a [u8], problems: &mut Vec<Problem>) -> Cow<'a, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let at = end_of(text.get(..error.valid_up_to()).unwrap_or_default());
            let message = "the file is not UTF-8; the bytes were read as replacement characters";
            problems.push(Problem::new(Code::InvalidUtf8, at, message, "save the file as UTF-8"));
            text
        }
    }
}

fn strip_mark<'a>(text: Cow<'a, str>, problems: &mut Vec<Problem>) -> Cow<'a, str> {
    const MARK: char = '\u{feff}';
    if !text.starts_with(MARK) {
        return text;
    }
    let message = "the file begins with a byte order mark";
    problems.push(Problem::new(
        Code::ByteOrderMark,
        Pos::START,
        message,
        "save the file as UTF-8 without a mark",
    ));
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(MARK).unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix(MARK).map(str::to_owned).unwrap_or(text)),
    }
}

fn unify_line_ends(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_some() {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        text
    }
}

/// The place behind a text whose line ends are still as written.
fn end_of(before: &str) -> Pos {
    let before = unify_line_ends(Cow::Borrowed(before));
    LineIndex::new(&before).place(&before, before.len())
}

/// Where each line of a text begins.
#[derive(Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Indexes `text`.
    pub fn new(text: &str) -> Self {
        let breaks =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(offset, _)| offset + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The place of a byte offset in the same text.
    pub fn place(&self, text: &str, offset: usize) -> Pos {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = text.get(start..offset).map_or(0, |before| before.chars().count());
        Pos::new(clamp(line), clamp(column + 1))
    }
}

/// The lines of a text, each with its end.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        start += end;
        rest.get(..end)
    })
}

/// A count as a line or column number.
pub fn clamp(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(bytes: &[u8], expect: Expect) {
        let shown = match decode(bytes, 64) {
            Err(problem) => problem.to_string(),
            Ok(text) => {
                let problems: String = text.problems.iter().map(|problem| format!("\n{problem}")).collect();
                format!("{:?}{problems}", text.text)
            }
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn every_line_end_becomes_a_newline() {
        check(b"a\r\nb\rc\n", expect![[r#""a\nb\nc\n""#]]);
    }

    #[test]
    fn a_byte_order_mark_is_taken_off_and_told() {
        check(
            b"\xef\xbb\xbf---\n",
            expect![[r#"
            "---\n"
            :1:1: warning[byte_order_mark]: the file begins with a byte order mark"#]],
        );
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced_and_told() {
        check(
            b"a\nb\xff\xfec",
            expect![[r#"
            "a\nb��c"
            :2:2: warning[invalid_utf8]: the file is not UTF-8; the bytes were read as replacement characters"#]],
        );
    }

    #[test]
    fn a_nul_byte_is_no_text() {
        check(b"a\n\0", expect![":2:1: error[binary_file]: the file holds a NUL byte"]);
        check(b"a\rb\r\nc\0", expect![":3:2: error[binary_file]: the file holds a NUL byte"]);
    }

    #[test]
    fn a_file_over_the_limit_is_not_read() {
        check(&[b'a'; 65], expect![":1:1: error[file_too_large]: the file has 65 bytes; the limit is 64"]);
    }
}
