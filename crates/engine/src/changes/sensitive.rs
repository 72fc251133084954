//! Files that decide what agents, tools and machines do: who changes them changes what is trusted.

use guild_catalog::conventions::{CONVENTIONS, PlaceKind};
use guild_sandbox::changes::Sensitive;

/// Names that are confirmed on their own, wherever they lie, besides the directories of every agent in the catalog's table.
const PATTERNS: &[&str] = &[
    // What this program and git go by.
    ".git",
    ".gitattributes",
    ".gitmodules",
    "guild.toml",
    // What agents go by, besides their directories.
    ".aider.conf.yml",
    ".claude-plugin",
    ".clinerules",
    ".cursorrules",
    ".goosehints",
    ".mcp.json",
    ".roomodes",
    ".rules",
    ".windsurfrules",
    "mcp.json",
    "opencode.json",
    "opencode.jsonc",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "CRUSH.md",
    "GEMINI.md",
    "QWEN.md",
    // Editors that start what a project says.
    ".devcontainer",
    ".devcontainer.json",
    ".idea",
    ".vscode",
    ".zed",
    // Machines that build.
    ".appveyor.yml",
    ".buildkite",
    ".circleci",
    ".cirrus.yml",
    ".drone.yml",
    ".forgejo",
    ".gitea",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".woodpecker",
    ".woodpecker.yml",
    ".woodpecker.yaml",
    "Jenkinsfile",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    // What shells and tools run or obey without being asked.
    ".cargo",
    ".envrc",
    ".husky",
    ".npmrc",
    ".pre-commit-config.yaml",
    ".yarnrc.yml",
    "lefthook.yml",
    "mise.toml",
    ".mise.toml",
];

pub(super) fn patterns() -> Sensitive {
    Sensitive::new(PATTERNS.iter().copied().chain(agents()))
}

/// The hidden directories in which agents have skills in a project: their settings, hooks and commands lie there too.
fn agents() -> impl Iterator<Item = &'static str> {
    let directories = CONVENTIONS.iter().flat_map(|agent| agent.directories(PlaceKind::Project));
    let tops = directories.filter_map(|directory| directory.split('/').next());
    tops.filter(|top| top.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: bool) {
        assert_eq!(patterns().covers(Path::new(path)), expected, "{path}");
    }

    #[test]
    fn the_settings_of_every_agent_are_confirmed_on_their_own() {
        for path in [
            ".claude/settings.json",
            ".opencode/plugin/x.js",
            ".kiro/hooks/x",
            "nested/.roo/mcp.json",
            ".factory/settings.json",
            ".agents/skills/x/SKILL.md",
            ".codex/config.toml",
            ".continue/config.yaml",
            ".GitHub/workflows/x.yml",
            ".guild/lock.toml",
            "deep/AGENTS.md",
        ] {
            check(path, true);
        }
        for path in ["src/main.rs", "skills/x/SKILL.md", ".gitignore", "rules", "README.md"] {
            check(path, false);
        }
    }
}
