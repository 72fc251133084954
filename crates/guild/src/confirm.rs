//! Asking a person at a terminal: only a whole word decides, and Enter alone is never one.

use std::io::{self, BufRead, Write};

/// Asks until one of the words is typed; nothing where the person goes away.
pub fn choose<'w>(question: &str, words: &[&'w str]) -> io::Result<Option<&'w str>> {
    choose_from(&mut io::stdin().lock(), &mut io::stderr().lock(), question, words)
}

/// A line that is typed, without its end; nothing where the person goes away.
pub fn type_in(label: &str) -> io::Result<Option<String>> {
    let (mut input, mut out, mut line) = (io::stdin().lock(), io::stderr().lock(), String::new());
    write!(out, "{label}: ")?;
    out.flush()?;
    let is_over = input.read_line(&mut line)? == 0;
    Ok((!is_over).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn choose_from<'w>(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    question: &str,
    words: &[&'w str],
) -> io::Result<Option<&'w str>> {
    loop {
        write!(out, "{question} [{}] ", words.join("/"))?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(None);
        }
        let typed = line.trim();
        if let Some(word) = words.iter().find(|word| **word == typed) {
            return Ok(Some(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Option<&'static str> {
        choose_from(&mut text.as_bytes(), &mut Vec::new(), "Sure?", &["yes", "no"]).unwrap()
    }

    #[test]
    fn enter_alone_and_half_a_word_are_no_answer() {
        assert_eq!(typed("\n\ny\nYES\nno\nyes\n"), Some("no"));
        assert_eq!(typed(" yes \n"), Some("yes"));
        assert_eq!(typed("\n\n"), None);
        assert_eq!(typed(""), None);
    }
}
