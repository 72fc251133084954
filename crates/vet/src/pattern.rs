//! Patterns over text: linear in its length, without case, letters meaning those of ASCII.
//!
//! They match bytes; what a pattern names is ASCII, so that offsets fall between characters.

use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A pattern that is compiled when it is first needed.
pub struct Pattern(LazyLock<Option<Regex>>);

impl Pattern {
    /// A pattern made by a function; `pattern!` writes it.
    pub const fn new(make: fn() -> Option<Regex>) -> Self {
        Self(LazyLock::new(make))
    }

    /// Whether it occurs in a text.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    /// Where it occurs first.
    pub fn first(&self, text: &str) -> Option<Range<usize>> {
        self.0.as_ref()?.find(text.as_bytes()).map(|found| found.range())
    }

    /// Where its group of this number occurs first.
    pub fn group(&self, text: &str, number: usize) -> Option<Range<usize>> {
        Some(self.0.as_ref()?.captures(text.as_bytes())?.get(number)?.range())
    }

    /// Everything it matches, with its offset.
    pub fn all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let found = self.0.as_ref().map(|regex| regex.find_iter(text.as_bytes()));
        let ranges = found.into_iter().flatten().map(|found| found.range());
        ranges.filter_map(|range| Some((range.start, text.get(range)?)))
    }

    /// Whether it could be compiled; only a mistake in this crate makes it not so.
    #[cfg(test)]
    pub fn is_sound(&self) -> bool {
        self.0.is_some()
    }
}

/// Declares patterns, and a test that they are sound.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $($text:expr),+;)+) => {
        $(
            $(#[$doc])*
            static $name: $crate::pattern::Pattern =
                $crate::pattern::Pattern::new(|| regex::bytes::Regex::new(concat!("(?i-u)", $($text),+)).ok());
        )+

        #[cfg(test)]
        mod soundness {
            #[test]
            fn every_pattern_compiles() {
                $(assert!(super::$name.is_sound(), stringify!($name));)+
            }
        }
    };
}
pub(crate) use patterns;
