//! The hosts, one row each: where their files lie and in which form servers stand there.

use std::path::PathBuf;

use guild_manifest::fold::nearest;
use serde_json::Value;

use super::HostPlaces;
use super::entry::{Entry, command_and_args, one_list, typed};
use crate::{Code, Refusal};

/// In whose file a host is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostScope {
    /// The person's, for all projects.
    User,
    /// The project's, for everybody who works on it.
    Project,
}

/// A program that agents live in.
pub(super) struct Host {
    /// Its id, which is the agent's too.
    pub id: &'static str,
    /// Its file below the home directory.
    user: &'static str,
    /// Its file below the project, if it reads one.
    project: Option<&'static str>,
    /// The form of both.
    pub form: Form,
    /// The command by which it says how its servers are; empty where it has none.
    pub probe: &'static [&'static str],
}

/// How servers stand in a file.
pub(super) enum Form {
    /// JSON, with comments or without.
    Json {
        /// The keys that lead to the servers by name.
        keys: &'static [&'static str],
        /// One server.
        shape: fn(&Entry<'_>) -> Value,
    },
    /// TOML, a table `mcp_servers.<name>`.
    Toml,
}

const MCP_SERVERS: Form = Form::Json { keys: &["mcpServers"], shape: command_and_args };

pub(super) const HOSTS: &[Host] = &[
    Host {
        id: "claude-code",
        user: ".claude.json",
        project: Some(".mcp.json"),
        form: MCP_SERVERS,
        probe: &["claude", "mcp", "list"],
    },
    Host {
        id: "codex",
        user: ".codex/config.toml",
        project: Some(".codex/config.toml"),
        form: Form::Toml,
        probe: &["codex", "mcp", "list"],
    },
    Host {
        id: "cursor",
        user: ".cursor/mcp.json",
        project: Some(".cursor/mcp.json"),
        form: MCP_SERVERS,
        probe: &[],
    },
    Host {
        id: "gemini",
        user: ".gemini/settings.json",
        project: Some(".gemini/settings.json"),
        form: MCP_SERVERS,
        probe: &["gemini", "mcp", "list"],
    },
    Host {
        id: "vscode",
        user: ".config/Code/User/mcp.json",
        project: Some(".vscode/mcp.json"),
        form: Form::Json { keys: &["servers"], shape: typed },
        probe: &[],
    },
    Host {
        id: "openclaw",
        user: ".openclaw/openclaw.json",
        project: None,
        form: Form::Json { keys: &["mcp", "servers"], shape: command_and_args },
        probe: &["openclaw", "mcp", "probe"],
    },
    Host {
        id: "opencode",
        user: ".config/opencode/opencode.json",
        project: Some("opencode.json"),
        form: Form::Json { keys: &["mcp"], shape: one_list },
        probe: &["opencode", "mcp", "list"],
    },
    Host {
        id: "zed",
        user: ".config/zed/settings.json",
        project: Some(".zed/settings.json"),
        form: Form::Json { keys: &["context_servers"], shape: command_and_args },
        probe: &[],
    },
];

impl Host {
    /// The host of this id.
    pub fn named(id: &str) -> Result<&'static Host, Refusal> {
        HOSTS.iter().find(|host| host.id == id).ok_or_else(|| {
            let known: Vec<&str> = HOSTS.iter().map(|host| host.id).collect();
            let hint = nearest(id, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
            let message = format!(
                "there is no host `{id}`; there are: {}{}",
                known.join(", "),
                hint.unwrap_or_default()
            );
            Refusal::new(Code::UnknownHost, message)
        })
    }

    /// Its file.
    pub fn file(&self, places: HostPlaces<'_>, scope: HostScope) -> Result<PathBuf, Refusal> {
        match (scope, self.project, places.home) {
            (HostScope::Project, Some(file), _) => Ok(places.project.join(file)),
            (HostScope::Project, None, _) => {
                let message = format!("{} reads no file of a project; use `--scope user`", self.id);
                Err(Refusal::new(Code::UnknownHost, message))
            }
            (HostScope::User, _, Some(home)) => Ok(home.join(self.user)),
            (HostScope::User, _, None) => Err(Refusal::new(Code::NoHome, "there is no home directory")),
        }
    }
}
