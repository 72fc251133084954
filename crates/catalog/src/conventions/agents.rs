//! The table: one row an agent, in order of precedence.
//!
//! It states what agents read; it decides nothing. Directories of an agent's older releases are listed too,
//! since people still have skills in them. A directory named `plugins` holds plugins, any other holds skills.

use super::Convention;

/// Every known agent: our own, the two conventions that most agents share, the other conventions we grew
/// from, then the rest by id. An owner stands before those who borrow its directory, for it labels the place.
pub const CONVENTIONS: &[Convention] = &[
    row("guild", "Guildhall", &[".guild/skills", ".guild/plugins"], &["~/.guild/skills", "~/.guild/plugins"])
        .on_system(&["/etc/guild/skills", "/etc/guild/plugins"]),
    row(
        "agents",
        "Agent Skills",
        &[".agents/skills", ".agents/plugins"],
        &["~/.agents/skills", "~/.agents/plugins"],
    ),
    row(
        "claude-code",
        "Claude Code",
        &[".claude/skills", ".claude/plugins"],
        &["~/.claude/skills", "~/.claude/plugins"],
    )
    .on_system(&["/etc/claude-code/.claude/skills"]),
    row(
        "agent",
        "Agent Skills (singular)",
        &[".agent/skills", ".agent/plugins"],
        &["~/.agent/skills", "~/.agent/plugins"],
    ),
    row(
        "colony",
        "Colony",
        &[".colony/skills", ".colony/plugins"],
        &["~/.colony/skills", "~/.colony/plugins"],
    )
    .on_system(&["/etc/colony/skills", "/etc/colony/plugins"]),
    row(
        "mindroom",
        "Mindroom",
        &[".mindroom/skills", ".mindroom/plugins"],
        &["~/.mindroom/skills", "~/.mindroom/plugins"],
    ),
    row(
        "ok",
        "ok",
        &[".ok/skills", ".ok/plugins", ".agents/skills", ".agent/skills", ".claude/skills"],
        &["~/.ok/skills", "~/.ok/plugins", "~/.agents/skills", "~/.agent/skills", "~/.claude/skills"],
    ),
    row("universal", "Universal", &[".agents/skills"], &["$CONFIG/agents/skills", "~/.agents/skills"]),
    row("adal", "AdaL", &[".adal/skills"], &["~/.adal/skills"]),
    row("aider-desk", "AiderDesk", &[".aider-desk/skills"], &["~/.aider-desk/skills"]),
    row(
        "amp",
        "Amp",
        &[".agents/skills", ".claude/skills", ".amp/skills"],
        &["$CONFIG/agents/skills", "$CONFIG/amp/skills", "~/.claude/skills"],
    ),
    row(
        "antigravity",
        "Antigravity",
        &[".agents/skills", ".agent/skills"],
        &["~/.gemini/antigravity/skills"],
    ),
    row(
        "antigravity-cli",
        "Antigravity CLI",
        &[".agents/skills"],
        &["~/.gemini/antigravity-cli/skills", "~/.antigravity/skills"],
    ),
    row("astrbot", "AstrBot", &["data/skills"], &["~/.astrbot/data/skills"]),
    row("augment", "Augment", &[".augment/skills"], &["~/.augment/skills"]),
    row("autohand-code", "Autohand Code CLI", &[".autohand/skills"], &["~/.autohand/skills"]),
    row("bob", "IBM Bob", &[".bob/skills"], &["~/.bob/skills"]),
    row("cline", "Cline", &[".agents/skills"], &["~/.agents/skills"]),
    row("codearts-agent", "CodeArts Agent", &[".codeartsdoer/skills"], &["~/.codeartsdoer/skills"]),
    row("codebuddy", "CodeBuddy", &[".codebuddy/skills"], &["~/.codebuddy/skills"]),
    row("codemaker", "Codemaker", &[".codemaker/skills"], &["~/.codemaker/skills"]),
    row("coder", "Coder", &[".agents/skills"], &[]),
    row("codestudio", "Code Studio", &[".codestudio/skills"], &["~/.codestudio/skills"]),
    row("codewhale", "CodeWhale", &[".codewhale/skills"], &["~/.codewhale/skills"]),
    row("codex", "Codex", &[".agents/skills", ".codex/skills"], &["~/.codex/skills", "~/.agents/skills"])
        .on_system(&["/etc/codex/skills"]),
    row(
        "cagent",
        "cagent",
        &[".agents/skills", ".claude/skills"],
        &["~/.agents/skills", "~/.claude/skills", "~/.codex/skills"],
    ),
    row("command-code", "Command Code", &[".commandcode/skills"], &["~/.commandcode/skills"]),
    row("continue", "Continue", &[".continue/skills"], &["~/.continue/skills"]),
    row("cortex", "Cortex Code", &[".cortex/skills"], &["~/.snowflake/cortex/skills"]),
    row("crush", "Crush", &[".crush/skills"], &["$CONFIG/crush/skills"]),
    row(
        "cursor",
        "Cursor",
        &[".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills"],
        &["~/.cursor/skills", "~/.agents/skills", "~/.claude/skills", "~/.codex/skills"],
    ),
    row("deepagents", "Deep Agents", &[".agents/skills"], &["~/.deepagents/agent/skills"]),
    row("devin", "Devin for Terminal", &[".devin/skills"], &["$CONFIG/devin/skills"]),
    row("dexto", "Dexto", &[".agents/skills"], &["~/.agents/skills"]),
    row("droid", "Droid", &[".agents/skills", ".factory/skills"], &["~/.factory/skills", "~/.agents/skills"]),
    row("eve", "Eve", &["agent/skills"], &[]),
    row("firebender", "Firebender", &[".agents/skills"], &["~/.firebender/skills"]),
    row("forgecode", "ForgeCode", &[".forge/skills"], &["~/.forge/skills"]),
    row("fx", "fx", &[".fx/skills"], &["~/.fx/skills"]),
    row(
        "gemini-cli",
        "Gemini CLI",
        &[".agents/skills", ".gemini/skills"],
        &["~/.gemini/skills", "~/.agents/skills"],
    ),
    row(
        "github-copilot",
        "GitHub Copilot",
        &[".agents/skills", ".github/skills", ".copilot/skills", ".claude/skills"],
        &["~/.copilot/skills", "~/.agents/skills"],
    ),
    row(
        "goose",
        "Goose",
        &[".goose/skills", ".claude/skills", ".agents/skills"],
        &["$CONFIG/goose/skills", "~/.agents/skills", "~/.claude/skills", "$CONFIG/agents/skills"],
    ),
    row("grok", "Grok Build", &[".grok/skills"], &["~/.grok/skills"]),
    row("hermes-agent", "Hermes Agent", &[".hermes/skills"], &["~/.hermes/skills"]),
    row("iflow-cli", "iFlow CLI", &[".iflow/skills"], &["~/.iflow/skills"]),
    row("inference-sh", "inference.sh", &[".inferencesh/skills"], &["~/.inferencesh/skills"]),
    row("jazz", "Jazz", &[".jazz/skills"], &["~/.jazz/skills"]),
    row("junie", "Junie", &[".junie/skills"], &["~/.junie/skills"]),
    row(
        "kilo",
        "Kilo Code",
        &[".agents/skills", ".kilocode/skills"],
        &["~/.kilo/skills", "~/.kilocode/skills"],
    ),
    row("kimchi", "Kimchi", &[".kimchi/skills"], &["$CONFIG/kimchi/harness/skills"]),
    row(
        "kimi-code-cli",
        "Kimi Code CLI",
        &[".agents/skills"],
        &["~/.agents/skills", "$CONFIG/agents/skills"],
    ),
    row("kiro-cli", "Kiro CLI", &[".kiro/skills"], &["~/.kiro/skills"]),
    row("kode", "Kode", &[".kode/skills"], &["~/.kode/skills"]),
    row("lingma", "Lingma", &[".lingma/skills"], &["~/.lingma/skills"]),
    row("loaf", "Loaf", &[".agents/skills"], &["~/.agents/skills"]),
    row("mcpjam", "MCPJam", &[".mcpjam/skills"], &["~/.mcpjam/skills"]),
    row("minimax-code", "MiniMax Code", &[".minimax/skills"], &["~/.minimax/skills"]),
    row("mistral-vibe", "Mistral Vibe", &[".vibe/skills"], &["~/.vibe/skills"]),
    row("moxby", "Moxby", &[".moxby/skills"], &["~/.moxby/skills"]),
    row("mux", "Mux", &[".mux/skills"], &["~/.mux/skills"]),
    row("neovate", "Neovate", &[".neovate/skills"], &["~/.neovate/skills"]),
    row("ona", "Ona", &[".ona/skills"], &["~/.ona/skills"]),
    row(
        "openclaw",
        "OpenClaw",
        &["skills", ".agents/skills"],
        &["~/.openclaw/skills", "~/.agents/skills", "~/.clawdbot/skills", "~/.moltbot/skills"],
    ),
    row(
        "opencode",
        "OpenCode",
        &[".agents/skills", ".opencode/skills", ".opencode/skill", ".claude/skills"],
        &["$CONFIG/opencode/skills", "$CONFIG/opencode/skill", "~/.claude/skills", "~/.agents/skills"],
    ),
    row("openhands", "OpenHands", &[".openhands/skills"], &["~/.openhands/skills"]),
    row("pi", "Pi", &[".pi/skills", ".agents/skills"], &["~/.pi/agent/skills", "~/.agents/skills"]),
    row("pochi", "Pochi", &[".pochi/skills"], &["~/.pochi/skills"]),
    row("posit-assistant", "Posit Assistant", &[".posit/assistant/skills"], &["~/.posit/assistant/skills"]),
    row("promptscript", "PromptScript", &[".agents/skills"], &[]),
    row("qoder", "Qoder", &[".qoder/skills"], &["~/.qoder/skills"]),
    row("qoder-cn", "Qoder CN", &[".qoder/skills"], &["~/.qoder-cn/skills"]),
    row("qwen-code", "Qwen Code", &[".qwen/skills"], &["~/.qwen/skills"]),
    row("reasonix", "Reasonix", &[".reasonix/skills"], &["~/.reasonix/skills"]),
    row("replit", "Replit", &[".agents/skills"], &["$CONFIG/agents/skills"]),
    row("roo", "Roo Code", &[".roo/skills"], &["~/.roo/skills"]),
    row("rovodev", "Rovo Dev", &[".rovodev/skills"], &["~/.rovodev/skills"]),
    row("sarvam-code", "Sarvam Code", &[".agents/skills"], &["~/.agents/skills"]),
    row("tabnine-cli", "Tabnine CLI", &[".tabnine/agent/skills"], &["~/.tabnine/agent/skills"]),
    row("terramind", "Terramind", &[".terramind/skills"], &["~/.terramind/skills"]),
    row("tinycloud", "Tinycloud", &[".tinycloud/skills"], &["~/.tinycloud/skills"]),
    row("trae", "Trae", &[".trae/skills"], &["~/.trae/skills"]),
    row("trae-cn", "Trae CN", &[".trae/skills"], &["~/.trae-cn/skills"]),
    row(
        "vscode",
        "VS Code",
        &[".github/skills", ".agents/skills", ".claude/skills"],
        &["~/.copilot/skills", "~/.claude/skills", "~/.agents/skills"],
    ),
    row("warp", "Warp", &[".agents/skills"], &["~/.agents/skills"]),
    row("windsurf", "Windsurf", &[".windsurf/skills"], &["~/.codeium/windsurf/skills"]),
    row("zcode", "ZCode", &[".zcode/skills"], &["~/.zcode/skills"]),
    row("zed", "Zed", &[".agents/skills"], &["~/.agents/skills"]),
    row("zencoder", "Zencoder", &[".zencoder/skills"], &["~/.zencoder/skills"]),
    row("zenflow", "Zenflow", &[".zencoder/skills"], &["~/.zencoder/skills"]),
];

type Directories = &'static [&'static str];

const fn row(
    agent: &'static str,
    title: &'static str,
    project: Directories,
    user: Directories,
) -> Convention {
    Convention { agent, title, project, user, system: &[] }
}

impl Convention {
    const fn on_system(self, system: Directories) -> Self {
        Self { system, ..self }
    }
}
