//! Which language a file or a fence is written in.

use crate::syntax::Grammar;

/// How a text is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// By its syntax tree.
    Parsed(Grammar),
    /// A session at a terminal: commands behind prompts, and their output.
    Session,
    /// Prose with markup.
    Markdown,
    /// A page or an image made of elements.
    Markup,
    /// A script in another language.
    Script,
    /// Anything else that is text.
    Text,
}

/// The language of a file, by its name and its first line.
pub fn of_file(path: &str, text: &str) -> Language {
    let name = path.rsplit(['/', '!']).next().unwrap_or_default().to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "md" | "markdown" | "mdx" | "mdc" | "rst" | "txt" | "adoc" => Language::Markdown,
        "svg" | "html" | "htm" | "xhtml" | "xml" | "vue" | "svelte" => Language::Markup,
        _ => match of_word(extension).or_else(|| of_shebang(text)) {
            Some(language) => language,
            None => Language::Text,
        },
    }
}

/// The language of a fence, by its first word.
pub fn of_fence(info: &str) -> Language {
    let word = info
        .split([' ', ',', '{', ':'])
        .next()
        .unwrap_or_default()
        .trim_start_matches('.')
        .to_ascii_lowercase();
    match word.as_str() {
        "" => Language::Parsed(Grammar::Shell),
        "console" | "terminal" | "shell-session" | "sh-session" | "bash-session" | "session" => {
            Language::Session
        }
        "markdown" | "md" => Language::Markdown,
        "html" | "svg" | "xml" => Language::Markup,
        "shell" | "dotenv" => Language::Parsed(Grammar::Shell),
        word => of_word(word).unwrap_or(Language::Text),
    }
}

fn of_word(word: &str) -> Option<Language> {
    Some(match word {
        "sh" | "bash" | "zsh" | "ksh" | "command" | "fish" | "ash" | "dash" | "bats" => {
            Language::Parsed(Grammar::Shell)
        }
        "py" | "pyw" | "python" | "python3" | "pyi" => Language::Parsed(Grammar::Python),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "tsx" | "mts" | "cts" | "javascript" | "typescript"
        | "node" => Language::Parsed(Grammar::JavaScript),
        "ps1" | "psm1" | "powershell" | "pwsh" | "bat" | "cmd" | "rb" | "ruby" | "pl" | "perl" | "php"
        | "lua" | "go" | "rs" | "java" | "applescript" | "scpt" | "vbs" | "swift" | "kt" | "cs" | "awk"
        | "tcl" => Language::Script,
        _ => return None,
    })
}

fn of_shebang(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let program = if program == "env" { words.find(|word| !word.starts_with('-'))? } else { program };
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    of_word(stem).or(Some(Language::Script))
}
