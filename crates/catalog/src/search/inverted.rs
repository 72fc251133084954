//! The index: every word of many documents with where it stands, so that a search looks words up instead of reading texts.
//!
//! It ranks exactly as [`rank`](super::rank) does; a test holds it to that. Documents are added and never taken out: a search names
//! those that count, so that one index serves everybody who may see some of them, and outlives a change of one of them.

use super::field::{ByField, Field, HEAD, Scale};
use super::literal::{Folded, Literal, Place, Triples};
use super::query::{Grade, Query, Scratch, Shape, Term};
use super::tally::Tallies;
use super::{Document, Hit, ordered, words};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

/// Documents, word by word.
#[derive(Debug, Default)]
pub struct Index {
    documents: Vec<Held>,
    /// What each document says of itself, roughly.
    triples: Vec<Triples>,
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
        let folded = Folded::of(document);
        self.triples.push(folded.triples());
        self.documents.push(Held {
            qualified_name: document.qualified_name.into(),
            lengths: ByField::new(|field| field.text(document).len()),
            folded,
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

    /// Prepares to search among the documents of these numbers.
    pub fn select(&self, mut members: Vec<usize>) -> Selection {
        members.retain(|number| *number < self.documents.len());
        let mut places = vec![None; self.documents.len()];
        for (place, number) in members.iter().enumerate() {
            if let Some(known) = places.get_mut(*number) {
                *known = u32::try_from(place).ok();
            }
        }
        let length =
            |number: &usize, field| self.documents.get(*number).map_or(0, |held| held.lengths.of(field));
        let scales =
            ByField::new(|field| Scale::new(field, members.iter().map(|number| length(number, field))));
        Selection { members, places, scales }
    }

    /// The `limit` best of some documents, as [`rank`](super::rank) orders them; hits are places among them.
    pub fn rank(&self, among: &Selection, query: &str, limit: usize) -> Vec<Hit> {
        let literal = Literal::new(query);
        if literal.is_blank() || limit == 0 {
            return Vec::new();
        }
        let places: Vec<Place> = among.members.iter().map(|number| self.place(&literal, *number)).collect();
        let tallies = Search { index: self, among }.tallies(&Query::new(query));
        let name = |place: usize| among.held(self, place).map(|held| &*held.qualified_name);
        ordered(&places, &tallies, limit, name)
    }

    /// Where a document holds the query. Nearly none does, and most that do not are told from outside.
    fn place(&self, literal: &Literal, number: usize) -> Place {
        let may_be = self.triples.get(number).is_some_and(|triples| literal.may_be_in(triples));
        let held = self.documents.get(number).filter(|_| may_be);
        held.map_or(Place::NOWHERE, |held| literal.place(&held.folded))
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

/// Some of the documents, with what every search among them takes.
#[derive(Debug)]
pub struct Selection {
    members: Vec<usize>,
    /// For each document of the index its place among them.
    places: Vec<Option<u32>>,
    /// The lengths of their fields, each with the average.
    scales: ByField<Scale>,
}

impl Selection {
    /// The numbers of the documents.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    fn held<'i>(&self, index: &'i Index, place: usize) -> Option<&'i Held> {
        index.documents.get(*self.members.get(place)?)
    }
}

/// One search.
struct Search<'i> {
    index: &'i Index,
    among: &'i Selection,
}

/// A term of a query, and a word that it meets.
struct Meeting<'i> {
    term: usize,
    grade: Grade,
    word: &'i Word,
}

impl<'i> Search<'i> {
    /// Fields are counted one after the other, as a pass over the texts counts them: sums of figures depend on their order.
    fn tallies(&self, query: &Query) -> Tallies {
        let mut tallies = Tallies::new(self.among.members.len(), query.len());
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
        let scale = self.among.scales.of(field);
        for posting in postings.iter().filter(|posting| posting.field == field) {
            let place = self.among.places.get(posting.document as usize).copied().flatten();
            let Some(place) = place.filter(|_| takes_joined || !posting.is_joined) else { continue };
            let place = place as usize;
            let unit =
                scale.unit(self.among.held(self.index, place).map_or(0, |held| held.lengths.of(field)));
            for _ in 0..posting.count {
                tallies.add((place, meeting.term), field, unit, meeting.grade);
            }
        }
    }
}
