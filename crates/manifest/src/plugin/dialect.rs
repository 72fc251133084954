//! The dialects of plugin manifest: where each keeps its file, in which order they are tried, how each names plugins.
//!
//! It is a table; what the keys of a manifest mean is written in the reader of each dialect.

use serde::{Deserialize, Serialize};

/// Whose manifest described a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Dialect {
    /// Our own superset.
    Guild,
    /// Agent Plugins 1.0.0, the open specification.
    AgentPlugin,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// The older open plugin layout, with its manifest under `.plugin`.
    OpenPlugin,
    /// GitHub Copilot, with its manifest under `.github/plugin`.
    Github,
    /// GitHub Copilot, with its manifest at the root and no schema of Agent Plugins.
    Copilot,
    /// Gemini CLI extensions.
    Gemini,
    /// OpenClaw's native plugins.
    OpenClaw,
    /// Mindroom.
    Mindroom,
    /// No manifest at all: the layout of the directory is the plugin.
    Bare,
}

impl Dialect {
    /// The dialects that have a manifest, in the order in which they are tried.
    pub const PROBED: [Self; 11] = [
        Self::Guild,
        Self::AgentPlugin,
        Self::Claude,
        Self::Codex,
        Self::Cursor,
        Self::OpenPlugin,
        Self::Github,
        Self::Copilot,
        Self::Gemini,
        Self::OpenClaw,
        Self::Mindroom,
    ];

    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Guild => "guild",
            Self::AgentPlugin => "agent-plugin",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::OpenPlugin => "open-plugin",
            Self::Github => "github",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::OpenClaw => "openclaw",
            Self::Mindroom => "mindroom",
            Self::Bare => "bare",
        }
    }

    /// Where the manifest lies in the plugin; the layout without one has none.
    pub const fn manifest(self) -> Option<&'static str> {
        match self {
            Self::Guild => Some("guild.plugin.json"),
            Self::AgentPlugin | Self::Copilot => Some("plugin.json"),
            Self::Claude => Some(".claude-plugin/plugin.json"),
            Self::Codex => Some(".codex-plugin/plugin.json"),
            Self::Cursor => Some(".cursor-plugin/plugin.json"),
            Self::OpenPlugin => Some(".plugin/plugin.json"),
            Self::Github => Some(".github/plugin/plugin.json"),
            Self::Gemini => Some("gemini-extension.json"),
            Self::OpenClaw => Some("openclaw.plugin.json"),
            Self::Mindroom => Some("mindroom.plugin.json"),
            Self::Bare => None,
        }
    }

    /// Which names the dialect allows.
    pub(super) const fn name_rule(self) -> NameRule {
        match self {
            Self::AgentPlugin | Self::Cursor => NameRule::Dotted,
            Self::Codex | Self::OpenClaw => NameRule::Word,
            Self::Copilot | Self::Github | Self::Gemini => NameRule::Dashed,
            Self::Mindroom => NameRule::Lower,
            Self::Guild | Self::Claude | Self::OpenPlugin | Self::Bare => NameRule::Kebab,
        }
    }
}

/// What a name may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameRule {
    /// Lower-case words joined by single hyphens.
    Kebab,
    /// Lower-case letters, digits, hyphens and periods, 64 at most, no `--`, no `..`, neither at an end.
    Dotted,
    /// Letters, digits and hyphens.
    Dashed,
    /// Lower-case letters, digits, hyphens and underscores.
    Lower,
    /// Letters, digits, hyphens and underscores.
    Word,
}

impl NameRule {
    /// Whether `name` keeps the rule.
    pub(super) fn allows(self, name: &str) -> bool {
        let all = |allowed: fn(u8) -> bool| !name.is_empty() && name.bytes().all(allowed);
        match self {
            Self::Kebab => name.split('-').all(|word| !word.is_empty() && word.bytes().all(is_lower)),
            Self::Dotted => {
                all(|b| is_lower(b) || matches!(b, b'-' | b'.'))
                    && name.len() <= 64
                    && !name.contains("--")
                    && !name.contains("..")
                    && !name.starts_with(['-', '.'])
                    && !name.ends_with(['-', '.'])
            }
            Self::Dashed => all(|b| b.is_ascii_alphanumeric() || b == b'-'),
            Self::Lower => all(|b| is_lower(b) || matches!(b, b'-' | b'_')),
            Self::Word => all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')),
        }
    }

    /// The rule in words, as the object of "use".
    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::Kebab => "lower-case words joined by single hyphens, such as `code-tools`",
            Self::Dotted => {
                "at most 64 lower-case letters, digits, single hyphens and single periods, such as `acme.tools`"
            }
            Self::Dashed => "letters, digits and hyphens",
            Self::Lower => "lower-case letters, digits, hyphens and underscores",
            Self::Word => "letters, digits, hyphens and underscores",
        }
    }
}

/// Whether a name that breaks its dialect's rule can still be part of a qualified name.
pub(super) fn is_usable(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.bytes().all(allowed)
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: NameRule, good: &[&str], bad: &[&str]) {
        for name in good {
            assert!(rule.allows(name), "{rule:?} refuses {name:?}");
        }
        for name in bad {
            assert!(!rule.allows(name), "{rule:?} allows {name:?}");
        }
    }

    #[test]
    fn each_dialect_has_its_own_names() {
        check(NameRule::Kebab, &["a", "code-tools", "2fa"], &["", "-", "a--b", "a-", "A", "a_b", "a.b", "ä"]);
        let long = "a".repeat(65);
        check(
            NameRule::Dotted,
            &["my-plugin", "acme.tools", "lint3r", "a", "a.-b"],
            &["My-Plugin", "-start", "has--double", "too.many..dots", "", "end.", "a_b", &long],
        );
        check(NameRule::Dashed, &["My-Plugin", "a"], &["", "a b", "a_b", "a/b"]);
        check(
            NameRule::Lower,
            &["_demo", "-dash", "a1"],
            &["origin:plugin", "../../escaped", "UpperCase", ".hidden", ""],
        );
        check(NameRule::Word, &["a_B-1"], &["", "a.b", "a:b"]);
    }

    #[test]
    fn a_usable_name_has_no_path_in_it() {
        for name in ["My_Plugin", "a.b", "Ab-1"] {
            assert!(is_usable(name), "{name}");
        }
        for name in ["", "..", ".hidden", "a/b", "a:b", "a b", "ä"] {
            assert!(!is_usable(name), "{name}");
        }
    }

    #[test]
    fn our_own_manifest_is_tried_first_and_the_schema_before_the_vendors() {
        let paths: Vec<_> = Dialect::PROBED.iter().filter_map(|dialect| dialect.manifest()).collect();
        assert_eq!(paths.len(), Dialect::PROBED.len());
        assert_eq!(paths[..3], ["guild.plugin.json", "plugin.json", ".claude-plugin/plugin.json"]);
    }
}
