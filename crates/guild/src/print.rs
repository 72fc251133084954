//! Output for people: what is coloured, cut to the terminal and made harmless.

mod bar;
mod difference;
mod finding;
pub mod json;
mod live;
mod problem;
mod progress;
mod question;
pub mod sarif;
mod size;
mod table;
mod waiting;

pub use bar::Bar;
pub use difference::{difference, difference_lines, mode_change};
pub use finding::finding;
pub use guild_engine::manifest::escape;
pub use live::{LiveOutput, Unread};
pub use problem::{problem, problem_line};
pub use progress::Progress;
pub use question::{told, told_lines};
pub use size::size;
pub use table::{Cell, table};
pub use waiting::Waiting;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// How text is shown.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Whether colour is used.
    pub colour: bool,
    /// The columns of the terminal; `None` where lines may be as long as they are.
    pub width: Option<usize>,
}

/// What a word means; colour never carries meaning alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// As it is.
    Plain,
    /// A heading or a name.
    Bold,
    /// Beside the point.
    Dim,
    /// Good.
    Green,
    /// A warning.
    Yellow,
    /// An error.
    Red,
    /// A hint or a path.
    Cyan,
}

/// A word with its ink.
pub struct Inked<'a> {
    text: &'a str,
    code: Option<&'static str>,
}

impl Style {
    /// The text in an ink, if colour is used.
    pub fn ink<'a>(&self, ink: Ink, text: &'a str) -> Inked<'a> {
        let code = match ink {
            Ink::Plain => None,
            Ink::Bold => Some("1"),
            Ink::Dim => Some("2"),
            Ink::Green => Some("32"),
            Ink::Yellow => Some("33"),
            Ink::Red => Some("31"),
            Ink::Cyan => Some("36"),
        };
        Inked { text, code: code.filter(|_| self.colour) }
    }
}

impl fmt::Display for Inked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "\x1b[{code}m{}\x1b[0m", self.text),
            None => f.write_str(self.text),
        }
    }
}

/// Prints what is known of something, a line each, without what is empty.
pub fn print_facts(facts: &[(&str, String)], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for (label, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        // People copy paths, of which every blank counts.
        let value = match *label {
            "path" | "also at" | "hides" | "script" | "files" => Cow::Owned(escape::exact(value)),
            _ => escape::line(value),
        };
        writeln!(out, "{} {value}", style.ink(Ink::Dim, &format!("{label:<12}")))?;
    }
    Ok(())
}

/// Text that a model is to read: into a pipe exactly as it is, on a terminal made harmless.
pub fn for_models(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal { Cow::Owned(escape::block(text)) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_harmless_text_and_a_pipe_the_exact_one() {
        let text = "a\x1b[2J\n\tb\u{202e}";
        assert_eq!(for_models(text, true), "a\\u{1b}[2J\n\tb\\u{202e}");
        assert_eq!(for_models(text, false), text);
    }
}
