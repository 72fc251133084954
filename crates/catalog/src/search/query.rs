//! The words of a query, and how well a piece of a document meets them.
//!
//! A term meets a word of the same stem, a word that it begins, and a word a slip or two away; the caller asks
//! for slips only where a term is met in no other way. What a meeting is worth is decided elsewhere.

use super::{stem, words};
use std::cell::OnceCell;

/// How a term was met, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grade {
    /// The same word, or another form of it.
    Exact,
    /// A word that begins with the term.
    Prefix,
    /// A word one slip away.
    OneSlip,
    /// A word two slips away.
    TwoSlips,
}

/// A query in terms.
#[derive(Debug)]
pub(super) struct Query {
    terms: Vec<Term>,
    /// For each two neighbouring bytes, whether a term can begin at the second; made for the first text that is read.
    starts: OnceCell<Vec<bool>>,
}

/// One word asked for.
#[derive(Debug)]
pub(super) struct Term {
    lower: String,
    stem: String,
    /// The stem as slips count it.
    letters: Vec<char>,
    takes_prefix: bool,
    /// How many slips are forgiven.
    slips: usize,
    shape: Shape,
}

/// What turns nearly all words away before they are compared: their letters as a set, and how many there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    letters: u32,
    characters: usize,
}

/// Room for a word in lower case and for its stem, so that a text is read without allocating.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    lower: String,
    stem: String,
}

/// Terms beyond this count are not looked at: the time of a search must not grow with a hostile query.
const MOST_TERMS: usize = 32;

impl Query {
    pub(super) fn new(text: &str) -> Self {
        let mut asked: Vec<&str> = words::words(text).flat_map(words::terms).take(MOST_TERMS).collect();
        let last = asked.pop();
        let mut terms: Vec<Term> = Vec::new();
        for term in
            asked.into_iter().map(|word| Term::new(word, 3)).chain(last.map(|word| Term::new(word, 2)))
        {
            match terms.iter_mut().find(|known| known.stem == term.stem) {
                Some(known) => known.takes_prefix |= term.takes_prefix,
                None => terms.push(term),
            }
        }
        Self { terms, starts: OnceCell::new() }
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The terms, in order.
    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter()
    }

    /// Calls `met` with the number of each term that a word of `text` meets exactly or as a prefix.
    ///
    /// Bodies are long and hardly a word of them is asked for, so the text is not cut into words: a look at each
    /// pair of bytes finds the places where a term may begin, and only what surrounds those is read.
    pub(super) fn scan(&self, text: &str, scratch: &mut Scratch, mut met: impl FnMut(usize, Grade)) {
        let mut done = 0;
        while let Some(at) = self.next_start(text.as_bytes(), done) {
            done = at + 1;
            if !self.terms.iter().any(|term| term.opens(text, at)) {
                continue;
            }
            let stretch = words::stretch(text, at);
            done = done.max(stretch.end);
            let surroundings = text.get(stretch).unwrap_or_default();
            words::pieces(surroundings, |piece| self.meet(piece, scratch, &mut met));
        }
    }

    /// The same for one word that is not cut into pieces.
    pub(super) fn meet(&self, word: &str, scratch: &mut Scratch, met: &mut impl FnMut(usize, Grade)) {
        if !word.bytes().next().is_some_and(|byte| self.can_start(b' ', byte)) {
            return;
        }
        scratch.load(word);
        for (number, term) in self.terms.iter().enumerate() {
            if scratch.stem == term.stem {
                met(number, Grade::Exact);
            } else if term.takes_prefix && scratch.lower.starts_with(&term.lower) {
                met(number, Grade::Prefix);
            }
        }
    }

    /// Calls `met` with each term of `unmet` that a word of `text` is a slip or two away from.
    pub(super) fn scan_near(
        &self,
        unmet: &[usize],
        text: &str,
        scratch: &mut Scratch,
        mut met: impl FnMut(usize, Grade),
    ) {
        let each = |piece: &str| {
            scratch.load(piece);
            let shape = Shape::of(&scratch.stem);
            for number in unmet {
                let grade = self.terms.get(*number).and_then(|term| term.near(&scratch.stem, shape));
                grade.into_iter().for_each(|grade| met(*number, grade));
            }
        };
        words::pieces(text, each);
    }

    /// The first place at or after `from` where a term may begin.
    fn next_start(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let Some(before) = from.checked_sub(1) else {
            let begins = bytes.first().is_some_and(|byte| self.can_start(b' ', *byte));
            return if begins { Some(0) } else { self.next_start(bytes, 1) };
        };
        let pairs = bytes.get(before..)?.windows(2);
        let found = |pair: &[u8]| matches!(pair, [before, byte] if self.can_start(*before, *byte));
        pairs.into_iter().position(found).map(|skipped| from + skipped)
    }

    fn can_start(&self, before: u8, byte: u8) -> bool {
        let starts = self.starts.get_or_init(|| starts(&self.terms));
        starts.get(usize::from(before) << 8 | usize::from(byte)) == Some(&true)
    }
}

impl Term {
    /// A term that takes longer words for an answer when it has `prefix` characters or more.
    fn new(word: &str, prefix: usize) -> Self {
        let mut scratch = Scratch::default();
        scratch.load(word);
        let Scratch { lower, stem } = scratch;
        let characters = lower.chars().count();
        let spaced = !lower.starts_with(words::is_unspaced);
        // Nobody mistypes a word of great length, and comparing such words would take its time.
        let slips = match characters {
            4..8 => 1,
            8..48 => 2,
            _ => 0,
        };
        // `sha256` is no slip of `sha512`: a figure says what it means.
        let forgiving = spaced && !lower.chars().any(char::is_numeric);
        let shape = Shape::of(&stem);
        Self {
            takes_prefix: spaced && characters >= prefix,
            slips: if forgiving { slips } else { 0 },
            letters: letters(&stem),
            lower,
            stem,
            shape,
        }
    }

    /// Whether what stands at `at` begins like the term; every form of a word shares its first two letters.
    fn opens(&self, text: &str, at: usize) -> bool {
        let opening = self.lower.bytes().take(2).take_while(u8::is_ascii);
        opening.zip(text.bytes().skip(at)).all(|(term, byte)| term == byte.to_ascii_lowercase())
    }

    /// What every form of it has in common.
    pub(super) fn stem(&self) -> &str {
        &self.stem
    }

    /// What longer words begin with that answer it; nothing where none does.
    pub(super) fn prefix(&self) -> Option<&str> {
        self.takes_prefix.then_some(self.lower.as_str())
    }

    /// How near a word of this stem is.
    pub(super) fn near(&self, stem: &str, shape: Shape) -> Option<Grade> {
        // One slip changes the length by one and the set of letters by two.
        let letters_apart = (self.shape.letters ^ shape.letters).count_ones() as usize;
        if self.slips == 0 || letters_apart > 2 * self.slips {
            return None;
        }
        if self.shape.characters.abs_diff(shape.characters) > self.slips {
            return None;
        }
        match strsim::generic_damerau_levenshtein(&self.letters, &letters(stem)) {
            0 | 1 => Some(Grade::OneSlip),
            2 if self.slips == 2 => Some(Grade::TwoSlips),
            _ => None,
        }
    }
}

impl Shape {
    pub(super) fn of(stem: &str) -> Self {
        // Letters beyond `a` to `z` share their bits.
        let add = |shape: Self, c| Self {
            letters: shape.letters | 1 << (u32::from(letter(c)) % 32),
            characters: shape.characters + 1,
        };
        stem.chars().fold(Self { letters: 0, characters: 0 }, add)
    }
}

/// A letter as slips count it. `y` is `i`, because a stem has one or the other by the letter before it: a slip there would be two.
fn letter(c: char) -> char {
    if c == 'y' { 'i' } else { c }
}

fn letters(stem: &str) -> Vec<char> {
    stem.chars().map(letter).collect()
}

impl Scratch {
    /// A word in lower case, and its stem.
    pub(super) fn loaded(&mut self, word: &str) -> (&str, &str) {
        self.load(word);
        (&self.lower, &self.stem)
    }

    fn load(&mut self, word: &str) {
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            word.chars().for_each(|c| self.push_lower(c));
        }
        self.stem.clone_from(&self.lower);
        stem::fold(&mut self.stem);
    }

    /// The sign for Kelvin and the dotted capital I stay as they are: a scan could not tell by its first byte what becomes of one.
    fn push_lower(&mut self, c: char) {
        if !c.is_ascii() && c.to_lowercase().next().is_some_and(|first| first.is_ascii()) {
            self.lower.push(c);
        } else {
            self.lower.extend(c.to_lowercase());
        }
    }
}

fn starts(terms: &[Term]) -> Vec<bool> {
    let is_first = |byte: u8| {
        let mut firsts = terms.iter().filter_map(|term| term.lower.bytes().next());
        // Capitals beyond ASCII begin with another byte than their small letters, so all of them may match.
        firsts.any(|first| first == byte.to_ascii_lowercase() || !first.is_ascii() && !byte.is_ascii())
    };
    let firsts: Vec<bool> = (0..=u8::MAX).map(is_first).collect();
    let after = |before: u8| {
        (0..=u8::MAX).zip(&firsts).map(move |(byte, first)| *first && words::can_begin(before, byte))
    };
    (0..=u8::MAX).flat_map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_meets_what_reading_every_word_would_meet() {
        const PARTS: [&str; 18] = [
            "test",
            "Tests",
            "TESTING",
            "te",
            "GitHub",
            "hub",
            "getURLPath",
            "über",
            "ÜBER",
            "代码审",
            "—",
            "…x",
            "-",
            " ",
            "\n",
            "'s ",
            "\u{212a}",
            "İ",
        ];
        let query = Query::new("tests hub URL über 代码 pa kte İte");
        let mut dice = guild_testkit::Dice::new(0x2545_f491_4f6c_dd1d);
        let mut scratch = Scratch::default();
        for _ in 0..500 {
            let mut text = String::new();
            for _ in 0..12 {
                text.push_str(PARTS[dice.below(18)]);
            }
            let (mut scanned, mut read) = (Vec::new(), Vec::new());
            query.scan(&text, &mut scratch, |term, grade| scanned.push((term, grade)));
            words::pieces(&text, |piece| {
                query.meet(piece, &mut scratch, &mut |term, grade| read.push((term, grade)));
            });
            assert_eq!(scanned, read, "{text:?}");
        }
    }
}
