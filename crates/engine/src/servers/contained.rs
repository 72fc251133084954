//! A server in a container of its own: it sees what its entry names and nothing else, and ends with whoever talks to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_manifest::config::Sandbox;
use guild_sandbox::image::Resolved;
use guild_sandbox::{Child, ChildStdin, Command, Network, Policy, Stdin, Stream};

use super::placeholder;
use crate::Refusal;
use crate::registry::plugin_settings;
use crate::sandbox::{Backends, ContainerRequest, LimitRequest, MountMode, MountRequest};
use crate::workshop::Workshop;

/// The longest that one container lives; whoever still needs the server gets a new one.
const LONGEST_LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// What a server may say before anybody listens.
const MOST_UNHEARD: u64 = 16 << 20;
/// What is kept of what it says to people, for the day that it fails.
const LONGEST_COMPLAINT: usize = 2048;

/// What a name begins with that the person has set for a plugin.
pub(super) const SETTING: &str = "user_config.";

/// A program that serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainedServer {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Names of the variables that reach it.
    pub env: Vec<String>,
    /// Whether it has the host's network.
    pub network: Network,
    /// The image role; the configuration's where there is none.
    pub role: Option<String>,
    /// What of the host it may read, under the same path.
    pub read: Vec<PathBuf>,
    /// What of the host it may read and write, under the same path.
    pub write: Vec<PathBuf>,
    /// What else it is shown.
    pub mounts: Vec<MountRequest>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// Variables that are set for it, before those of the person's.
    pub set: BTreeMap<String, String>,
    /// Whether `${NAME}` in its command and in what is set for it stands for a variable; for one that does not reach it, what
    /// follows `:-` stands there, or nothing.
    pub fills: bool,
    /// The plugin that ships it; what the person has set for that stands for `${user_config.KEY}`.
    pub plugin: Option<String>,
}

/// A server that runs. Dropping it ends the server.
pub struct Conversation {
    child: Child,
    complaint: String,
    /// Held so that the image is not removed from under it.
    _image: Resolved,
}

impl ContainedServer {
    /// Starts it.
    pub async fn start(&self, workshop: &Workshop<'_>) -> Result<Conversation, Refusal> {
        let (images, settings) = (workshop.images, workshop.images.settings());
        let image = images.resolve(self.role.as_deref())?;
        let is_setting = |name: &&String| name.starts_with(SETTING);
        let variables: Vec<String> = self.env.iter().filter(|name| !is_setting(name)).cloned().collect();
        let mut env = workshop.environment(&variables).await?;
        let mut known = env.clone();
        if let Some(plugin) = self.plugin.as_ref().filter(|_| self.env.iter().any(|name| is_setting(&name))) {
            let set = plugin_settings(workshop.hall, workshop.books, plugin).await?;
            let set = set.into_iter().map(|(key, value)| (format!("{SETTING}{key}"), value));
            known.extend(set.filter(|(name, _)| self.env.contains(name)));
        }
        let filled = |text: &String| if self.fills { filled(text, &known) } else { text.clone() };
        let command: Vec<String> = self.command.iter().map(filled).collect();
        env.extend(self.set.iter().map(|(name, value)| (name.clone(), filled(value))));
        let request = ContainerRequest {
            role: self.role.clone(),
            mounts: self.mounts(),
            env,
            network: self.network,
            limits: LimitRequest {
                timeout: Some(LONGEST_LIFE),
                output: Some(MOST_UNHEARD),
                ..LimitRequest::default()
            },
            out: None,
        };
        let policy = request.policy(settings, image.root.clone(), &[])?;
        let command = Command {
            argv: command.iter().map(Into::into).collect(),
            cwd: self.cwd.clone(),
            env: BTreeMap::new(),
            stdin: Stdin::Conversation,
        };
        Conversation::begin(workshop.backends, settings, (&policy, &command), image).await
    }

    fn mounts(&self) -> Vec<MountRequest> {
        let mount =
            |path: &Path, mode| MountRequest { source: path.to_owned(), target: path.to_owned(), mode };
        let read = self.read.iter().map(|path| mount(path, MountMode::ReadOnly));
        let own = read.chain(self.write.iter().map(|path| mount(path, MountMode::ReadWrite)));
        own.chain(self.mounts.iter().cloned()).collect()
    }
}

/// A text with the values of the variables that it names; what was put in is not read again.
fn filled(text: &str, variables: &BTreeMap<String, String>) -> String {
    let value = |name: &str| {
        let (name, otherwise) = name.split_once(":-").unwrap_or((name, ""));
        Some(variables.get(name).map_or(otherwise, String::as_str).to_owned())
    };
    placeholder::replaced(text, value)
}

impl Conversation {
    /// Launches a command that is talked to.
    pub(crate) async fn begin(
        backends: &Backends,
        settings: &Sandbox,
        (policy, command): (&Policy, &Command),
        image: Resolved,
    ) -> Result<Self, Refusal> {
        let child = backends.choose(None, settings)?.launch(policy, command).await?;
        Ok(Self { child, complaint: String::new(), _image: image })
    }

    /// Where what is said to it is written; once.
    pub fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.take_stdin()
    }

    /// What it says next; nothing when it has ended or says more than anybody hears.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let chunk = self.child.next().await?;
            match chunk.stream {
                Stream::Stdout => return Some(chunk.bytes),
                Stream::Stderr => self.remember(&chunk.bytes),
            }
        }
    }

    /// The last that it said to people.
    pub fn complaint(&self) -> &str {
        self.complaint.trim()
    }

    fn remember(&mut self, bytes: &[u8]) {
        self.complaint.push_str(&String::from_utf8_lossy(bytes));
        let excess = self.complaint.len().saturating_sub(LONGEST_COMPLAINT);
        let begin = (excess..self.complaint.len()).find(|at| self.complaint.is_char_boundary(*at));
        self.complaint.drain(..begin.unwrap_or(self.complaint.len()));
    }
}
