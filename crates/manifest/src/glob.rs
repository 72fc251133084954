//! File patterns as strangers write them: one that cannot be used is an error and never a panic, whatever it is.
//!
//! What a pattern is held against, and from where, is the caller's to say.

use globset::{Glob, GlobBuilder, GlobSet};
use std::path::Path;

/// Nobody writes a longer one, and what it takes grows with it.
const LONGEST: usize = 1_024;
/// How deep braces may nest; far below what the compiler of patterns gives up at.
const DEEPEST: usize = 16;

/// A pattern such as `src/{a,b}/**/*.ts`, in which `*` stops at a slash.
#[derive(Debug, Clone)]
pub struct Pattern(GlobSet);

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// The reason why it is none, as the end of a sentence.
    pub fn new(text: &str) -> Result<Self, String> {
        // A set says when it cannot be compiled; what matches a single pattern panics.
        let set = GlobSet::builder().add(parsed(text)?).build();
        set.map(Self).map_err(|error| error.kind().to_string())
    }

    /// Whether a text is a pattern, without compiling it, which takes longer.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn check(text: &str) -> Result<(), String> {
        parsed(text).map(drop)
    }

    /// Whether it matches a path.
    pub fn matches(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }
}

fn parsed(text: &str) -> Result<Glob, String> {
    if text.len() > LONGEST {
        return Err(format!("it has {} bytes, and the limit is {LONGEST}", text.len()));
    }
    if depth(text) > DEEPEST {
        return Err(format!("its braces are nested deeper than {DEEPEST}"));
    }
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    glob.map_err(|error| error.kind().to_string())
}

/// How deep braces may nest at the most; those in brackets and behind a backslash count too.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_cannot_be_compiled_is_refused_and_never_a_panic() {
        let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        for (text, reason) in [
            (nested(17), "its braces are nested deeper than 16"),
            (nested(500), "its braces are nested deeper than 16"),
            (nested(30_000), "it has 60001 bytes, and the limit is 1024"),
            ("[".to_owned(), "unclosed character class; missing ']'"),
        ] {
            assert_eq!(Pattern::new(&text).err().as_deref(), Some(reason));
            assert_eq!(Pattern::check(&text).err().as_deref(), Some(reason));
        }
    }

    #[test]
    fn whatever_passes_the_check_can_be_compiled() {
        let longest = [
            "{".repeat(16) + &"a,".repeat(490) + &"}".repeat(16),
            "{a,b}".repeat(200),
            "**/".repeat(341),
            "[!a-zß-ü]".repeat(90),
            "?".repeat(1_024),
        ];
        for text in longest {
            assert_eq!(Pattern::check(&text), Ok(()), "{text}");
            assert!(Pattern::new(&text).is_ok(), "{text}");
        }
    }
}
