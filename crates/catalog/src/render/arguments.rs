//! The arguments of one invocation: the text as it was given, and the words in it.
//!
//! Words are split as a shell splits them, with three kindnesses for prose: `#` begins no comment, a quote that
//! is never closed is a character like any other, and a backslash stays unless it stands before white space, a quote
//! or a backslash. Nothing is expanded.

/// What a skill was invoked with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    raw: String,
    words: Vec<String>,
}

impl Arguments {
    /// Arguments that arrive as words, as a command line gives them; as one text they are joined by spaces.
    pub fn from_words(words: &[String]) -> Self {
        Self { raw: words.join(" "), words: words.to_vec() }
    }

    /// Arguments that arrive as one text, as a person or a model types them.
    pub fn from_text(text: &str) -> Self {
        Self { raw: text.to_owned(), words: split(text) }
    }

    /// The text as it was given.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The words, without the quotes around them.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.raw.trim().is_empty()
    }
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        if first.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        rest = match first {
            '\'' | '"' => push_quoted(word, first, rest),
            '\\' => {
                push_escaped(word, rest, |next| next.is_whitespace() || matches!(next, '\\' | '\'' | '"'))
            }
            _ => {
                word.push(first);
                rest
            }
        };
    }
    words.extend(word);
    words
}

/// Adds what stands before the closing `quote` and returns what follows it; without one the quote is a character.
fn push_quoted<'a>(word: &mut String, quote: char, text: &'a str) -> &'a str {
    let mut quoted = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        if first == quote {
            word.push_str(&quoted);
            return rest;
        }
        if first == '\\' && quote == '"' {
            rest = push_escaped(&mut quoted, rest, |next| matches!(next, '\\' | '"'));
        } else {
            quoted.push(first);
        }
    }
    word.push(quote);
    text
}

/// Adds the character after a backslash if it is one that can be escaped, else the backslash itself.
fn push_escaped<'a>(word: &mut String, rest: &'a str, escapable: impl Fn(char) -> bool) -> &'a str {
    let mut chars = rest.chars();
    match chars.next() {
        Some(next) if escapable(next) => {
            word.push(next);
            chars.as_str()
        }
        _ => {
            word.push('\\');
            rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let arguments = Arguments::from_text(text);
        assert_eq!(arguments.raw(), text);
        expect.assert_eq(&format!("{:?}", arguments.words()));
    }

    #[test]
    fn white_space_parts_words() {
        check("  a\tb \n c ", expect![[r#"["a", "b", "c"]"#]]);
        check(" ", expect!["[]"]);
    }

    #[test]
    fn quotes_hold_words_together_and_go() {
        check(
            r#""my widget" 'to the' --name="a b"c ''"#,
            expect![[r#"["my widget", "to the", "--name=a bc", ""]"#]],
        );
    }

    #[test]
    fn double_quotes_know_escapes_and_single_quotes_do_not() {
        check(r#""a \"b\" \\ \n" 'a \"b\'"#, expect![[r#"["a \"b\" \\ \\n", "a \\\"b\\"]"#]]);
    }

    #[test]
    fn a_backslash_escapes_white_space_quotes_and_itself_only() {
        check(
            r#"a\ b \'c \\d C:\temp \$1 end\"#,
            expect![[r#"["a b", "'c", "\\d", "C:\\temp", "\\$1", "end\\"]"#]],
        );
    }

    #[test]
    fn a_quote_that_is_never_closed_is_a_character() {
        check("don't stop", expect![[r#"["don't", "stop"]"#]]);
        check(r#"5" disk"#, expect![[r#"["5\"", "disk"]"#]]);
    }

    #[test]
    fn issue_numbers_variables_and_operators_are_plain_words() {
        check("#123 $HOME a|b > c;", expect![[r##"["#123", "$HOME", "a|b", ">", "c;"]"##]]);
    }

    #[test]
    fn words_of_a_command_line_are_kept_and_joined_by_spaces() {
        let words = ["a b".to_owned(), "c".to_owned()];
        let arguments = Arguments::from_words(&words);
        assert_eq!((arguments.raw(), arguments.words()), ("a b c", words.as_slice()));
        assert!(Arguments::from_words(&[]).is_empty());
        assert!(Arguments::from_text(" \n").is_empty());
    }
}
