//! `search`: skills by what they are called, what they do and what they say.
//!
//! The snapshot holds no texts: they are read for each search, unless the hall remembers their words. How skills rank is the catalog's to say.

use crate::agent::{skills_of, slip};
use crate::file_match::FileMatch;
use crate::hall::Hall;
use crate::reply::{Search, SkillSummary};
use crate::vet::{Gate, Subject};
use crate::{Code, Envelope};
use guild_catalog::Entry;
use guild_catalog::search::Hit;
use guild_vet::Verdict;

/// What to search for.
#[derive(Debug)]
pub struct SearchRequest<'a> {
    /// The words.
    pub query: &'a str,
    /// How many at the most.
    pub limit: usize,
    /// Only skills that this agent may use; a person's search also finds what is hidden from models.
    pub agent: Option<&'a str>,
    /// Mark and lift the skills whose activation globs match this file.
    pub file: Option<&'a str>,
}

/// Searches.
pub fn search<'a>(hall: &'a Hall, request: &SearchRequest<'_>) -> Envelope<Search<'a>> {
    let query = request.query.trim().to_owned();
    let nothing = |query| Search { query, skills: Vec::new(), count: 0 };
    if query.is_empty() {
        let message = "the query is empty; say what you are looking for";
        return Envelope::error(Code::EmptyQuery, message, nothing(query));
    }
    let file = match FileMatch::of(hall, request.file) {
        Ok(file) => file,
        Err(message) => return Envelope::error(Code::InvalidPattern, message, nothing(query)),
    };
    let entries: Vec<&Entry> = match request.agent {
        Some(agent) => skills_of(hall, agent),
        None => hall.snapshot.skills.iter().collect(),
    };
    // What reaches a model is vetted first, so more hits are ranked than are asked for.
    let is_known = !hall.experience.is_empty();
    let ranked = if request.agent.is_some() || is_known { usize::MAX } else { request.limit };
    // A file that cannot be read now is still found by what the snapshot knows of it.
    let mut hits = hall.ranked(&entries, &query, ranked);
    if is_known {
        weigh(hall, &entries, &mut hits);
    }
    let mut gate = request.agent.map(|_| Gate::open(hall));
    let mut skills: Vec<SkillSummary<'_>> = hits
        .iter()
        .filter_map(|hit| entries.get(hit.index).map(|entry| (*entry, hit.score)))
        .filter_map(|(entry, score)| found(hall, &mut gate, entry, score))
        .take(request.limit)
        .collect();
    if let Some(gate) = gate {
        gate.close();
    }
    if let Some(file) = file {
        file.mark(&mut skills);
    }
    let message = request.agent.and_then(|agent| slip(hall, agent)).unwrap_or_default();
    Envelope::ok(Search { query, count: skills.len(), skills }).with_message(message)
}

/// Counts experience in: hits that are as good stay in the order that they had.
fn weigh(hall: &Hall, entries: &[&Entry], hits: &mut [Hit]) {
    for hit in hits.iter_mut() {
        let entry = entries.get(hit.index);
        let known = entry.and_then(|entry| hall.experience.get(entry.qualified_name().as_ref()));
        hit.score = known.map_or(hit.score, |known| known.weighed(hit.score));
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// A hit as it is told; to a model nothing is told of what is denied.
fn found<'a>(hall: &Hall, gate: &mut Option<Gate>, entry: &'a Entry, score: f64) -> Option<SkillSummary<'a>> {
    let vetted = gate.as_mut().map(|gate| gate.vet(&Subject::of_entry(&hall.snapshot, entry)).verdict);
    let summary = SkillSummary { score: Some(score), verdict: vetted, ..SkillSummary::of(entry) };
    (vetted != Some(Verdict::Deny.as_str())).then_some(summary)
}
