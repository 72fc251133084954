//! One job: what it says while it goes on, and how it ended.
//!
//! What it says is kept, so that whoever comes later, or comes back, misses nothing; but not more of it than fits.

use std::sync::{Mutex, PoisonError};

use guild_ledger::{Principal, Timestamp};
use guild_sandbox::{Chunk, Stream};
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::reply::{PrincipalLine, Run, RunJob};
use crate::run::Stage;
use crate::{Code, Envelope};

/// How much of what a job prints is kept for those who listen.
const MOST_TEXT: usize = 512 << 10;

/// Something that happened to a job.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum JobNote {
    /// It waits for an answer to this request.
    Waits {
        /// The request's id.
        request: String,
    },
    /// It runs.
    Runs,
    /// It printed something.
    Output {
        /// `stdout` or `stderr`.
        stream: &'static str,
        /// What; bytes that are no UTF-8 are replaced.
        text: String,
    },
    /// It printed more than is kept for those who listen; its end has what the run keeps.
    Overflow,
    /// It ended.
    Ended(Box<Envelope<Run>>),
}

/// A run that goes on, or has ended.
#[derive(Debug)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The skill, as it was asked for.
    pub skill: String,
    /// At whose wish.
    pub by: Principal,
    at: Timestamp,
    said: Mutex<Said>,
    /// How many notes there are, for those who wait for more.
    count: watch::Sender<usize>,
    task: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Said {
    notes: Vec<JobNote>,
    /// The first bytes of a letter whose rest has not come yet, of either stream.
    begun: [Vec<u8>; 2],
    text: usize,
    is_full: bool,
}

impl Job {
    pub(super) fn new(id: String, skill: &str, by: Principal, at: Timestamp) -> Self {
        let (said, task, count) = (Mutex::default(), Mutex::default(), watch::Sender::new(0));
        Self { id, skill: skill.to_owned(), by, at, said, count, task }
    }

    /// Whether somebody may know of it.
    pub(super) fn is_seen_by(&self, by: &Principal) -> bool {
        !by.is_agent() || self.is_of(by)
    }

    /// Whether it is of the same agent, or of people where people ask.
    pub(super) fn is_of(&self, by: &Principal) -> bool {
        self.by.kind == by.kind && self.by.agent == by.agent
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(said.notes.last(), Some(JobNote::Ended(_)))
    }

    /// Keeps what does it, so that it can be stopped.
    pub(super) fn hold(&self, task: JoinHandle<()>) {
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    /// Stops it, and comes back when nothing of it is left.
    pub(super) async fn stop(&self) {
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            task.abort();
            task.await.ok();
        }
    }

    pub(super) fn reach(&self, stage: Stage<'_>) {
        self.note(match stage {
            Stage::Waits { request } | Stage::Asks { request } => {
                JobNote::Waits { request: request.to_owned() }
            }
            Stage::Runs => JobNote::Runs,
        });
    }

    pub(super) fn hear(&self, chunk: &Chunk) {
        let text = {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            let [stdout, stderr] = &mut said.begun;
            whole_letters(if chunk.stream == Stream::Stdout { stdout } else { stderr }, &chunk.bytes)
        };
        if !text.is_empty() {
            self.note(JobNote::Output { stream: word(chunk.stream), text });
        }
    }

    /// Tells what had begun and never came to its end.
    fn flush(&self) {
        let begun = {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut said.begun)
        };
        for (stream, bytes) in [Stream::Stdout, Stream::Stderr].into_iter().zip(begun) {
            if !bytes.is_empty() {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.note(JobNote::Output { stream: word(stream), text });
            }
        }
    }

    /// Writes its end down; the first end is the one that counts.
    pub(super) fn end(&self, envelope: Envelope<Run>) {
        if !self.has_ended() {
            self.flush();
            self.note(JobNote::Ended(Box::new(envelope)));
        }
    }

    fn note(&self, note: JobNote) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let JobNote::Output { text, .. } = &note {
            said.text += text.len();
            if said.text > MOST_TEXT {
                if std::mem::replace(&mut said.is_full, true) {
                    return;
                }
                said.notes.push(JobNote::Overflow);
                self.count.send_replace(said.notes.len());
                return;
            }
        }
        said.notes.push(note);
        self.count.send_replace(said.notes.len());
    }

    /// What happened from the note of this number on.
    pub fn notes(&self, from: usize) -> Vec<JobNote> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.notes.get(from..).unwrap_or_default().to_vec()
    }

    /// Comes back when there are more notes than that many.
    pub async fn more(&self, than: usize) {
        self.count.subscribe().wait_for(|count| *count > than).await.ok();
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<Envelope<Run>> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match said.notes.last() {
            Some(JobNote::Ended(envelope)) => Some((**envelope).clone()),
            _ => None,
        }
    }

    /// Comes back with how it ended.
    pub async fn ended(&self) -> Envelope<Run> {
        let mut seen = 0;
        loop {
            if let Some(envelope) = self.outcome() {
                return envelope;
            }
            self.more(seen).await;
            seen = *self.count.borrow();
        }
    }

    /// What a list says of it.
    pub fn line(&self) -> RunJob {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = RunJob {
            id: self.id.clone(),
            skill: self.skill.clone(),
            by: Some(PrincipalLine::of(&self.by)),
            at: self.at.to_string(),
            state: "prepares",
            ..RunJob::default()
        };
        for note in &said.notes {
            match note {
                JobNote::Waits { request } => {
                    line.state = "waits";
                    line.request = Some(request.clone());
                }
                JobNote::Runs => line.state = "runs",
                JobNote::Ended(envelope) => {
                    line.state = if envelope.code == Code::RunCancelled { "cancelled" } else { "ended" };
                    line.code = Some(envelope.code.as_str());
                    line.run.clone_from(&envelope.data.run);
                    line.receipt.clone_from(&envelope.data.receipt);
                }
                JobNote::Output { .. } | JobNote::Overflow => {}
            }
        }
        line
    }
}

fn word(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    }
}

/// What has come so far as text; the first bytes of a letter are kept until the rest of it comes.
fn whole_letters(begun: &mut Vec<u8>, bytes: &[u8]) -> String {
    begun.extend_from_slice(bytes);
    let is_cut = |count: &usize| {
        let lead = begun.len().checked_sub(*count).and_then(|at| begun.get(at));
        lead.is_some_and(|lead| match lead {
            0xC0..=0xDF => *count < 2,
            0xE0..=0xEF => *count < 3,
            0xF0..=0xF7 => *count < 4,
            _ => false,
        })
    };
    let kept = (1..=3).find(is_cut).unwrap_or(0);
    let rest = begun.split_off(begun.len() - kept);
    let text = String::from_utf8_lossy(begun).into_owned();
    *begun = rest;
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        let by = Principal::agent("writer", "http");
        Job::new("job_1".to_owned(), "greet", by, Timestamp::from_millis(0))
    }

    fn chunk(text: &str) -> Chunk {
        Chunk { stream: Stream::Stdout, bytes: text.as_bytes().to_vec() }
    }

    #[test]
    fn an_agent_sees_its_own_and_a_person_all() {
        let job = job();
        let seen = [
            Principal::agent("writer", "http"),
            Principal::agent("other", "http"),
            Principal::person("http"),
        ];
        assert_eq!(seen.map(|by| job.is_seen_by(&by)), [true, false, true]);
    }

    #[test]
    fn what_is_printed_beyond_all_bounds_is_told_once_and_not_kept() {
        let job = job();
        let much = "x".repeat(MOST_TEXT / 2);
        (0..5).for_each(|_| job.hear(&chunk(&much)));
        let notes = job.notes(0);
        assert_eq!(notes.len(), 3);
        assert!(matches!(notes.last(), Some(JobNote::Overflow)));
    }

    #[test]
    fn a_letter_that_comes_in_pieces_is_told_whole() {
        let job = job();
        let bytes = "aé€😀".as_bytes();
        for byte in bytes.iter().chain(&[0xE2, 0x82]) {
            job.hear(&Chunk { stream: Stream::Stdout, bytes: vec![*byte] });
        }
        job.end(Envelope::ok(Run::nothing("greet")));
        let text = |note: &JobNote| match note {
            JobNote::Output { text, .. } => text.clone(),
            _ => String::new(),
        };
        let told: Vec<String> = job.notes(0).iter().map(text).collect();
        assert_eq!(told, ["a", "é", "€", "😀", "\u{fffd}", ""]);
    }

    #[test]
    fn the_first_end_is_the_one_that_counts() {
        let job = job();
        job.reach(Stage::Waits { request: "apr_1" });
        assert_eq!((job.line().state, job.line().request.as_deref()), ("waits", Some("apr_1")));
        job.end(Envelope::error(Code::RunCancelled, "", Run::nothing("greet")));
        job.end(Envelope::ok(Run::nothing("greet")));
        assert_eq!((job.line().state, job.line().code), ("cancelled", Some("run_cancelled")));
    }
}
