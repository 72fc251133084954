//! Rust files as the checks see them: code without comments and literals, and shipped code without tests.
//!
//! It knows just enough of the grammar to tell text from code. It does not parse: macros, `cfg` other than
//! `cfg(test)` and generated code are taken as they stand.

mod mask;

use std::ops::Range;

use self::mask::{blank, mask};
use super::tree::{Tree, crate_folder, is_test_data};

/// One Rust file of the workspace.
pub struct RustSource<'a> {
    /// The path from the repository's root.
    pub path: &'a str,
    /// The file as it is.
    pub text: &'a str,
    /// The file with blanks for comments and literals; lines stay where they are.
    pub code: String,
    /// The byte ranges of `text` and `code` that are compiled for tests only.
    pub tests: Vec<Range<usize>>,
}

impl<'a> RustSource<'a> {
    /// Reads one file.
    pub fn new(path: &'a str, text: &'a str) -> Self {
        let code = mask(text);
        let whole = 0..text.len();
        let tests = if is_test_path(path) { vec![whole] } else { test_items(&code) };
        Self { path, text, code, tests }
    }

    /// The folder below `crates/` that the file belongs to, or `xtask`.
    pub fn crate_name(&self) -> &'a str {
        crate_folder(self.path).unwrap_or("xtask")
    }

    /// The code that is compiled outside tests; lines stay where they are.
    pub fn shipped(&self) -> String {
        let mut shipped = self.code.clone();
        for range in &self.tests {
            if let Some(code) = self.code.get(range.clone()) {
                shipped.replace_range(range.clone(), &blank(code));
            }
        }
        shipped
    }

    /// The text that is compiled for tests only.
    pub fn test_texts(&self) -> impl Iterator<Item = &'a str> {
        self.tests.iter().filter_map(|range| self.text.get(range.clone()))
    }
}

/// The Rust files of our crates and of xtask, test data left out.
pub fn rust_sources(tree: &Tree) -> impl Iterator<Item = RustSource<'_>> {
    tree.texts()
        .filter(|(path, _)| path.ends_with(".rs") && !is_test_data(path))
        .filter(|(path, _)| path.starts_with("crates/") || path.starts_with("xtask/"))
        .map(|(path, text)| RustSource::new(path, text))
}

/// The lines where `word` stands in `code` as a word of its own, or in an expanded `use`.
pub fn mentions(code: &str, word: &str) -> Vec<usize> {
    let direct = words_at(code, word).map(|at| line_of(code, at));
    let imported = imports(code)
        .into_iter()
        .filter(|(_, path)| words_at(path, word).next().is_some())
        .map(|(line, _)| line);
    let mut lines: Vec<usize> = direct.chain(imported).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The byte offsets where `word` stands in `text` with no letter, digit or underscore beside it.
pub fn words_at<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        let open_left = word.starts_with(is_word) && before.is_some_and(is_word);
        let open_right = word.ends_with(is_word) && after.is_some_and(is_word);
        !open_left && !open_right
    })
}

/// The line, counted from one, of the byte offset `at`.
pub fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn is_test_path(path: &str) -> bool {
    let in_folder = path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples"));
    in_folder || path.ends_with("/tests.rs")
}

/// The items behind `#[cfg(test)]`, attribute and all.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for (start, attribute) in code.match_indices("#[cfg(test)]") {
        if items.last().is_none_or(|item| item.end <= start) {
            let rest = code.get(start + attribute.len()..).unwrap_or_default();
            items.push(start..start + attribute.len() + item_length(rest));
        }
    }
    items
}

/// The length of the item that `rest` begins with: up to its `;`, or to the brace that closes it.
fn item_length(rest: &str) -> usize {
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            b'{' => braces += 1,
            b'}' if braces <= 1 => return at + 1,
            b'}' => braces -= 1,
            b';' if braces == 0 && brackets == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Every path that a `use` names, with groups written out.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    for at in words_at(code, "use") {
        let rest = code.get(at + "use".len()..).unwrap_or_default();
        if let Some(end) = rest.find(';') {
            let mut expanded = Vec::new();
            expand("", rest.get(..end).unwrap_or_default(), &mut expanded);
            paths.extend(expanded.into_iter().map(|path| (line_of(code, at), path)));
        }
    }
    paths
}

fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let group = tree.split_once('{').and_then(|(head, rest)| Some((head, rest.rsplit_once('}')?.0)));
    let Some((head, inner)) = group else {
        return paths.push(format!("{prefix}{tree}"));
    };
    let prefix = format!("{prefix}{}", head.trim());
    let mut depth = 0_usize;
    for part in inner.split(|char| {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0
    }) {
        expand(&prefix, part, paths);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check_shipped(text: &str, expect: &Expect) {
        let shipped = RustSource::new("crates/a/src/lib.rs", text).shipped();
        assert_eq!(shipped.lines().count(), text.lines().count());
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let kept: Vec<String> = shipped.lines().map(words).filter(|line| !line.is_empty()).collect();
        expect.assert_eq(&kept.join("\n"));
    }

    #[test]
    fn test_items_are_not_shipped() {
        check_shipped(
            "
            fn a() {}
            #[cfg(test)]
            impl A { fn b() { if c {} } }
            fn d() {}
            #[cfg(test)]
            mod outside;
            fn e() {}
            #[cfg(test)]
            fn f(g: [u8; 2]) { h }
            #[cfg(test)]
            mod tests {
                #[cfg(test)]
                fn i() {}
            }
            fn j() {}
            ",
            &expect![[r#"
                fn a() {}
                fn d() {}
                fn e() {}
                fn j() {}"#]],
        );
    }

    #[test]
    fn test_files_are_tests_as_a_whole() {
        for path in ["crates/a/tests/it.rs", "crates/a/src/parse/tests.rs", "crates/a/benches/b.rs"] {
            assert_eq!(RustSource::new(path, "fn a() {}").shipped().trim(), "", "{path}");
        }
    }

    #[test]
    fn words_are_found_whole_and_in_groups_of_imports() {
        let code = "use std::{\n  io::{self, Write},\n  fs,\n};\nmy_std::fs;\nstd::fs_err;\nstd::fs::read();\neprintln!();";
        assert_eq!(mentions(code, "std::fs"), [1, 7]);
        assert_eq!(mentions(code, "std::io"), [1]);
        assert_eq!(mentions(code, "println!"), [0_usize; 0]);
        assert_eq!(mentions(code, "eprintln!"), [8]);
    }
}
