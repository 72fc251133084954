//! From how a script ended to its reply and to what the receipt says.

use std::path::Path;

use guild_ledger::{Timestamp, receipt};
use guild_manifest::Digest;
use guild_sandbox::{Captured, ExitStatus, Outcome};

use super::contained::Ran;
use super::discretion;
use crate::reply::{self, ChangeSummary, SandboxRun};
use crate::run::executor::Done;
use crate::run::output;
use crate::run::params::ParamError;
use crate::run::prepare::Prepared;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// What came of a script, checked against its contract.
pub fn done(workshop: &Workshop<'_>, prepared: &Prepared<'_>, started: Timestamp, ran: Ran) -> Done {
    let mut reply = reply_of(prepared, &ran);
    let directory = ran.output.as_ref().map(|(directory, _)| directory.as_path());
    if let Some(directory) = directory {
        reply.files = output::files(directory, &ran.outcome.kept);
    }
    // A directory of the caller's may hold the answer of another run.
    let answered = ran.outcome.kept.iter().any(|file| file.path == Path::new(output::RESPONSE));
    let answer = directory.filter(|_| answered);
    let refusal = failure(&ran.outcome).or_else(|| crate::sandbox::obstructed(&ran.outcome, directory));
    let refusal = refusal.or_else(|| match output::read(answer, &ran.outcome.stdout.bytes) {
        Ok(value) => {
            reply.errors = output::errors(&prepared.contract, &prepared.staged.skill_directory(), &value);
            reply.output = Some(value);
            invalid(&reply.errors)
        }
        Err(reason) => Some(Refusal::new(Code::OutputInvalid, reason)),
    });
    let outcome = Some(kept(workshop, prepared, started, &ran, &reply));
    match refusal {
        Some(refusal) => Done { outcome, ..Done::failed(reply, refusal) },
        None => {
            let message = crate::sandbox::remarks(&ran.outcome, &ran.changes);
            Done { outcome, message, ..Done::ok(reply) }
        }
    }
}

fn reply_of(prepared: &Prepared<'_>, ran: &Ran) -> reply::Run {
    let SandboxRun { exit_code, timed_out, oom, stdout, stderr, truncated, wall_time_ms, .. } =
        SandboxRun::from(&ran.outcome);
    let SandboxRun { left_behind, backend, unenforced, .. } = SandboxRun::from(&ran.outcome);
    reply::Run {
        exit_code,
        timed_out,
        oom,
        stdout,
        stderr,
        truncated,
        wall_time_ms,
        left_behind,
        backend,
        unenforced,
        changes: ran.changes.clone(),
        container_id: ran.container.clone(),
        owned_container: ran.container.is_none(),
        ..prepared.reply()
    }
}

/// Why a script did not succeed.
fn failure(outcome: &Outcome) -> Option<Refusal> {
    let (code, message) = match outcome.status {
        _ if outcome.timed_out => (Code::ScriptTimedOut, "the script's time was up".to_owned()),
        _ if outcome.oom => (Code::ScriptOutOfMemory, "the script ran out of memory".to_owned()),
        ExitStatus::Code(0) => return None,
        ExitStatus::Code(code) => (Code::ScriptFailed, format!("the script ended with exit code {code}")),
        ExitStatus::Signal(signal) => {
            (Code::ScriptFailed, format!("the script was killed by signal {signal}"))
        }
    };
    Some(Refusal::new(code, message))
}

fn invalid(errors: &[ParamError]) -> Option<Refusal> {
    let told: Vec<String> = errors.iter().map(|error| format!("{}{}", place(error), error.message)).collect();
    let message = format!("the result is not what the skill declares: {}", told.join("; "));
    (!errors.is_empty()).then(|| Refusal::new(Code::OutputInvalid, message))
}

fn place(error: &ParamError) -> String {
    if error.path.is_empty() { String::new() } else { format!("{}: ", error.path) }
}

/// What the receipt says; what was printed is kept as blobs without secrets, which may be pruned later.
fn kept(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    started: Timestamp,
    ran: &Ran,
    reply: &reply::Run,
) -> receipt::Outcome {
    let outcome = &ran.outcome;
    let mut discretion = discretion(prepared);
    ran.secrets.iter().for_each(|secret| discretion.hide(secret));
    let mut kept = receipt::Outcome::at(started, workshop.now());
    match outcome.status {
        ExitStatus::Code(code) => kept.exit_code = Some(code),
        ExitStatus::Signal(signal) => kept.signal = Some(signal),
    }
    kept.timed_out = outcome.timed_out;
    kept.out_of_memory = outcome.oom;
    for (name, stream) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if stream.total > 0 {
            // A log that cannot be kept is missed by nobody but whoever looks for it; its digest stays.
            let log = discretion.bytes(&stream.bytes);
            workshop.store.put_log(&log).ok();
            kept.outputs.insert(name.to_owned(), stream_of(stream, &log));
        }
    }
    for file in &reply.files {
        if let Ok(digest) = file.digest.parse() {
            let output = receipt::Output { digest, bytes: file.size, truncated: false };
            kept.outputs.insert(format!("/output/{}", file.path), output);
        }
    }
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    kept.resources.cpu_ms = outcome.usage.cpu.map(millis);
    kept.resources.memory_bytes = outcome.usage.peak_memory;
    kept.changes = ran.changes.first().map(ChangeSummary::kept);
    kept
}

fn stream_of(stream: &Captured, log: &[u8]) -> receipt::Output {
    receipt::Output { digest: Digest::of(log), bytes: stream.total, truncated: stream.truncated() }
}
