//! Names from elsewhere: which lead downwards alone, which are one on some file systems, and which cannot be seen.

use guild_manifest::escape;
use unicode_normalization::UnicodeNormalization as _;

/// The names of a path that leads downwards alone; `None` for any other. `./` in front and a slash at the end say nothing.
pub fn plain(path: &str) -> Option<Vec<&str>> {
    if path.starts_with('/') || path.contains(['\\', '\0']) || has_drive(path) {
        return None;
    }
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    (!names.contains(&"..")).then_some(names)
}

/// `C:` begins at a root on some systems.
fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// What a path is where capitals and small letters, and ways to write one letter, are not told apart. Letters that are two as capitals,
/// such as ß, are two small ones as well.
pub fn fold(path: &str) -> String {
    path.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

/// Whether the link at `path` leads out of the root, by its text.
pub fn leads_out(path: &str, target: &str) -> bool {
    if target.is_empty() || target.starts_with('/') || target.contains(['\\', '\0']) || has_drive(target) {
        return true;
    }
    let mut depth = path.split('/').count() - 1;
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// Whether a character cannot be seen, or changes how others are seen. What joins letters belongs into texts, and not into names.
pub fn is_unseen(char: char) -> bool {
    escape::is_unseen(char) || matches!(char, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ways_down_are_plain() {
        for path in ["../a", "a/../b", "/a", "a\\..\\b", "C:/a", "c:a", "a\0b", "a/.."] {
            assert_eq!(plain(path), None, "{path}");
        }
        assert_eq!(plain("./a//b/"), Some(vec!["a", "b"]));
        assert_eq!(plain("./"), Some(vec![]));
        assert_eq!(plain("..."), Some(vec!["..."]));
    }

    #[test]
    fn names_that_some_file_systems_take_for_one_are_one() {
        assert_eq!(fold("SKILL.md"), fold("skill.MD"));
        assert_eq!(fold("caf\u{e9}"), fold("cafe\u{301}"));
        assert_eq!(fold("stra\u{df}e"), fold("STRASSE"));
        assert_eq!(fold("\u{3c2}"), fold("\u{3a3}"));
        assert_ne!(fold("a"), fold("b"));
    }

    #[test]
    fn letters_that_nobody_sees_are_unseen() {
        for letter in
            ["\u{7}", "\u{202e}", "\u{200d}", "\u{61c}", "\u{180e}", "\u{3164}", "\u{e0041}", "\u{fe01}"]
        {
            assert!(letter.chars().all(is_unseen), "{letter:?}");
        }
        assert!(!"größe 名前 ❤️.md".chars().any(is_unseen));
    }

    #[test]
    fn links_are_judged_from_where_they_lie() {
        assert!(!leads_out("a/b", "../c") && !leads_out("a/b", "c/../d"));
        for target in ["../../c", "/etc/passwd", "c/../../../d", "", "C:\\x"] {
            assert!(leads_out("a/b", target), "{target}");
        }
        assert!(leads_out("a", ".."));
    }
}
