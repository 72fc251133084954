//! Experience: how a skill's runs have ended lately, and what people thought of them.
//!
//! It ranks skills that answer a query alike and is shown; nothing acts on it by itself. How much it weighs is written here alone.

use std::collections::BTreeMap;

use crate::hall::Hall;
use crate::{Books, Refusal};

/// How many runs are looked back at.
const MOST_RUNS: u32 = 5000;
/// How many of a skill's last runs and notes are kept.
const LAST: usize = 5;
/// A person's word counts as much as so many runs.
const WORD: f64 = 2.0;
/// How far experience moves a score within its step, at the most, in either direction.
const WEIGHT: f64 = 0.2;

/// What is known of a skill by its runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Experience {
    /// How many runs have ended.
    pub runs: u64,
    /// How many of them went well.
    pub succeeded: u64,
    /// How often people found it good.
    pub good: u64,
    /// How often they did not.
    pub bad: u64,
    /// The last runs, the newest first.
    pub last: Vec<LastRun>,
    /// The last things that people wrote, the newest first.
    pub notes: Vec<String>,
}

/// One of the last runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// Its receipt.
    pub receipt: String,
    /// How it ended.
    pub code: String,
}

impl Experience {
    /// The part of its runs that went well; nothing where it has not run.
    #[expect(clippy::cast_precision_loss, reason = "there are few enough runs")]
    pub fn success_rate(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.succeeded as f64 / self.runs as f64)
    }

    /// From 0 to 1; a half where nothing is known, and near it where little is.
    #[expect(clippy::cast_precision_loss, reason = "there are few enough runs")]
    fn quality(&self) -> f64 {
        let (good, bad) = (self.good as f64 * WORD, self.bad as f64 * WORD);
        (self.succeeded as f64 + good + 1.0) / (self.runs as f64 + good + bad + 2.0)
    }

    /// A score with what is known counted in. The whole part of a score, which says where the query was found, stays.
    pub(crate) fn weighed(&self, score: f64) -> f64 {
        let (step, within) = (score.floor(), score.fract());
        let room = within.min(1.0 - within);
        step + within + WEIGHT * (self.quality() - 0.5) * 2.0 * room
    }
}

impl Books {
    /// What is known of every skill that has run or was judged.
    pub(crate) async fn experience(&self) -> Result<BTreeMap<String, Experience>, Refusal> {
        let ended = self.ledger.ended_runs(MOST_RUNS).await.map_err(|error| self.refusal(error))?;
        let judged = self.ledger.feedback().await.map_err(|error| self.refusal(error))?;
        let mut known: BTreeMap<String, Experience> = BTreeMap::new();
        for run in ended {
            let one = known.entry(run.skill).or_default();
            one.runs += 1;
            one.succeeded += u64::from(run.code == "ok");
            if one.last.len() < LAST {
                one.last.push(LastRun { receipt: run.receipt, code: run.code });
            }
        }
        for feedback in judged.into_iter().rev() {
            let one = known.entry(feedback.judgement.skill).or_default();
            let count = if feedback.judgement.good { &mut one.good } else { &mut one.bad };
            *count += 1;
            if let Some(note) = feedback.judgement.note.filter(|_| one.notes.len() < LAST) {
                one.notes.push(note);
            }
        }
        Ok(known)
    }
}

impl Hall {
    /// Counts what the books say of runs and judgements, for every later search of this hall and whatever it shows.
    ///
    /// # Errors
    /// Where the books cannot be read.
    pub async fn remember(&mut self, books: &Books) -> Result<(), Refusal> {
        self.experience = books.experience().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experience_moves_a_score_a_little_and_never_out_of_its_step() {
        let known =
            |runs, succeeded, good, bad| Experience { runs, succeeded, good, bad, ..Experience::default() };
        let nothing = Experience::default();
        for score in [0.01, 0.5, 0.99, 2.25, 3.75, 4.999] {
            assert!((nothing.weighed(score) - score).abs() < 1e-12, "what is not known weighs nothing");
            let (well, badly) =
                (known(1000, 1000, 50, 0).weighed(score), known(1000, 0, 0, 50).weighed(score));
            assert!(badly < score && score < well, "{score}");
            assert!((well.floor(), badly.floor()) == (score.floor(), score.floor()), "{score}");
            assert!(well - badly <= WEIGHT, "{score}");
        }
        assert!(known(1, 1, 0, 0).weighed(1.5) < known(10, 10, 0, 0).weighed(1.5), "more runs say more");
        assert!(
            known(0, 0, 1, 0).weighed(1.5) > known(1, 1, 0, 0).weighed(1.5),
            "a person's word says more than a run"
        );
    }
}
