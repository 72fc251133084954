//! A command in a container that runs: begun, fed, listened to, and asked how it ended.

mod speech;

use std::ffi::{OsStr, OsString};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;

use super::first::{self, Company, Victims};
use super::living::Living;
use super::walls::Walls;
use crate::backend::LaunchError;
use crate::child::{Feed, Stream};
use crate::command::{Command, Stdin};
use crate::outcome::ExitStatus;
use crate::policy::Policy;
use crate::search;
use speech::{LastWords, Speech};

/// Bytes that are read of a command's output at a time.
const BUFFER: usize = 64 << 10;

/// How often an engine is asked for the exit code of a command whose output has ended, and how long is waited between.
const ASKED: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);

/// A command that was begun.
pub(super) struct Running {
    living: Arc<Living>,
    id: String,
    output: Output,
    speech: Speech,
    /// What an engine says in a command's place.
    objection: String,
    writing: Option<Writing>,
}

/// The task that writes what a command reads.
struct Writing {
    task: AbortHandle,
    /// There is nobody any more to read it.
    over: Arc<Notify>,
}

/// How a command ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// It ran to its end.
    Status(ExitStatus),
    /// It could not be executed.
    NotExecuted(io::Error),
    /// It could not start in its directory.
    Astray(io::Error),
    /// The engine did not begin it, and says why.
    Refused(String),
    /// The container ended before it.
    Gone,
}

/// What a command reads.
pub(super) enum Input {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What comes.
    Piped(mpsc::Receiver<Vec<u8>>),
}

/// A command as an engine takes it.
pub(super) struct Prepared(ExecConfig);

impl Prepared {
    /// Prepares a command of a policy's, or says why engines do not take it.
    pub(super) fn new(
        policy: &Policy,
        command: &Command,
        company: Company,
        walls: &Walls,
    ) -> Result<Prepared, LaunchError> {
        let search::Found { candidates, env, .. } = search::find(&policy.env, command)?;
        let arguments = first::to_run(company, walls, command.cwd.as_os_str(), candidates, &command.argv);
        let cmd: Vec<String> = arguments.into_iter().map(utf8).collect::<Result<_, _>>()?;
        let env = env.into_iter().map(|variable| format!("{}{variable}", first::MARK)).collect();
        let attach_stdin = Some(command.stdin != Stdin::Empty);
        Ok(Prepared(ExecConfig { attach_stdin, env: Some(env), ..config(cmd, policy.user) }))
    }
}

/// Begins a command.
pub(super) async fn begin(
    living: &Arc<Living>,
    prepared: Prepared,
    input: Option<Input>,
) -> Result<Running, LaunchError> {
    let (id, output, to) = attach(living, prepared.0).await?;
    let writing = input.map(|input| {
        let over = Arc::new(Notify::new());
        let task = tokio::spawn(write(to, input, Arc::clone(&over))).abort_handle();
        Writing { task, over }
    });
    Ok(Running {
        living: Arc::clone(living),
        id,
        output,
        speech: Speech::default(),
        objection: String::new(),
        writing,
    })
}

/// Kills processes of the container's, as the user that they are.
pub(super) async fn kill(living: &Arc<Living>, user: u32, victims: Victims) -> Result<(), LaunchError> {
    let (id, mut output, _) = attach(living, config(first::to_kill(victims), user)).await?;
    while output.next().await.is_some() {}
    match exit_code(living, &id).await {
        Some(0) => Ok(()),
        _ => Err(LaunchError::Ended),
    }
}

fn config(cmd: Vec<String>, user: u32) -> ExecConfig {
    ExecConfig {
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        tty: Some(false),
        cmd: Some(cmd),
        user: Some(format!("{user}:{user}")),
        working_dir: Some("/".to_owned()),
        ..ExecConfig::default()
    }
}

type Output = Pin<Box<dyn futures_util::Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;
type ToInput = Pin<Box<dyn AsyncWrite + Send>>;

async fn attach(living: &Living, config: ExecConfig) -> Result<(String, Output, ToInput), LaunchError> {
    let (client, refused) = (&living.connection.client, living.connection.refused());
    let id = client.create_exec(&living.id, config).await.map_err(&refused)?.id;
    let options = StartExecOptions { output_capacity: Some(BUFFER), ..StartExecOptions::default() };
    match client.start_exec(&id, Some(options)).await.map_err(&refused)? {
        StartExecResults::Attached { output, input } => Ok((id, output, input)),
        StartExecResults::Detached => Err(LaunchError::Ended),
    }
}

impl Running {
    /// Takes the output until it ends, which it does when the command has ended.
    pub(super) async fn listen(&mut self, feed: &mut Feed) {
        while let Some(Ok(output)) = self.output.next().await {
            match output {
                LogOutput::StdOut { message } => {
                    self.speech.read(&message, feed);
                    if let Some(writing) = self.writing.as_ref().filter(|_| self.speech.is_over()) {
                        writing.over.notify_one();
                    }
                }
                LogOutput::StdErr { message } => feed.push(Stream::Stderr, &message),
                LogOutput::Console { message } => self.objection.push_str(&String::from_utf8_lossy(&message)),
                LogOutput::StdIn { .. } => {}
            }
        }
    }

    /// How it ended; asked when its output has.
    pub(super) async fn ended(&mut self, feed: &mut Feed) -> Ended {
        let LastWords { reason, status } = self.speech.finish(feed);
        let told = status.map(told);
        if let (Some(ExitStatus::Code(first::NOT_EXECUTED)), Some(errno)) = (told, reason) {
            let error = io::Error::from_raw_os_error(i32::try_from(errno & !first::ASTRAY).unwrap_or(0));
            let is_astray = errno & first::ASTRAY != 0;
            return if is_astray { Ended::Astray(error) } else { Ended::NotExecuted(error) };
        }
        self.speech.take_back(feed);
        match (told, self.speech.process()) {
            (Some(status), _) => Ended::Status(status),
            // Whoever would have said it has been killed.
            (None, Some(_)) => exit_code(&self.living, &self.id)
                .await
                .map_or(Ended::Gone, |code| Ended::Status(counted(code))),
            (None, None) => {
                let words: Vec<&str> = self.objection.split_whitespace().collect();
                if words.is_empty() { Ended::Gone } else { Ended::Refused(words.join(" ")) }
            }
        }
    }

    /// Passes on what was held back of the output of a command that did not end by itself.
    pub(super) fn finish(&mut self, feed: &mut Feed) {
        self.speech.finish(feed);
    }

    /// Which process inside has begun it, as soon as that has said so.
    pub(super) fn process(&self) -> Option<u64> {
        self.speech.process()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(writing) = &self.writing {
            writing.task.abort();
        }
    }
}

/// How a process ended, as the system tells its parent.
fn told(status: u64) -> ExitStatus {
    let signal = i32::try_from(status & 0x7f).unwrap_or(0);
    let code = i32::try_from((status >> 8) & 0xff).unwrap_or(0);
    if signal > 0 { ExitStatus::Signal(signal) } else { ExitStatus::Code(code) }
}

/// Engines tell a signal as shells do, and cannot be asked whether it was one or an exit code of that number.
fn counted(code: i64) -> ExitStatus {
    let code = i32::try_from(code).unwrap_or(i32::MAX);
    if (129..=192).contains(&code) { ExitStatus::Signal(code - 128) } else { ExitStatus::Code(code) }
}

/// The exit code, which an engine may know a little later than the output ends; `None` if it never does.
async fn exit_code(living: &Living, id: &str) -> Option<i64> {
    for _ in 0..ASKED {
        let answer = living.connection.client.inspect_exec(id).await.ok()?;
        if answer.running != Some(true)
            && let Some(code) = answer.exit_code
        {
            return Some(code);
        }
        tokio::time::sleep(PAUSE).await;
    }
    None
}

/// Writes what a command reads, to its end or the command's. What the command did not read, whoever has begun it reads.
async fn write(mut to: ToInput, input: Input, over: Arc<Notify>) {
    let writing = async {
        match input {
            Input::Bytes(bytes) => to.write_all(&bytes).await,
            Input::Piped(mut chunks) => {
                while let Some(chunk) = chunks.recv().await {
                    to.write_all(&chunk).await?;
                    to.flush().await?;
                }
                Ok(())
            }
        }
    };
    // A pipe that was closed from the other side needs no end from this one.
    let _: io::Result<()> = tokio::select! {
        written = writing => written,
        () = over.notified() => Ok(()),
    };
    let _ = to.shutdown().await;
}

fn utf8(argument: OsString) -> Result<String, LaunchError> {
    argument.into_string().map_err(|argument: OsString| LaunchError::InvalidPolicy {
        reason: format!("engines take no argument that is not UTF-8: {:?}", OsStr::new(&argument)),
    })
}
