//! Licence expressions (SPDX, and the old `A/B`) and whether ours can live with them.
//!
//! It is no legal advice and knows nothing of deprecated `+` forms: what it does not understand is not allowed.

/// Licences compatible with shipping under MIT OR Apache-2.0.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // The list of certificate authorities: data, free to use and pass on.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Exceptions that may follow `WITH`.
const ALLOWED_EXCEPTIONS: &[&str] = &["LLVM-exception"];

/// Whether at least one choice that `expression` offers consists of allowed licences only.
pub fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest) == Some(true) && rest.is_empty()
}

fn either(rest: &mut &[&str]) -> Option<bool> {
    let mut allowed = both(rest)?;
    while take(rest, "OR") {
        allowed |= both(rest)?;
    }
    Some(allowed)
}

fn both(rest: &mut &[&str]) -> Option<bool> {
    let mut allowed = single(rest)?;
    while take(rest, "AND") {
        allowed &= single(rest)?;
    }
    Some(allowed)
}

fn single(rest: &mut &[&str]) -> Option<bool> {
    if take(rest, "(") {
        let allowed = either(rest)?;
        return take(rest, ")").then_some(allowed);
    }
    let licence = next(rest)?;
    if take(rest, "WITH") {
        return Some(ALLOWED.contains(&licence) && ALLOWED_EXCEPTIONS.contains(&next(rest)?));
    }
    Some(ALLOWED.contains(&licence))
}

fn next<'a>(rest: &mut &[&'a str]) -> Option<&'a str> {
    let (first, left) = rest.split_first()?;
    *rest = left;
    Some(first)
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    let found = rest.first() == Some(&word);
    if found {
        next(rest);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_choice_is_enough() {
        for expression in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only",
            "MIT OR GPL-3.0-only AND LGPL-2.1-only",
        ] {
            assert!(is_allowed(expression), "{expression}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for expression in [
            "",
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "(MIT OR GPL-3.0-only) AND AGPL-3.0-only",
            "Apache-2.0 WITH Unknown-exception",
            "MIT OR",
            "(MIT",
            "MIT)",
            "MIT MIT",
            "mit",
        ] {
            assert!(!is_allowed(expression), "{expression}");
        }
    }
}
