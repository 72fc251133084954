//! The index: every word of many documents with where it stands, so that a search looks words up instead of reading texts.
//!
//! It ranks exactly as [`rank`](super::rank) does; a test holds it to that. Documents are added and never taken out: a search names
//! those that count, so that one index serves everybody who may see some of them, and outlives a change of one of them.

use super::field::{ByField, Field, HEAD, Scale};
use super::literal::{Folded, Literal};
use super::query::{Grade, Query, Scratch, Shape, Term};
use super::tally::Tallies;
use super::{Document, Hit, ordered, words};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

/// Documents, word by word.
#[derive(Debug, Default)]
pub struct Index {
    documents: Vec<Held>,
    /// The number of each word, in lower case.
    numbers: BTreeMap<Box<str>, usize>,
    words: Vec<Word>,
    /// The number of each stem.
    stems: HashMap<Box<str>, usize>,
    forms: Vec<Forms>,
}

/// What a document is judged by beside its words.
#[derive(Debug)]
struct Held {
    qualified_name: Box<str>,
    /// The length of each field's text, in bytes.
    lengths: ByField<usize>,
    folded: Folded,
}

/// A word, and where it stands.
#[derive(Debug)]
struct Word {
    stem: usize,
    /// In the fields that describe a document.
    head: Vec<Posting>,
    /// In bodies.
    body: Vec<Posting>,
}

/// A stem, and the words that have it.
#[derive(Debug)]
struct Forms {
    stem: Box<str>,
    shape: Shape,
    words: Vec<usize>,
}

/// A word in one field of one document.
#[derive(Debug)]
struct Posting {
    document: u32,
    /// How often it stands there.
    count: u32,
    field: Field,
    /// Whether it is the whole name as one word, of which no slip is forgiven.
    is_joined: bool,
}

impl Index {
    /// How many documents were added.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Adds a document; gives its number.
    pub fn add(&mut self, document: &Document<'_>) -> usize {
        let number = self.documents.len();
        let mut scratch = Scratch::default();
        for field in Field::ALL {
            let text = field.text(document);
            words::pieces(text, |piece| self.note(number, field, false, scratch.loaded(piece)));
            if let Some(joined) = words::joined(text).filter(|_| field == Field::Name) {
                self.note(number, field, true, scratch.loaded(&joined));
            }
        }
        self.documents.push(Held {
            qualified_name: document.qualified_name.into(),
            lengths: ByField::new(|field| field.text(document).len()),
            folded: Folded::of(document),
        });
        number
    }

    fn note(&mut self, document: usize, field: Field, is_joined: bool, (lower, stem): (&str, &str)) {
        let number = match self.numbers.get(lower) {
            Some(number) => *number,
            None => self.learn(lower, stem),
        };
        let Some(word) = self.words.get_mut(number) else { return };
        let postings = if field == Field::Body { &mut word.body } else { &mut word.head };
        let document = u32::try_from(document).unwrap_or(u32::MAX);
        match postings.last_mut() {
            Some(last) if (last.document, last.field, last.is_joined) == (document, field, is_joined) => {
                last.count += 1;
            }
            _ => postings.push(Posting { document, count: 1, field, is_joined }),
        }
    }

    /// A word that was not met before.
    fn learn(&mut self, lower: &str, stem: &str) -> usize {
        let form = *self.stems.entry(stem.into()).or_insert_with(|| {
            self.forms.push(Forms { stem: stem.into(), shape: Shape::of(stem), words: Vec::new() });
            self.forms.len() - 1
        });
        let number = self.words.len();
        self.words.push(Word { stem: form, head: Vec::new(), body: Vec::new() });
        self.numbers.insert(lower.into(), number);
        if let Some(forms) = self.forms.get_mut(form) {
            forms.words.push(number);
        }
        number
    }

    /// The `limit` best of the documents of these numbers, as [`rank`](super::rank) orders them; hits are places in `members`.
    pub fn rank(&self, members: &[usize], query: &str, limit: usize) -> Vec<Hit> {
        let literal = Literal::new(query);
        if literal.is_blank() || limit == 0 {
            return Vec::new();
        }
        let held: Vec<&Held> = members.iter().filter_map(|number| self.documents.get(*number)).collect();
        let places = held.iter().map(|held| literal.place(&held.folded)).collect::<Vec<_>>();
        let tallies = Search::new(self, members, &held).tallies(&Query::new(query));
        let name = |place: usize| held.get(place).map(|held| &*held.qualified_name);
        ordered(&places, &tallies, limit, name)
    }

    /// The words that a term meets as they are or in another form.
    fn exact<'i>(&'i self, term: &Term) -> impl Iterator<Item = &'i Word> {
        let forms = self.stems.get(term.stem()).and_then(|form| self.forms.get(*form));
        forms.into_iter().flat_map(|forms| &forms.words).filter_map(|number| self.words.get(*number))
    }

    /// The other words that a term begins.
    fn begun<'i>(&'i self, term: &Term) -> impl Iterator<Item = &'i Word> {
        let prefix = term.prefix();
        let own = self.stems.get(term.stem());
        let from = (Bound::Included(prefix.unwrap_or_default()), Bound::Unbounded);
        let begun = self
            .numbers
            .range::<str, _>(from)
            .take_while(move |(word, _)| prefix.is_some_and(|prefix| word.starts_with(prefix)));
        let words = begun.filter_map(|(_, number)| self.words.get(*number));
        words.filter(move |word| own != Some(&word.stem))
    }

    /// The words that a term is a slip or two away from.
    fn near<'i>(&'i self, term: &Term) -> impl Iterator<Item = (&'i Word, Grade)> {
        let near = self.forms.iter().filter_map(|forms| Some((forms, term.near(&forms.stem, forms.shape)?)));
        near.flat_map(move |(forms, grade)| {
            forms.words.iter().filter_map(move |number| Some((self.words.get(*number)?, grade)))
        })
    }
}

/// One search among some of the documents.
struct Search<'i> {
    index: &'i Index,
    held: &'i [&'i Held],
    /// For each document its place among those that count.
    places: Vec<Option<u32>>,
    /// The lengths of their fields, each with the average.
    scales: ByField<Scale>,
}

/// A term of a query, and a word that it meets.
struct Meeting<'i> {
    term: usize,
    grade: Grade,
    word: &'i Word,
}

impl<'i> Search<'i> {
    fn new(index: &'i Index, members: &[usize], held: &'i [&'i Held]) -> Self {
        let mut places = vec![None; index.documents.len()];
        let there = members.iter().filter(|number| **number < index.documents.len());
        for (place, number) in there.enumerate() {
            if let Some(known) = places.get_mut(*number) {
                *known = u32::try_from(place).ok();
            }
        }
        let scale = |field| Scale::new(field, held.iter().map(|held| held.lengths.of(field)));
        Self { index, held, places, scales: ByField::new(scale) }
    }

    /// Fields are counted one after the other, as a pass over the texts counts them: sums of figures depend on their order.
    fn tallies(&self, query: &Query) -> Tallies {
        let mut tallies = Tallies::new(self.held.len(), query.len());
        let met = self.met(query);
        for field in HEAD {
            met.iter().for_each(|meeting| self.count(&mut tallies, field, meeting, &meeting.word.head));
        }
        let slipped = self.slipped(query, &tallies.unmet());
        for field in HEAD {
            slipped.iter().for_each(|meeting| self.count(&mut tallies, field, meeting, &meeting.word.head));
        }
        met.iter().for_each(|meeting| self.count(&mut tallies, Field::Body, meeting, &meeting.word.body));
        tallies
    }

    fn met(&self, query: &Query) -> Vec<Meeting<'i>> {
        let mut met = Vec::new();
        for (term, asked) in query.terms().enumerate() {
            met.extend(self.index.exact(asked).map(|word| Meeting { term, grade: Grade::Exact, word }));
            met.extend(self.index.begun(asked).map(|word| Meeting { term, grade: Grade::Prefix, word }));
        }
        met
    }

    fn slipped(&self, query: &Query, unmet: &[usize]) -> Vec<Meeting<'i>> {
        let mut slipped = Vec::new();
        for (term, asked) in query.terms().enumerate().filter(|(term, _)| unmet.contains(term)) {
            slipped.extend(self.index.near(asked).map(|(word, grade)| Meeting { term, grade, word }));
        }
        slipped
    }

    /// Counts a word that a term meets, for each time that it stands in a field of a document that counts.
    fn count(&self, tallies: &mut Tallies, field: Field, meeting: &Meeting<'_>, postings: &[Posting]) {
        let takes_joined = matches!(meeting.grade, Grade::Exact | Grade::Prefix);
        let scale = self.scales.of(field);
        for posting in postings.iter().filter(|posting| posting.field == field) {
            let place = self.places.get(posting.document as usize).copied().flatten();
            let Some(place) = place.filter(|_| takes_joined || !posting.is_joined) else { continue };
            let place = place as usize;
            let unit = scale.unit(self.held.get(place).map_or(0, |held| held.lengths.of(field)));
            for _ in 0..posting.count {
                tallies.add((place, meeting.term), field, unit, meeting.grade);
            }
        }
    }
}
