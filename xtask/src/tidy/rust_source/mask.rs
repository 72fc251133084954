//! Telling code from text: comments and literals become blanks, so that words in them are not taken for code.
//!
//! It knows the lexical grammar of comments, strings and characters, and nothing of what stands between them.

/// The text with blanks of the same length for comments and literals.
pub fn mask(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let hidden = hidden_length(rest);
        let (taken, left) = rest.split_at(hidden.unwrap_or(next.len_utf8()));
        if hidden.is_some() {
            code.push_str(&blank(taken));
        } else {
            code.push_str(taken);
        }
        rest = left;
    }
    code
}

/// Blanks of the same length in bytes, with the line breaks kept.
pub fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// The length of the comment or literal that `rest` begins with.
fn hidden_length(rest: &str) -> Option<usize> {
    let length = match rest.as_bytes() {
        [b'/', b'/', ..] => rest.find('\n'),
        [b'/', b'*', ..] => block_comment_length(rest),
        [b'"', ..] => quoted_length(rest, '"'),
        [b'r', b'#' | b'"', ..] => return raw_string_length(rest),
        [b'\'', b'\\', ..] => quoted_length(rest, '\''),
        [b'\'', ..] => return char_length(rest),
        _ => return None,
    };
    // What is never closed reaches to the end of the file.
    Some(length.unwrap_or(rest.len()))
}

fn block_comment_length(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut pairs = rest.bytes().zip(rest.bytes().skip(1)).enumerate();
    while let Some((at, pair)) = pairs.next() {
        match pair {
            (b'/', b'*') => depth += 1,
            (b'*', b'/') if depth == 1 => return Some(at + 2),
            (b'*', b'/') => depth -= 1,
            _ => continue,
        }
        pairs.next();
    }
    None
}

/// The length of a literal between two `quote`s, with backslash escapes.
fn quoted_length(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, char) in rest.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of `r#"…"#`; none for a raw identifier.
fn raw_string_length(rest: &str) -> Option<usize> {
    let hashes = rest.bytes().skip(1).take_while(|byte| *byte == b'#').count();
    let body = rest.get(1 + hashes..)?.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(body.find(&close).map_or(rest.len(), |at| 2 + hashes + at + close.len()))
}

/// The length of a character literal without a backslash; none for a lifetime.
fn char_length(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(2);
    chars.next().filter(|(_, char)| *char == '\'').map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &Expect) {
        let code = mask(text);
        assert_eq!((code.len(), code.lines().count()), (text.len(), text.lines().count()));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let kept: Vec<String> = code.lines().map(words).filter(|line| !line.is_empty()).collect();
        expect.assert_eq(&kept.join("\n"));
    }

    #[test]
    fn comments_and_literals_are_not_code() {
        check(
            r##"
            //! unsafe in a module doc
            let a = 1; // unsafe
            let b = "unsafe \" unsafe"; c
            let d = r#"unsafe " unsafe"#; e /* unsafe /* nested */ unsafe */ f
            let g = b'\''; h
            let i: &'static str = '"'; j
            let k = r#type;
            let l = 'é'; m
            "##,
            &expect![[r#"
                let a = 1;
                let b = ; c
                let d = ; e f
                let g = b ; h
                let i: &'static str = ; j
                let k = r#type;
                let l = ; m"#]],
        );
    }

    #[test]
    fn an_open_literal_hides_the_rest() {
        check("a\n\"open\nunsafe", &expect!["a"]);
        check("a\nr#\"open\"\nunsafe", &expect!["a"]);
        check("a\n/* open\nunsafe", &expect!["a"]);
    }
}
