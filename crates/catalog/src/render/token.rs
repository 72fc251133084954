//! The grammar of the placeholders that stand for arguments.
//!
//! It says what is a placeholder and what it means, not what becomes of it.

use std::collections::HashMap;

/// The longest argument name that is looked for.
const LONGEST_NAME: usize = 64;

/// A placeholder for arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    /// The placeholder as it stands in the body.
    pub(super) text: &'t str,
    /// What it stands for.
    pub(super) meaning: Meaning,
}

/// What a placeholder stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning {
    /// `$ARGUMENTS`: the whole text.
    All,
    /// `$N` or `$ARGUMENTS[N]`: the word at a position, from nought.
    Position(usize),
    /// `$name`: the word at the position of a declared name.
    Named(usize),
    /// `$0.15` or `$1,000`: money, which only looks like a position.
    Amount,
}

/// The declared names of arguments and their positions.
#[derive(Debug)]
pub(super) struct Names<'a>(HashMap<&'a str, usize>);

impl<'a> Names<'a> {
    /// Numbers the names in their order; of a name that stands twice the first position counts.
    pub(super) fn new(names: &'a [String]) -> Self {
        let mut positions = HashMap::new();
        for (position, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            positions.entry(name.as_str()).or_insert(position);
        }
        Self(positions)
    }

    /// The placeholder that `text` begins with.
    pub(super) fn token<'t>(&self, text: &'t str) -> Option<Token<'t>> {
        let inside = text.strip_prefix('$')?;
        let (length, meaning) = number(inside).or_else(|| whole(inside)).or_else(|| self.named(inside))?;
        Some(Token { text: text.get(..=length)?, meaning })
    }

    /// The longest declared name that `inside` begins with, as a whole word that no `[` follows.
    fn named(&self, inside: &str) -> Option<(usize, Meaning)> {
        if self.0.is_empty() {
            return None;
        }
        let run = inside.get(..count_while(inside, |c| is_word(c) || c == '-'))?;
        let hyphens =
            run.match_indices('-').map(|(offset, _)| offset).take_while(|offset| *offset <= LONGEST_NAME);
        let mut ends: Vec<usize> = hyphens.collect();
        ends.push(run.len());
        ends.into_iter().rev().filter(|end| *end <= LONGEST_NAME).find_map(|end| {
            let (name, after) = inside.split_at_checked(end)?;
            let position = self.0.get(name).filter(|_| !after.starts_with('['))?;
            Some((end, Meaning::Named(*position)))
        })
    }
}

/// `N`, unless a word goes on after it.
fn number(inside: &str) -> Option<(usize, Meaning)> {
    let (digits, after) = inside.split_at_checked(count_while(inside, |c| c.is_ascii_digit()))?;
    if digits.is_empty() || begins_word(after) {
        return None;
    }
    if after.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        return Some((digits.len(), Meaning::Amount));
    }
    Some((digits.len(), Meaning::Position(digits.parse().ok()?)))
}

/// `ARGUMENTS` or `ARGUMENTS[N]`, unless a word goes on after it.
fn whole(inside: &str) -> Option<(usize, Meaning)> {
    const WORD: &str = "ARGUMENTS";
    let after = inside.strip_prefix(WORD).filter(|after| !begins_word(after))?;
    let index = || {
        let bracket = after.strip_prefix('[')?;
        let (digits, closing) = bracket.split_at_checked(count_while(bracket, |c| c.is_ascii_digit()))?;
        let position = closing.starts_with(']').then(|| digits.parse().ok())??;
        Some((WORD.len() + digits.len() + 2, Meaning::Position(position)))
    };
    Some(index().unwrap_or((WORD.len(), Meaning::All)))
}

fn begins_word(text: &str) -> bool {
    text.starts_with(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the start of `text` whose characters all pass.
fn count_while(text: &str, pass: impl Fn(char) -> bool) -> usize {
    text.find(|c| !pass(c)).unwrap_or(text.len())
}
