//! Words: how a text falls into pieces that a query can meet.
//!
//! A word is a run of letters and digits, so kebab and snake case part by themselves. `GitHub` is met whole and
//! as `Git` and `Hub`. Scripts that write without blanks are met by character and by pair of characters. Case
//! and endings are left as they are.

/// The runs of letters and digits in `text`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Calls `each` with every piece of a document's `text`.
pub(super) fn pieces(text: &str, mut each: impl FnMut(&str)) {
    for word in words(text) {
        if word.is_ascii() {
            whole_and_parts(word, &mut each);
            continue;
        }
        for run in script_runs(word) {
            if run.starts_with(is_unspaced) {
                run.split_inclusive(|_| true).for_each(&mut each);
                pairs(run).for_each(&mut each);
            } else {
                whole_and_parts(run, &mut each);
            }
        }
    }
}

/// A name that falls into pieces, as one word.
pub(super) fn joined(name: &str) -> Option<String> {
    let is_apart = !name.chars().all(char::is_alphanumeric);
    let joined = || name.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    is_apart.then(joined).filter(|joined| !joined.is_empty())
}

/// Whether a piece can begin with `byte` where `before` stands in front of it.
pub(super) fn can_begin(before: u8, byte: u8) -> bool {
    !before.is_ascii_alphanumeric() || byte.is_ascii_uppercase() || !byte.is_ascii()
}

/// The stretch of `text` around the byte at `at` that no ASCII separator interrupts; no piece reaches out of it.
pub(super) fn stretch(text: &str, at: usize) -> std::ops::Range<usize> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let (before, after) = text.as_bytes().split_at_checked(at).unwrap_or_default();
    let start = at - before.iter().rev().take_while(|byte| is_inside(byte)).count();
    let end = at + after.iter().take_while(|byte| is_inside(byte)).count();
    start..end
}

/// The terms that a query's `word` asks for.
///
/// A query names a thing: `GitHub` asks for it whole, not for `hub`, and characters that stand together are
/// asked for in pairs.
pub(super) fn terms(word: &str) -> impl Iterator<Item = &str> {
    script_runs(word).flat_map(|run| {
        let paired = run.starts_with(is_unspaced) && run.chars().nth(1).is_some();
        let whole = (!paired).then_some(run);
        pairs(run).filter(move |_| paired).chain(whole)
    })
}

/// Whether a script writes `c` without blanks between words: Han, kana, Hangul.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// `word`, cut where a spaced script meets an unspaced one.
fn script_runs(word: &str) -> impl Iterator<Item = &str> {
    cut(word, |before, after, _| is_unspaced(before) != is_unspaced(after))
}

fn whole_and_parts(word: &str, each: &mut impl FnMut(&str)) {
    each(word);
    if !word.chars().skip(1).any(char::is_uppercase) {
        return;
    }
    let mut parts = camel_parts(word).peekable();
    let first = parts.next();
    if parts.peek().is_some() {
        first.into_iter().chain(parts).for_each(each);
    }
}

/// The parts of a camel-case word: `getURLPath` is `get`, `URL`, `Path`, and `APIs` is one part.
fn camel_parts(word: &str) -> impl Iterator<Item = &str> {
    cut(word, |before, after, rest| {
        let begins_word = || rest.chars().take(2).filter(|c| c.is_lowercase()).count() == 2;
        after.is_uppercase() && (!before.is_uppercase() || begins_word())
    })
}

/// Each two neighbouring characters of `run`.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let ends = run.char_indices().map(|(start, c)| start + c.len_utf8()).skip(1);
    run.char_indices().zip(ends).filter_map(|((start, _), end)| run.get(start..end))
}

/// `text`, cut between two characters wherever `apart` says so; it also sees what follows the second one.
fn cut(text: &str, apart: impl Fn(char, char, &str) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut before = rest.chars().next()?;
        let end = rest.char_indices().skip(1).find_map(|(at, after)| {
            let following = rest.get(at + after.len_utf8()..).unwrap_or_default();
            let ends = apart(before, after, following);
            before = after;
            ends.then_some(at)
        });
        let (part, tail) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = tail;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let mut met = Vec::new();
        pieces(text, |piece| met.push(piece.to_owned()));
        let asked: Vec<_> = words(text).flat_map(terms).collect();
        expect.assert_eq(&format!("meets {}\nasks {}", met.join(" "), asked.join(" ")));
    }

    #[test]
    fn separators_part_words() {
        check(
            "code-review_of v2.0, don't",
            expect![[r#"
            meets code review of v2 0 don t
            asks code review of v2 0 don t"#]],
        );
    }

    #[test]
    fn camel_case_is_met_whole_and_in_parts_and_asked_for_whole() {
        check(
            "GitHub getURLPath APIs PDF",
            expect![[r#"
            meets GitHub Git Hub getURLPath get URL Path APIs PDF
            asks GitHub getURLPath APIs PDF"#]],
        );
    }

    #[test]
    fn scripts_without_blanks_are_met_by_character_and_pair() {
        check(
            "代码审查 の pdf文件",
            expect![[r#"
            meets 代 码 审 查 代码 码审 审查 の pdf 文 件 文件
            asks 代码 码审 审查 の pdf 文件"#]],
        );
    }

    #[test]
    fn other_scripts_are_words() {
        check(
            "Überprüfung проверка",
            expect![[r#"
            meets Überprüfung проверка
            asks Überprüfung проверка"#]],
        );
    }
}
