//! The programs whose options are known: how each is given its instructions, its task, its model and our tools, and nothing else.
//!
//! Their own tools are switched off, so that what a child does goes through us; a project's settings do not count. What the options
//! mean is in each one's own documentation.

use std::collections::BTreeMap;

use guild_engine::Preset;
use guild_engine::ports::{SubagentError, SubagentTask};
use serde_json::{Value, json};

use super::{Files, Launch};

/// The variables by which a program is let in where it must be.
pub(super) fn variables(preset: Option<Preset>) -> &'static [&'static str] {
    match preset {
        Some(Preset::Claude) => &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ],
        Some(Preset::Codex) => &["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"],
        Some(Preset::Gemini) => {
            &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GEMINI_CLI_HOME"]
        }
        None => &[],
    }
}

/// How a program is started.
pub(super) fn launch(
    preset: Preset,
    program: &[String],
    task: &SubagentTask<'_>,
    server: &Value,
    files: &Files<'_>,
) -> Result<Launch, SubagentError> {
    let mut launch = match preset {
        Preset::Claude => claude(task, files)?,
        Preset::Codex => codex(task, server, files),
        Preset::Gemini => gemini(task, server, files)?,
    };
    launch.words.splice(0..0, program.iter().cloned());
    Ok(launch)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn model(task: &SubagentTask<'_>) -> Vec<String> {
    task.runner.model.iter().flat_map(|model| ["--model".to_owned(), model.clone()]).collect()
}

fn claude(task: &SubagentTask<'_>, files: &Files<'_>) -> Result<Launch, SubagentError> {
    let system = files.write("system.md", &json!(task.instructions))?;
    let (system, mcp) = (system.to_string_lossy().into_owned(), files.place("mcp.json"));
    let fixed = words(&[
        "-p",
        "--output-format",
        "text",
        "--no-session-persistence",
        "--setting-sources",
        "user",
        "--strict-mcp-config",
        "--mcp-config",
        &mcp.to_string_lossy(),
        "--tools",
        "",
        "--allowedTools",
        "mcp__guild",
        "--system-prompt-file",
        &system,
    ]);
    let words = [fixed, model(task)].concat();
    Ok(Launch { words, variables: BTreeMap::new(), stdin: task.task.as_bytes().to_vec(), answer: None })
}

fn codex(task: &SubagentTask<'_>, server: &Value, files: &Files<'_>) -> Launch {
    let answer = files.place("answer.md");
    let field = |name: &str| server.get(name).cloned().unwrap_or_default();
    let pairs = field("env").as_object().cloned().unwrap_or_default();
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    // Texts and lists of JSON are those of TOML too.
    let settings = [
        format!("developer_instructions={}", json!(task.instructions)),
        format!("mcp_servers.guild.command={}", field("command")),
        format!("mcp_servers.guild.args={}", field("args")),
        format!("mcp_servers.guild.env={{{}}}", pairs.join(", ")),
        "features.shell_tool=false".to_owned(),
        "features.unified_exec=false".to_owned(),
    ];
    let fixed = words(&["exec", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"]);
    let settings = settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect();
    let last = words(&["--output-last-message", &answer.to_string_lossy(), "-"]);
    let words = [fixed, settings, model(task), last].concat();
    Launch { words, variables: BTreeMap::new(), stdin: task.task.as_bytes().to_vec(), answer: Some(answer) }
}

fn gemini(task: &SubagentTask<'_>, server: &Value, files: &Files<'_>) -> Result<Launch, SubagentError> {
    let system = files.write("system.md", &json!(task.instructions))?;
    let mut server = server.clone();
    if let Some(server) = server.as_object_mut() {
        server.insert("trust".to_owned(), json!(true));
    }
    let settings =
        json!({"mcpServers": {"guild": server}, "mcp": {"allowed": ["guild"]}, "tools": {"core": []}});
    let settings = files.write("settings.json", &settings)?;
    let variables = [
        ("GEMINI_SYSTEM_MD".to_owned(), system.to_string_lossy().into_owned()),
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(), settings.to_string_lossy().into_owned()),
    ];
    let words = [words(&["-p", task.task, "--output-format", "text"]), model(task)].concat();
    Ok(Launch { words, variables: variables.into(), stdin: Vec::new(), answer: None })
}
