//! From offsets to lines, for offsets that only grow: each byte of a text is counted once.

/// Counts lines up to offsets of a text.
pub struct Rows<'a> {
    text: &'a str,
    at: usize,
    row: usize,
}

impl<'a> Rows<'a> {
    /// A counter at the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, row: 0 }
    }

    /// The row of an offset, from zero; offsets never go back.
    pub fn row(&mut self, offset: usize) -> usize {
        let passed = self.text.as_bytes().get(self.at..offset).unwrap_or_default();
        self.row += memchr::memchr_iter(b'\n', passed).count();
        self.at = self.at.max(offset);
        self.row
    }

    /// The line of an offset, from one.
    pub fn line(&mut self, offset: usize) -> u32 {
        u32::try_from(self.row(offset) + 1).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_where_the_last_offset_was() {
        let mut rows = Rows::new("a\nb\n\nc");
        assert_eq!([0, 2, 2, 5].map(|offset| rows.line(offset)), [1, 2, 2, 4]);
    }
}
