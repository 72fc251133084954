//! One command, its words expanded.

use super::word::Word;
use crate::flow::Taint;

/// A command with its words.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// All words; the first is the name.
    pub words: Vec<Word>,
    /// Where its output and input are redirected to.
    pub redirects: Vec<Redirect>,
    /// What is fed to it: a here-document or here-string.
    pub fed: Option<Word>,
    /// The row it stands on.
    pub row: usize,
}

/// A redirection.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// The operator, such as `>>`.
    pub operator: String,
    /// The file.
    pub target: Word,
}

impl Redirect {
    /// Whether it joins two streams, as `>&2` does, and names no file.
    pub fn is_descriptor(&self) -> bool {
        let target = self.target.text.as_str();
        let is_number = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_digit());
        target.starts_with('&') || (self.operator.ends_with('&') && (is_number || target == "-"))
    }
}

/// Commands that only start another one.
const PREFIXES: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "command",
    "exec",
    "nohup",
    "time",
    "builtin",
    "busybox",
    "nice",
    "ionice",
    "setsid",
    "stdbuf",
    "timeout",
    "xargs",
    "unbuffer",
    "caffeinate",
    "then",
    "do",
    "else",
    "!",
];

/// Options of those commands that take a value.
const VALUED: &[&str] = &["-u", "-g", "-n", "-I", "-P", "-L", "-s", "-k", "-d"];

impl Command {
    /// The words from the program's own name on, without `sudo`, `env A=b` and the like.
    pub fn own(&self) -> &[Word] {
        let mut words = self.words.as_slice();
        while let Some((first, rest)) = words.split_first() {
            if !PREFIXES.contains(&base(&first.text)) {
                break;
            }
            let is_timeout = base(&first.text) == "timeout";
            words = rest;
            while let Some((word, after)) = words.split_first() {
                let is_assignment = word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
                let is_duration = is_timeout && word.text.starts_with(|c: char| c.is_ascii_digit());
                if VALUED.contains(&word.text.as_str()) {
                    words = after.split_first().map_or(after, |(_, rest)| rest);
                } else if word.text.starts_with('-') || is_assignment || is_duration {
                    words = after;
                } else {
                    break;
                }
            }
        }
        words
    }

    /// The program's name without its directory.
    pub fn name(&self) -> &str {
        self.own().first().map_or("", |word| base(&word.text))
    }

    /// The words behind the program's name.
    pub fn args(&self) -> &[Word] {
        self.own().split_first().map_or(&[], |(_, rest)| rest)
    }

    /// The arguments that are no options.
    pub fn operands(&self) -> impl Iterator<Item = &Word> {
        self.args().iter().filter(|word| !word.text.starts_with('-') || word.text == "-")
    }

    /// Whether a short letter or a long option is given; short ones may be joined as in `-rf`.
    pub fn has(&self, short: char, long: &str) -> bool {
        self.args().iter().any(|word| {
            let text = word.text.as_str();
            let is_long = !long.is_empty() && (text == long || text.split('=').next() == Some(long));
            let is_short = text.starts_with('-') && !text.starts_with("--") && text.contains(short);
            is_long || is_short
        })
    }

    /// The values of options, given as the next word, behind `=`, or joined to a short letter.
    pub fn values<'a>(&'a self, options: &'a [&'a str]) -> impl Iterator<Item = Word> + 'a {
        let args = self.args();
        args.iter().enumerate().filter_map(move |(at, word)| {
            let text = word.text.as_str();
            options.iter().find_map(|option| {
                let is_short = option.len() == 2;
                if text == *option || is_short && ends_cluster(text, option) {
                    return args.get(at + 1).cloned();
                }
                let rest = text.strip_prefix(option)?;
                let rest = if is_short { rest } else { rest.strip_prefix('=')? };
                Some(Word { text: rest.to_owned(), ..word.clone() })
            })
        })
    }

    /// What is known of all its words together.
    pub fn taint(&self) -> Taint {
        let mut taint = Taint::default();
        self.words.iter().chain(&self.fed).for_each(|word| taint.merge(&word.taint));
        taint
    }
}

/// Whether short options are joined and the last one is this, as `-o` in `-fsSLo`.
fn ends_cluster(text: &str, option: &str) -> bool {
    let letters =
        text.strip_prefix('-').filter(|rest| rest.len() > 1 && rest.bytes().all(|b| b.is_ascii_alphabetic()));
    letters.is_some_and(|letters| option.strip_prefix('-').is_some_and(|letter| letters.ends_with(letter)))
}

/// The last part of a path, lower case spelling left as it is.
pub fn base(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// Whether a text can be a variable's name.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
