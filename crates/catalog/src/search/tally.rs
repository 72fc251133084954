//! The tally: how often, and where, each document meets each term of a query.
//!
//! Frequencies are weighted by field and length as they are counted, which is what makes BM25 fielded. How rare
//! a term is plays no part here.

use super::Document;
use super::field::{Field, HEAD, Scale};
use super::query::{Grade, Query, Scratch};
use super::words;

/// How one document meets one term: a weighted frequency for each grade.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    exact: f64,
    prefix: f64,
    one_slip: f64,
    two_slips: f64,
    /// Whether the name has the word itself.
    pub(super) in_name: bool,
    /// Whether the name has a word a slip or two away.
    pub(super) near_name: bool,
}

impl Tally {
    /// The frequencies, from the best grade to the worst.
    pub(super) const fn grades(&self) -> [f64; 4] {
        [self.exact, self.prefix, self.one_slip, self.two_slips]
    }

    fn add(&mut self, field: Field, unit: f64, grade: Grade) {
        self.in_name |= field == Field::Name && grade == Grade::Exact;
        self.near_name |= field == Field::Name && matches!(grade, Grade::OneSlip | Grade::TwoSlips);
        *match grade {
            Grade::Exact => &mut self.exact,
            Grade::Prefix => &mut self.prefix,
            Grade::OneSlip => &mut self.one_slip,
            Grade::TwoSlips => &mut self.two_slips,
        } += unit;
    }
}

/// The tallies of a collection: a row for each document that meets anything, a column for each term.
#[derive(Debug)]
pub(super) struct Tallies {
    terms: usize,
    /// For each document the number of its row.
    rows: Vec<Option<u32>>,
    cells: Vec<Tally>,
}

impl Tallies {
    /// Nothing met yet.
    pub(super) fn new(documents: usize, terms: usize) -> Self {
        Self { terms, rows: vec![None; documents], cells: Vec::new() }
    }

    /// Counts by reading every text.
    pub(super) fn count(documents: &[Document<'_>], query: &Query) -> Self {
        let mut tallies = Self::new(documents.len(), query.len());
        if query.len() == 0 {
            return tallies;
        }
        let mut scratch = Scratch::default();
        for field in HEAD {
            tallies.each(field, documents, |text, mut met| {
                query.scan(text, &mut scratch, &mut met);
                if field == Field::Name {
                    meet_joined(query, text, &mut scratch, &mut met);
                }
            });
        }
        let unmet = tallies.unmet();
        if !unmet.is_empty() {
            for field in HEAD {
                tallies.each(field, documents, |text, met| query.scan_near(&unmet, text, &mut scratch, met));
            }
        }
        tallies.each(Field::Body, documents, |text, met| query.scan(text, &mut scratch, met));
        tallies
    }

    /// Counts one meeting of a document and a term.
    pub(super) fn add(&mut self, (index, term): (usize, usize), field: Field, unit: f64, grade: Grade) {
        let Some(row) = self.rows.get_mut(index) else { return };
        let row = *row.get_or_insert_with(|| {
            let row = u32::try_from(self.cells.len() / self.terms).unwrap_or(u32::MAX);
            self.cells.resize(self.cells.len() + self.terms, Tally::default());
            row
        });
        if let Some(tally) = self.cells.get_mut(row as usize * self.terms + term) {
            tally.add(field, unit, grade);
        }
    }

    /// The row of the document at `index`; empty where it meets nothing.
    pub(super) fn of(&self, index: usize) -> &[Tally] {
        let row = self.rows.get(index).copied().flatten();
        let start = row.map(|row| row as usize * self.terms);
        start.and_then(|start| self.cells.get(start..start + self.terms)).unwrap_or_default()
    }

    /// For each term and grade, how many documents meet it.
    pub(super) fn holders(&self) -> Vec<[usize; 4]> {
        let mut holders = vec![[0; 4]; self.terms];
        for row in self.cells.chunks(self.terms.max(1)) {
            for (counts, tally) in holders.iter_mut().zip(row) {
                for (count, frequency) in counts.iter_mut().zip(tally.grades()) {
                    *count += usize::from(frequency > 0.0);
                }
            }
        }
        holders
    }

    /// The terms that no document has met exactly so far.
    pub(super) fn unmet(&self) -> Vec<usize> {
        let holders = self.holders().into_iter().enumerate();
        holders.filter_map(|(term, [exact, ..])| (exact == 0).then_some(term)).collect()
    }

    /// Calls `visit` with every text of `field` and with what counts a meeting in it.
    fn each(
        &mut self,
        field: Field,
        documents: &[Document<'_>],
        mut visit: impl FnMut(&str, &mut dyn FnMut(usize, Grade)),
    ) {
        let scale = Scale::new(field, documents.iter().map(|document| field.text(document).len()));
        for (index, document) in documents.iter().enumerate() {
            let text = field.text(document);
            let unit = scale.unit(text.len());
            visit(text, &mut |term, grade| self.add((index, term), field, unit, grade));
        }
    }
}

/// A name is also met as one word: `codereview` finds `code-review`.
fn meet_joined(query: &Query, name: &str, scratch: &mut Scratch, met: &mut impl FnMut(usize, Grade)) {
    if let Some(joined) = words::joined(name) {
        query.meet(&joined, scratch, met);
    }
}
