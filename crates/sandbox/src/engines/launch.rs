//! The life of one command: watched until it ends, is killed or runs out of time, and what came of it.
//!
//! A command of its own container takes the container with it. One in a container that lives on leaves everything else there alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::exec::{self, Ended, Input, Prepared, Running};
use super::first::{Company, Victims};
use super::keep;
use super::living::Living;
use super::usage::{self, Counted};
use super::worker;
use crate::backend::LaunchError;
use crate::child::{Child, ChildEnd, Feed, Killer};
use crate::command::{Command, Stdin};
use crate::outcome::{ExitStatus, Outcome, Usage};
use crate::policy::Policy;
use crate::probe::Feature;

/// How long the output of killed processes may take to end.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// How long a command may bear children faster than they are killed, before its container ends with it.
const RESISTANCE: Duration = Duration::from_secs(30);

/// How often it is tried to kill a command without its container, and how long is waited between.
const KILLED: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Longer than anybody waits, and not beyond what clocks can count.
const CENTURY: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);

const SIGKILL: i32 = 9;

/// One command, with all that its task needs.
pub(super) struct Job {
    /// Where it runs.
    pub(super) living: Arc<Living>,
    /// Whether that is its own.
    pub(super) company: Company,
    /// Its user, limits and kept directories.
    pub(super) policy: Policy,
    /// The program, as it was asked for.
    pub(super) program: String,
    /// Where it starts, as it was asked for.
    pub(super) cwd: PathBuf,
    /// Limits that are not enforced.
    pub(super) unenforced: Vec<Feature>,
    /// When the launch was asked for.
    pub(super) begun: Instant,
}

/// Why nobody listens to a command any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Ended,
    TimedOut,
    Killed,
}

/// The program of a command, as it was asked for.
pub(super) fn program(command: &Command) -> String {
    command.argv.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default()
}

/// How long something may take that has begun at some moment.
pub(super) fn left_of(limit: Duration, begun: Instant) -> Duration {
    limit.saturating_sub(begun.elapsed()).min(CENTURY)
}

/// Begins a command and watches it from a task of its own.
pub(super) async fn launch(job: Job, prepared: Prepared, stdin: Stdin) -> Result<Child, LaunchError> {
    let kill = Arc::new(Notify::new());
    let killer = Arc::clone(&kill);
    let (mut child, feed, end) =
        Child::new(job.policy.limits.kept_output, Killer::new(move || killer.notify_one()));
    let input = match stdin {
        Stdin::Empty => None,
        Stdin::Bytes(bytes) => Some(Input::Bytes(bytes)),
        Stdin::Piped => Some(Input::Piped(child.pipe_stdin())),
        Stdin::Conversation => Some(Input::Piped(child.converse())),
    };
    let before = match job.company {
        Company::Alone => Counted::default(),
        Company::Others => usage::counted(&job.living).await,
    };
    let running = exec::begin(&job.living, prepared, input).await?;
    worker::begin(watch(job, Watched { running, feed, before, kill }, end));
    Ok(child)
}

/// A command, and all that is to be heard of it.
struct Watched {
    running: Running,
    feed: Feed,
    before: Counted,
    kill: Arc<Notify>,
}

async fn watch(job: Job, mut watched: Watched, end: ChildEnd) {
    let time = left_of(job.policy.limits.timeout, job.begun);
    let why = tokio::select! {
        () = watched.running.listen(&mut watched.feed) => Why::Ended,
        () = sleep(time) => Why::TimedOut,
        () = watched.kill.notified() => Why::Killed,
    };
    let outcome = finish(job, watched, why).await;
    // Nobody may be waiting for it.
    let _ = end.send(outcome);
}

async fn finish(job: Job, watched: Watched, why: Why) -> Result<Outcome, LaunchError> {
    let Watched { mut running, mut feed, before, .. } = watched;
    let ended = match why {
        Why::Ended => running.ended(&mut feed).await,
        _ => Ended::Status(ExitStatus::Signal(SIGKILL)),
    };
    let wall = job.begun.elapsed();
    let victim = running.process().filter(|_| why != Why::Ended);
    let ending = async {
        match job.company {
            Company::Alone => end_container(&job, why).await,
            Company::Others => end_command(&job, victim, before).await,
        }
    };
    let result = if why == Why::Ended {
        ending.await
    } else {
        let result = while_listening(&mut running, &mut feed, ending).await;
        last_words(&job, &mut running, &mut feed).await?;
        result
    };
    let Aftermath { counted, copied } = result?;
    let status = status(&job, ended, running.process().is_some())?;
    let (stdout, stderr) = feed.into_captured();
    Ok(Outcome {
        status,
        timed_out: why == Why::TimedOut,
        oom: counted.oom == Some(true),
        stdout,
        stderr,
        usage: Usage { wall, cpu: counted.cpu, peak_memory: counted.peak_memory, bytes_written: None },
        kept: copied.kept,
        left_behind: copied.left_behind,
        backend: job.living.connection.backend.into(),
        unenforced: job.unenforced,
    })
}

/// Ends a command while its output is still taken: Podman kills nobody for as long as somebody is stuck with what he has to say.
async fn while_listening<T>(running: &mut Running, feed: &mut Feed, ending: impl Future<Output = T>) -> T {
    let mut ending = std::pin::pin!(ending);
    tokio::select! {
        result = &mut ending => result,
        () = running.listen(feed) => ending.await,
    }
}

/// What was written before the end is still on its way. A command that is not silent after that lives, and ends with its container.
async fn last_words(job: &Job, running: &mut Running, feed: &mut Feed) -> Result<(), LaunchError> {
    let patience = match job.company {
        Company::Alone => LAST_WORDS,
        Company::Others => RESISTANCE,
    };
    let is_silent = timeout(patience, running.listen(feed)).await.is_ok();
    running.finish(feed);
    if is_silent || job.company == Company::Alone { Ok(()) } else { job.living.remove().await }
}

/// What is found out when a command has ended.
#[derive(Default)]
struct Aftermath {
    counted: Counted,
    copied: keep::Copied,
}

/// Everything that is to be learnt from a container, and its removal.
async fn end_container(job: &Job, why: Why) -> Result<Aftermath, LaunchError> {
    let living = &job.living;
    let mut counted = usage::counted(living).await;
    let copied = if why == Why::Killed { keep::Copied::default() } else { keep_all(job).await };
    if counted.oom.is_none() {
        living.kill().await;
        counted.oom = living.state().await.map(|state| state.oom);
    }
    living.remove().await?;
    Ok(Aftermath { counted, copied })
}

/// Ends what is left of a command in a container that lives on, and tells whether memory ran out meanwhile.
async fn end_command(job: &Job, process: Option<u64>, before: Counted) -> Result<Aftermath, LaunchError> {
    if let Some(process) = process {
        kill_command(job, process).await?;
    }
    let after = usage::counted(&job.living).await;
    let oom = Some(after.oom_kills > before.oom_kills);
    // The rest is the container's, all its commands together.
    Ok(Aftermath { counted: Counted { oom, ..Counted::default() }, copied: keep::Copied::default() })
}

/// Kills a command in a container that lives on. A killer is a process too, for which a command that has taken all there may be leaves no
/// room but now and then; one that cannot be ended alone ends with its container.
async fn kill_command(job: &Job, process: u64) -> Result<(), LaunchError> {
    for _ in 0..KILLED {
        let killed = exec::kill(&job.living, job.policy.user, Victims::BegunBy(process)).await;
        // A container that has ended has taken the command with it.
        if killed.is_ok() || !job.living.runs().await {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
    job.living.remove().await
}

/// Copies the kept directories out, once everything is dead that could still change them.
async fn keep_all(job: &Job) -> keep::Copied {
    let mut all = keep::Copied::default();
    let wanted: Vec<_> =
        job.policy.scratch.iter().filter_map(|scratch| Some((scratch, scratch.keep.as_ref()?))).collect();
    if wanted.is_empty() {
        return all;
    }
    // A command that has killed who waited for it may have left others behind.
    let silenced = timeout(LAST_WORDS, exec::kill(&job.living, job.policy.user, Victims::Everybody)).await;
    for (scratch, to) in wanted {
        if !matches!(silenced, Ok(Ok(()))) {
            let reason = "what the command left running could not be ended".to_owned();
            all.left_behind.push((PathBuf::from("."), reason));
            continue;
        }
        let Living { connection, id, .. } = &*job.living;
        match keep::copy_out(connection, id, &scratch.target, scratch.size, to).await {
            Ok(copied) => {
                all.kept.extend(copied.kept);
                all.left_behind.extend(copied.left_behind);
            }
            Err(error) => all.left_behind.push((PathBuf::from("."), error.to_string())),
        }
    }
    all
}

fn status(job: &Job, ended: Ended, begun: bool) -> Result<ExitStatus, LaunchError> {
    match ended {
        Ended::Status(status) => Ok(status),
        Ended::NotExecuted(source) => Err(LaunchError::Exec { program: job.program.clone(), source }),
        Ended::Astray(source) => Err(LaunchError::Directory { path: job.cwd.clone(), source }),
        Ended::Refused(message) => {
            Err(LaunchError::Engine { backend: job.living.connection.backend, message })
        }
        // Whatever ended the container has killed the command with it.
        Ended::Gone if begun => Ok(ExitStatus::Signal(SIGKILL)),
        Ended::Gone => Err(LaunchError::Ended),
    }
}
