//! Where the query stands in a document as it was typed: the floor of the ranking.
//!
//! Case does not count here, and blanks, hyphens and underscores are one and the same: `code review` is found
//! in `code-review`. Bodies are not looked at; words are the business of the tally.

use super::Document;
use super::field::Field;
use std::ops::Range;

/// How good a place is; a document on a higher step is always listed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// Somewhere else, in part, or not literally at all: the words decide.
    Elsewhere,
    /// The description holds the query.
    InDescription,
    /// The name holds every word of the query, in any order or form.
    WordsInName,
    /// The name holds the query.
    InName,
    /// The name, bare or qualified, is the query.
    IsName,
}

/// Where one document holds the query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The best step that the query reaches literally.
    pub(super) step: Step,
    /// The weight of all fields that hold the query; zero when none does.
    pub(super) weight: f64,
}

impl Place {
    /// The query stands nowhere in the document.
    pub(super) const NOWHERE: Self = Self { step: Step::Elsewhere, weight: 0.0 };
}

/// What a document says of itself, in a form in which a query is found as a piece of text.
#[derive(Debug, Default)]
pub(super) struct Folded {
    text: String,
    /// Name, qualified name, description, when it applies.
    parts: [Range<usize>; 4],
}

/// A query as a piece of text.
#[derive(Debug)]
pub(super) struct Literal {
    text: String,
    triples: Triples,
}

/// Which three neighbouring bytes a text has, several of them to a bit: what lacks a bit of a query's does not hold the query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Triples([u64; 8]);

impl Triples {
    fn of(text: &str) -> Self {
        let mut triples = Self::default();
        for triple in text.as_bytes().array_windows::<3>() {
            let [a, b, c] = triple.map(u32::from);
            // The upper bits of a product depend on all of what is multiplied.
            let bit = (a << 16 | b << 8 | c).wrapping_mul(0x9e37_79b1) >> 23;
            if let Some(word) = triples.0.get_mut(bit as usize / 64) {
                *word |= 1 << (bit % 64);
            }
        }
        triples
    }

    fn hold(&self, others: &Self) -> bool {
        self.0.iter().zip(others.0).all(|(own, other)| own & other == other)
    }
}

impl Literal {
    pub(super) fn new(query: &str) -> Self {
        let mut text = String::with_capacity(query.len());
        fold(query, &mut text);
        text.truncate(text.trim_end().len());
        Self { triples: Triples::of(&text), text }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    /// The place in each of `documents`.
    pub(super) fn places(&self, documents: &[Document<'_>]) -> Vec<Place> {
        let mut folded = Folded::default();
        let place = |document: &Document<'_>| {
            folded.load(document);
            self.place(&folded)
        };
        documents.iter().map(place).collect()
    }

    /// Whether a text of these triples may hold the query.
    pub(super) fn may_be_in(&self, triples: &Triples) -> bool {
        triples.hold(&self.triples)
    }

    /// The place in one document.
    pub(super) fn place(&self, folded: &Folded) -> Place {
        const STEPS: [(Field, Step); 4] = [
            (Field::Name, Step::InName),
            (Field::Qualifier, Step::Elsewhere),
            (Field::Description, Step::InDescription),
            (Field::WhenToUse, Step::Elsewhere),
        ];
        let mut place = Place::NOWHERE;
        if !folded.text.contains(&self.text) {
            return place;
        }
        for (range, (field, step)) in folded.parts.iter().zip(STEPS) {
            let part = folded.text.get(range.clone()).unwrap_or_default();
            if part.contains(&self.text) {
                let is_name = matches!(field, Field::Name | Field::Qualifier) && part.trim_end() == self.text;
                place.step = place.step.max(if is_name { Step::IsName } else { step });
                place.weight += field.weight();
            }
        }
        if place.weight == 0.0 {
            // The query begins in one field and ends in the next.
            place.weight = Field::WhenToUse.weight();
        }
        place
    }
}

impl Folded {
    /// What a document says of itself.
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut folded = Self::default();
        folded.load(document);
        folded.text.shrink_to_fit();
        folded
    }

    /// The triples of all of it.
    pub(super) fn triples(&self) -> Triples {
        Triples::of(&self.text)
    }

    fn load(&mut self, document: &Document<'_>) {
        let fields = [document.name, document.qualified_name, document.description, document.when_to_use];
        self.text.clear();
        self.parts = fields.map(|text| fold(text, &mut self.text));
    }
}

/// Appends `text` and a blank in lower case, each run of separators as one blank, with none at the start; says
/// where it stands.
fn fold(text: &str, folded: &mut String) -> Range<usize> {
    let start = folded.len();
    for c in text.chars().chain([' ']) {
        if c.is_whitespace() || matches!(c, '-' | '_') {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    start..folded.len()
}
