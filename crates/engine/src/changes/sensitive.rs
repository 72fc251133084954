//! Files that decide what agents, tools and machines do: who changes them changes what is trusted.

use guild_sandbox::changes::Sensitive;

/// Names that are confirmed on their own, wherever they lie.
const PATTERNS: &[&str] = &[
    ".git",
    ".gitattributes",
    ".gitmodules",
    ".guild",
    "guild.toml",
    ".agents",
    ".claude",
    ".claude-plugin",
    ".codex",
    ".continue",
    ".cursor",
    ".cursorrules",
    ".gemini",
    ".mcp.json",
    "mcp.json",
    ".vscode",
    ".windsurf",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".circleci",
    ".github",
    ".gitlab-ci.yml",
    ".buildkite",
    ".travis.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".husky",
    ".pre-commit-config.yaml",
    ".envrc",
    ".npmrc",
    ".cargo",
];

pub(super) fn patterns() -> Sensitive {
    Sensitive::new(PATTERNS)
}
