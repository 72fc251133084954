//! Which paths a person confirms on their own.
//!
//! The patterns are the caller's: nothing here knows what a name means.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Patterns of paths. A pattern covers what it names, wherever that lies, and everything below; one that begins with `/` is
/// about the top of the source alone. `*` stands for any part of one name. Upper and lower case are the same, as they are on some
/// file systems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensitive {
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    at_top: bool,
    names: Vec<String>,
}

impl Sensitive {
    /// Reads patterns, such as `.git`, `*.toml`, `.github/workflows` or `/Makefile`.
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Sensitive {
        let read = |pattern: P| Pattern {
            at_top: pattern.as_ref().starts_with('/'),
            names: pattern.as_ref().split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        };
        let patterns = patterns.into_iter().map(read).filter(|pattern| !pattern.names.is_empty());
        Sensitive { patterns: patterns.collect() }
    }

    /// Whether a path, relative to the source, is to be confirmed on its own.
    pub fn covers(&self, path: &Path) -> bool {
        let names: Vec<&[u8]> = path.iter().map(OsStrExt::as_bytes).collect();
        self.patterns.iter().any(|pattern| pattern.covers(&names))
    }
}

impl Pattern {
    fn covers(&self, path: &[&[u8]]) -> bool {
        let starts = if self.at_top { 1 } else { path.len() };
        path.windows(self.names.len()).take(starts).any(|window| {
            window.iter().zip(&self.names).all(|(name, pattern)| matches(pattern.as_bytes(), name))
        })
    }
}

/// Whether a pattern with `*` in it matches a whole name, in time that grows with the product of their lengths.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if !pattern.contains(&b'*') {
        return pattern.eq_ignore_ascii_case(name);
    }
    // `reach[i]` says whether the pattern so far matches the first `i` bytes of the name.
    let mut reach = vec![false; name.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for &expected in pattern {
        reach = if expected == b'*' {
            let first = reach.iter().position(|reached| *reached).unwrap_or(reach.len());
            (0..reach.len()).map(|index| index >= first).collect()
        } else {
            let steps = reach
                .iter()
                .zip(name)
                .map(|(reached, byte)| *reached && byte.eq_ignore_ascii_case(&expected));
            std::iter::once(false).chain(steps).collect()
        };
    }
    reach.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, covered: &[&str], not_covered: &[&str]) {
        let sensitive = Sensitive::new([pattern]);
        for (path, expected) in
            covered.iter().map(|path| (path, true)).chain(not_covered.iter().map(|path| (path, false)))
        {
            assert_eq!(sensitive.covers(Path::new(path)), expected, "{pattern} and {path}");
        }
    }

    #[test]
    fn a_name_covers_itself_and_what_is_below_wherever_it_lies() {
        check(
            ".git",
            &[".git", ".git/config", "sub/.git/hooks/x", ".GIT/config"],
            &[".gitignore", "a.git", ""],
        );
    }

    #[test]
    fn several_names_cover_a_run_of_names() {
        check(
            ".github/workflows",
            &[".github/workflows/ci.yml", "sub/.github/workflows"],
            &[".github", ".github/x/workflows", "workflows/.github"],
        );
    }

    #[test]
    fn a_slash_in_front_holds_it_at_the_top() {
        check("/Makefile", &["Makefile", "makefile"], &["sub/Makefile"]);
    }

    #[test]
    fn a_star_is_any_part_of_one_name() {
        check(".env*", &[".env", ".env.local", "a/.environment/b"], &["env", "x.env"]);
        check("*.y*ml", &["a.yml", "b.yaml", ".yml"], &["yml", "a.ym"]);
        check("a*b*c", &["abc", "aXbYc", "abcbc"], &["ab", "acb", "abcd"]);
        check("*", &["a", "a/b"], &[""]);
    }

    #[test]
    fn an_empty_pattern_covers_nothing() {
        check("", &[], &["a", ""]);
        check("//", &[], &["a", ""]);
    }
}
