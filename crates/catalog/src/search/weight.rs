//! The score: BM25 over weighted frequencies, with the step of the literal match folded in.
//!
//! Rare terms count more, repetition counts less and less, and a loose match of a term counts only where there
//! is no better one.

use super::literal::{Place, Step};
use super::tally::{Tallies, Tally};

/// How soon repetition stops to count.
const SATURATION: f64 = 4.0;

/// What a meeting is worth, from the best grade to the worst, when nobody has what was typed.
const UNKNOWN: [f64; 4] = [1.0, 0.6, 0.5, 0.35];

/// The same when somebody does: then it is most likely what was meant.
const KNOWN: [f64; 4] = [1.0, 0.6, 0.08, 0.05];

/// How much more the words of a misspelt query count where the name has all of them: no description that repeats one passes it.
const MEANT_NAME: f64 = 3.0;

/// What each term and grade, and the query as a whole, is worth in one collection.
#[derive(Debug)]
pub(super) struct Weights {
    terms: Vec<[f64; 4]>,
    /// Of each term whether nobody has it as it was typed.
    misspelt: Vec<bool>,
    literal: f64,
}

impl Weights {
    pub(super) fn new(places: &[Place], tallies: &Tallies) -> Self {
        let total = places.len();
        let literal = places.iter().filter(|place| place.weight > 0.0).count();
        let weigh = |holders: [usize; 4]| {
            let [exact, ..] = holders;
            let mut weights = if exact + literal == 0 { UNKNOWN } else { KNOWN };
            for (weight, holders) in weights.iter_mut().zip(holders) {
                // A loose match of a common word must not pass for a rare word.
                *weight *= rarity(total, holders.max(exact));
            }
            weights
        };
        let holders = tallies.holders();
        let misspelt = holders.iter().map(|[exact, prefix, ..]| exact + prefix + literal == 0).collect();
        let terms = holders.into_iter().map(weigh).collect();
        Self { terms, misspelt, literal: rarity(total, literal) }
    }

    /// The score of one document, or nothing when it does not answer the query at all.
    pub(super) fn score(&self, place: Place, row: &[Tally]) -> Option<f64> {
        let terms: f64 = self.terms.iter().zip(row).map(|(weights, tally)| best(weights, tally)).sum();
        let is_named = !row.is_empty() && row.iter().all(|tally| tally.in_name);
        let is_met = |(tally, misspelt): (&Tally, &bool)| tally.in_name || tally.near_name && *misspelt;
        let is_almost_named = !row.is_empty() && row.iter().zip(&self.misspelt).all(is_met);
        let terms = if is_almost_named && !is_named { terms * MEANT_NAME } else { terms };
        let relevance = terms + self.literal * saturate(place.weight);
        if relevance <= 0.0 {
            return None;
        }
        let step = if is_named { place.step.max(Step::WordsInName) } else { place.step };
        Some(f64::from(step as u8) + relevance / (1.0 + relevance))
    }
}

fn best(weights: &[f64; 4], tally: &Tally) -> f64 {
    let scores = weights.iter().zip(tally.grades()).map(|(weight, frequency)| weight * saturate(frequency));
    scores.fold(0.0, f64::max)
}

fn saturate(frequency: f64) -> f64 {
    frequency / (SATURATION + frequency)
}

/// The inverse document frequency, in the form that never falls to zero.
fn rarity(total: usize, holders: usize) -> f64 {
    let (total, holders) = (total as f64, holders as f64);
    (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln()
}
