//! A program of the person's that answers: an argument list of its own, no shell, a small environment, bounds on time and output.
//!
//! It runs outside any container, as the person's own agent does. Its tools come back to us: its configuration for MCP names the
//! run, and this program serves that run's tools alone.

mod preset;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_engine::containers::host::{ConfiguredCommand, HostError, Leash, run_configured};
use guild_engine::ports::{SubagentError, SubagentTask};
use guild_engine::{CommandRunner, Workshop};
use serde_json::{Value, json};

/// What is read of an answer.
const LONGEST_ANSWER: usize = 1 << 20;
/// The largest file that the program may write: its own logs and caches.
const LARGEST_FILE: u64 = 1 << 30;
/// The longest argument that the system takes.
const LONGEST_ARGUMENT: usize = 120 << 10;
/// As much as is told of what it said to people.
const LONGEST_COMPLAINT: usize = 500;
/// What every program needs to find its way.
const BASE: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
];
/// What this program needs to find the same configuration and ledger.
const OURS: &[&str] = &[
    "HOME",
    "PATH",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "GUILD_ETC",
];

/// What a program is started with.
pub(crate) struct Launch {
    words: Vec<String>,
    /// Variables of the preset's own.
    variables: BTreeMap<String, String>,
    stdin: Vec<u8>,
    /// Where the answer is, if not on standard output.
    answer: Option<PathBuf>,
}

/// Runs the program to its end.
pub(crate) async fn run(
    guild: &Path,
    runner: &CommandRunner,
    workshop: &Workshop<'_>,
    task: &SubagentTask<'_>,
    patience: Duration,
) -> Result<String, SubagentError> {
    let files = tempfile::tempdir().map_err(|error| unavailable("no directory for its files", &error))?;
    let server = server(guild, workshop, task);
    let mcp =
        Files::new(files.path()).write("mcp.json", &json!({"mcpServers": {"guild": server.clone()}}))?;
    let launch = match runner.preset {
        Some(preset) => preset::launch(preset, &runner.command, task, &server, &Files::new(files.path()))?,
        None => template(runner, task, &mcp)?,
    };
    if launch.words.iter().any(|word| word.len() > LONGEST_ARGUMENT) {
        return Err(SubagentError::Failed(
            "the task or the instructions are longer than an argument can be".to_owned(),
        ));
    }
    let named: Vec<String> = preset::variables(runner.preset).iter().map(|name| (*name).to_owned()).collect();
    let named = [named, runner.env.clone()].concat();
    let given =
        workshop.environment(&named).await.map_err(|refusal| SubagentError::Unavailable(refusal.message))?;
    given.values().for_each(|value| task.transcript.hide(value));
    let environment = &workshop.hall.machine.env;
    let base = BASE.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(*name)?.clone())));
    let program = launch.words.first().cloned().unwrap_or_default();
    (task.tell)(&format!("runs {program}"));
    let command = ConfiguredCommand {
        words: launch.words,
        directory: task.directory.to_owned(),
        environment: base.chain(given).chain(launch.variables).collect(),
        stdin: launch.stdin,
        patience,
        max_output: LONGEST_ANSWER,
        max_file_bytes: LARGEST_FILE,
    };
    // Dropped with this future, the leash ends the program.
    let leash = Leash::default();
    let end = leash.other_end();
    let ended = tokio::task::spawn_blocking(move || run_configured(command, &end)).await;
    let output = ended.map_err(|error| unavailable("it cannot be waited for", &error))?.map_err(failure)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    task.transcript
        .note("assistant", &json!({"exit_code": output.code, "stdout": said, "stderr": output.stderr}));
    if output.code != 0 {
        let complaint = last(if output.stderr.trim().is_empty() { &said } else { &output.stderr });
        let how = match output.code {
            signal @ ..0 => format!("was killed by signal {}", -signal),
            code => format!("ended with exit code {code}"),
        };
        return Err(SubagentError::Failed(format!("`{program}` {how}{complaint}")));
    }
    match launch.answer {
        None => Ok(said),
        Some(path) => answer_in(&path),
    }
}

/// The file that a program left its answer in.
fn answer_in(path: &Path) -> Result<String, SubagentError> {
    let none = |error: &dyn std::fmt::Display| SubagentError::Failed(format!("it left no answer: {error}"));
    let size = fs::metadata(path).map_err(|error| none(&error))?.len();
    if size > LONGEST_ANSWER as u64 {
        return Err(SubagentError::Failed(format!("its answer is longer than {LONGEST_ANSWER} bytes")));
    }
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| none(&error))
}

/// The person's own argument list, with its placeholders filled in.
fn template(runner: &CommandRunner, task: &SubagentTask<'_>, mcp: &Path) -> Result<Launch, SubagentError> {
    let mut words = Vec::new();
    for word in &runner.command {
        words.push(match word.as_str() {
            "{prompt}" => format!("{}\n\n{}", task.instructions, task.task),
            "{system}" => task.instructions.to_owned(),
            "{task}" => task.task.to_owned(),
            "{mcp_config}" => mcp.to_string_lossy().into_owned(),
            "{model}" => task.runner.model.clone().ok_or_else(|| {
                SubagentError::Unavailable("its command has `{model}`, and no model is named".to_owned())
            })?,
            _ => word.clone(),
        });
    }
    Ok(Launch { words, variables: BTreeMap::new(), stdin: Vec::new(), answer: None })
}

/// This program as an MCP server that serves the run's tools.
fn server(guild: &Path, workshop: &Workshop<'_>, task: &SubagentTask<'_>) -> Value {
    let machine = &workshop.hall.machine;
    let environment: BTreeMap<&str, &str> =
        OURS.iter().filter_map(|name| Some((*name, machine.env.get(*name)?.as_str()))).collect();
    let directory = machine.directory.to_string_lossy();
    json!({
        "command": guild.to_string_lossy(),
        "args": ["mcp", "--agent", task.agent, "--run", task.run, "-C", directory],
        "env": environment,
    })
}

/// Files for one run of a program, which go when it has ended.
pub(crate) struct Files<'a>(&'a Path);

impl<'a> Files<'a> {
    fn new(directory: &'a Path) -> Self {
        Self(directory)
    }

    /// Where a file of this name is or will be.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes JSON, or a text as it is.
    pub(crate) fn write(&self, name: &str, content: &Value) -> Result<PathBuf, SubagentError> {
        let path = self.place(name);
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        let written = fs::File::create(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| unavailable("its files cannot be written", &error))?;
        Ok(path)
    }
}

fn unavailable(what: &str, error: &dyn std::fmt::Display) -> SubagentError {
    SubagentError::Unavailable(format!("{what}: {error}"))
}

fn failure(error: HostError) -> SubagentError {
    let message = match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    match error {
        HostError::Missing { .. } | HostError::Run { .. } => SubagentError::Unavailable(message),
        HostError::TimedOut { .. } => SubagentError::TimedOut(message),
        HostError::TooMuch { .. } | HostError::Stopped { .. } => SubagentError::Failed(message),
    }
}

/// The end of what a program said, as the end of a sentence.
fn last(said: &str) -> String {
    let said = said.trim();
    let skipped = said.chars().count().saturating_sub(LONGEST_COMPLAINT);
    let end: String = said.chars().skip(skipped).collect();
    if end.is_empty() { String::new() } else { format!("; it said: {end}") }
}
