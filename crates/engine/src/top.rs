//! `top`: what is going on, in one look: what waits for a person, what runs, what has ended, what is wrong.
//!
//! It changes nothing. When to look again is the caller's to decide; [`crate::pulse()`] tells whether it is worth it.

use std::cmp::Reverse;
use std::path::Path;

use guild_ledger::Filter;
use guild_manifest::{Problem, Severity};

use crate::approvals::{request_contents, requests};
use crate::hall::Hall;
use crate::premises::Premises;
use crate::reply::{ProblemLine, ReceiptLine, Top, WaitingLine};
use crate::{Envelope, Refusal, Status};

/// Receipts that are looked at for what has ended.
const LOOKED_AT: usize = 200;
/// What has ended, at the most.
const MOST_ENDED: usize = 50;
/// Problems that are listed, at the most.
const MOST_PROBLEMS: usize = 200;

/// Looks at everything.
pub async fn top(premises: &Premises) -> Envelope<Top> {
    match look(premises).await {
        Ok(reply) => Envelope::ok(reply),
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn look(premises: &Premises) -> Result<Top, Refusal> {
    let (hall, books) = (premises.hall(), &premises.books);
    let waiting = requests(books, premises.now()).await;
    if waiting.status == Status::Error {
        return Err(Refusal::new(waiting.code, waiting.message));
    }
    let with_contents = |request| {
        let contents = request_contents(premises.store(), &request).ok();
        WaitingLine { request, contents }
    };
    let running = books.ledger.unfinished().await.map_err(|error| books.refusal(error))?;
    let latest = books.ledger.receipts(&Filter::default(), None, LOOKED_AT).await;
    let latest = latest.map_err(|error| books.refusal(error))?.receipts;
    let has_ended = |line: &ReceiptLine| matches!(line.kind, "finished" | "interrupted" | "denied");
    let (problems, problem_count) = problems(&hall);
    Ok(Top {
        workspace: hall.machine.workspace().to_string_lossy().into_owned(),
        skill_count: hall.snapshot.skills.len(),
        waiting: waiting.data.requests.into_iter().map(with_contents).collect(),
        running: running.iter().map(ReceiptLine::of).collect(),
        ended: latest.iter().map(ReceiptLine::of).filter(has_ended).take(MOST_ENDED).collect(),
        problems,
        problem_count,
    })
}

/// Errors and warnings of everything that was found, errors first, and how many there are.
fn problems(hall: &Hall) -> (Vec<ProblemLine<'static>>, usize) {
    let snapshot = &hall.snapshot;
    let of_skills = snapshot.skills.iter().map(|entry| (&entry.place, &entry.problems));
    let of_broken = snapshot.broken.iter().map(|broken| (&broken.place, &broken.problems));
    let in_skills = of_skills.chain(of_broken).flat_map(|(place, problems)| {
        problems.iter().map(move |problem| (place.directory.as_path(), problem))
    });
    // What belongs to no skill names whole paths already.
    let elsewhere = snapshot.problems.iter().map(|problem| (Path::new(""), problem));
    let mut found: Vec<(&Path, &Problem)> =
        elsewhere.chain(in_skills).filter(|(_, problem)| problem.severity != Severity::Info).collect();
    found.sort_by_key(|(directory, problem)| {
        (Reverse(problem.severity), *directory, &problem.file, problem.at)
    });
    let line = |(directory, problem): &(&Path, &Problem)| {
        let file = directory.join(&problem.file).to_string_lossy().into_owned();
        ProblemLine::owned(Problem { file, ..(*problem).clone() })
    };
    (found.iter().take(MOST_PROBLEMS).map(line).collect(), found.len())
}
