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
}

impl Literal {
    pub(super) fn new(query: &str) -> Self {
        let mut text = String::with_capacity(query.len());
        fold(query, &mut text);
        text.truncate(text.trim_end().len());
        Self { text }
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

    /// The place in one document.
    pub(super) fn place(&self, folded: &Folded) -> Place {
        const STEPS: [(Field, Step); 4] = [
            (Field::Name, Step::InName),
            (Field::Qualifier, Step::Elsewhere),
            (Field::Description, Step::InDescription),
            (Field::WhenToUse, Step::Elsewhere),
        ];
        let mut place = Place { step: Step::Elsewhere, weight: 0.0 };
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
