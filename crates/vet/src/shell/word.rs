//! A word of a command line after expansion: its text as far as it is known, and where it comes from.

use crate::flow::Taint;

/// How much of a word's text is kept.
const MAX_TEXT: usize = 16 * 1024;

/// Into how many words one word is parted at the most.
const MAX_PARTS: usize = 32;

/// Stands for a part of a word that is not known.
pub const UNKNOWN: &str = "\u{fffc}";

/// A word after expansion.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// The text; what is not known stands as it was written.
    pub text: String,
    /// Whether a part of the text is not known.
    pub open: bool,
    /// Of how many variables it was put together.
    pub variables: u8,
    /// Where it comes from.
    pub taint: Taint,
}

impl Word {
    /// A word that is known.
    pub fn known(text: &str) -> Self {
        let mut word = Self::default();
        word.push(text);
        word
    }

    /// A word of which nothing is known.
    pub fn unknown() -> Self {
        Self { open: true, ..Self::default() }
    }

    /// Adds text.
    pub fn push(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.text.len());
        let end = (0..=text.len().min(room)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.open |= end < text.len();
        self.text.push_str(text.get(..end).unwrap_or_default());
    }

    /// The words that it is parted into at blanks, or itself alone.
    pub fn split(self, is_split: bool) -> Vec<Self> {
        let parts = self.text.split_whitespace().take(MAX_PARTS).count();
        if !is_split || parts < 2 {
            return vec![self];
        }
        let part = |text: &str| Self { text: text.to_owned(), ..self.clone() };
        self.text.split_whitespace().take(MAX_PARTS).map(part).collect()
    }

    /// Adds another word.
    pub fn append(&mut self, other: &Self) {
        self.push(&other.text);
        self.open |= other.open;
        self.variables = self.variables.saturating_add(other.variables);
        self.taint.merge(&other.taint);
    }
}
