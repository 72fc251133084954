//! `[mcp.servers.<name>]` in the user's and the machine's files.
//!
//! An entry that cannot be understood is left out and told; the others hold.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use guild_manifest::config::{Config, Layer, Section};
use guild_manifest::{Code as ProblemCode, Pos, Problem};
use guild_sandbox::Network;
use serde::Deserialize;

use super::contained::ContainedServer;
use crate::hall::{ConfigFile, path_of};

/// How long a call may take where nobody says.
const TIMEOUT_SECONDS: u64 = 60;
/// A longer name would not fit beside a tool's.
const LONGEST_NAME: usize = 32;

/// A server that the person has configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// Its name, as in `mcp:<name>/<tool>`.
    pub name: String,
    /// Where it is.
    pub reach: Reach,
    /// Its tools that only look, by the person's word; its own word is not taken.
    pub read_only: Vec<String>,
    /// How long one call may take.
    pub timeout: Duration,
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// A program that is started in a container and talked to over its standard input and output.
    Contained(ContainedServer),
    /// Somebody else's, over HTTP.
    Http(HttpServer),
}

/// A server over HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpServer {
    /// Its address.
    pub url: String,
    /// What every request carries; `${NAME}` stands for a variable or a secret of the person's.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        formatter.debug_struct("HttpServer").field("url", &self.url).field("headers", &names).finish()
    }
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    command: Option<Command>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Vec<String>,
    network: Option<String>,
    role: Option<String>,
    #[serde(default)]
    read: Vec<PathBuf>,
    #[serde(default)]
    write: Vec<PathBuf>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    read_only: Vec<String>,
    timeout_seconds: Option<u64>,
    #[serde(default = "yes")]
    enabled: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Command {
    Program(String),
    Words(Vec<String>),
}

const fn yes() -> bool {
    true
}

/// The servers that are on, by name. Where both files have one, the person's counts.
pub fn servers(config: &Config) -> Vec<ServerSettings> {
    let mut servers = BTreeMap::new();
    for (_, name, read) in entries(config) {
        match read {
            Ok(Some(server)) => servers.insert(name, server),
            Ok(None) | Err(_) => servers.remove(&name),
        };
    }
    servers.into_values().collect()
}

/// What is wrong with the entries. `files` says where each layer was read.
pub(crate) fn problems(config: &Config, files: &[ConfigFile]) -> Vec<Problem> {
    let wrong = entries(config).filter_map(|(layer, name, read)| Some((layer, name, read.err()?)));
    wrong
        .map(|(layer, name, reason)| {
            let message = format!("`mcp.servers.{name}` cannot be used: {reason}");
            let hint = "a server has `command` and `args`, or `url`; see docs/mcp.md";
            Problem::new(ProblemCode::ConfigValueInvalid, Pos::START, message, hint)
                .in_file(path_of(files, layer))
        })
        .collect()
}

type Read = Result<Option<ServerSettings>, String>;

fn entries(config: &Config) -> impl Iterator<Item = (Layer, String, Read)> {
    let is_ours = |section: &&Section| section.name == "mcp" && section.layer != Layer::Project;
    config.sections.iter().filter(is_ours).flat_map(|section| {
        let servers = section.data.get("servers").map(guild_manifest::tree::Data::to_json);
        let servers = servers.and_then(|servers| servers.as_object().cloned()).unwrap_or_default();
        servers.into_iter().map(|(name, written)| {
            let read = serde_json::from_value(written).map_err(|error| error.to_string());
            let read = read.and_then(|written: Written| settings(&name, written));
            (section.layer, name, read)
        })
    })
}

fn settings(name: &str, written: Written) -> Read {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        let reason = format!(
            "its name must be of small letters, digits, `-` and `_`, and no longer than {LONGEST_NAME}"
        );
        return Err(reason);
    }
    if !written.enabled {
        return Ok(None);
    }
    let timeout = Duration::from_secs(written.timeout_seconds.unwrap_or(TIMEOUT_SECONDS).max(1));
    let read_only = written.read_only.clone();
    Ok(Some(ServerSettings { name: name.to_owned(), reach: reach(written)?, read_only, timeout }))
}

fn reach(written: Written) -> Result<Reach, String> {
    match (written.command, written.url) {
        (Some(command), None) => {
            let mut words = match command {
                Command::Program(program) => vec![program],
                Command::Words(words) => words,
            };
            words.extend(written.args);
            if words.first().is_none_or(String::is_empty) {
                return Err("its command is empty".to_owned());
            }
            if let Some(path) = written.read.iter().chain(&written.write).find(|path| !path.is_absolute()) {
                return Err(format!("`{}` is no absolute path", path.display()));
            }
            let network = match written.network.as_deref() {
                None | Some("none") => Network::None,
                Some("host") => Network::Host,
                Some(other) => return Err(format!("its network is `{other}`, and can be `none` or `host`")),
            };
            Ok(Reach::Contained(ContainedServer {
                command: words,
                env: written.env,
                network,
                role: written.role,
                read: written.read,
                write: written.write,
                mounts: Vec::new(),
                cwd: "/tmp".into(),
                set: BTreeMap::new(),
                fills: false,
                plugin: None,
            }))
        }
        (None, Some(url)) if url.starts_with("https://") || url.starts_with("http://") => {
            Ok(Reach::Http(HttpServer { url, headers: written.headers }))
        }
        (None, Some(_)) => Err("its URL begins with neither `https://` nor `http://`".to_owned()),
        (Some(_), Some(_)) => Err("it has both `command` and `url`".to_owned()),
        (None, None) => Err("it has neither `command` nor `url`".to_owned()),
    }
}
