//! What is said in a command's standard output by the process that has begun it: see [`crate::engines::first`].
//!
//! First it says which process it is, then perhaps why nothing could be executed, and at last how the command ended. What is between is
//! the command's own. Only bytes that may be the last words are held back; if others follow they were not.

use crate::child::{Feed, Stream};
use crate::engines::first::{SAID, SIGN, said};

/// Takes the words off the output and passes the rest on.
#[derive(Debug, Default)]
pub(super) struct Speech {
    process: Option<u64>,
    held: Vec<u8>,
    /// Something of the command's own has been passed on.
    passed: bool,
    /// What was said last is not ours.
    foreign: bool,
}

/// The last words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LastWords {
    /// The number of the error for which nothing could be executed.
    pub(super) reason: Option<u64>,
    /// How the command ended, as the system tells a parent.
    pub(super) status: Option<u64>,
}

impl Speech {
    /// Takes some of the output.
    pub(super) fn read(&mut self, output: &[u8], feed: &mut Feed) {
        self.held.extend_from_slice(output);
        if self.process.is_none() && !self.foreign {
            let Some(first) = self.held.get(..SAID) else { return };
            self.process = said(first);
            self.foreign = self.process.is_none();
            if self.process.is_some() {
                self.held.drain(..SAID);
            }
        }
        let kept = if self.foreign { 0 } else { self.may_be_last() };
        self.pass_on(self.held.len() - kept, feed);
    }

    /// Whether the last words seem to have been said, after which there is nobody to read.
    pub(super) fn is_over(&self) -> bool {
        self.held.len().checked_sub(SAID).is_some_and(|at| self.held.get(at..).is_some_and(is_said))
    }

    /// The last words; all that is left is passed on unless it is one.
    pub(super) fn finish(&mut self, feed: &mut Feed) -> LastWords {
        let count = self.held.len();
        let words = match (self.held.get(..SAID).and_then(said), self.held.get(SAID..).and_then(said)) {
            (reason, Some(status)) if count == 2 * SAID => LastWords { reason, status: Some(status) },
            (status, _) if count == SAID => LastWords { reason: None, status },
            _ => LastWords::default(),
        };
        if words.status.is_none() {
            self.pass_on(count, feed);
        }
        words
    }

    /// Passes on what was taken for a reason and is not.
    pub(super) fn take_back(&mut self, feed: &mut Feed) {
        self.pass_on(self.held.len().saturating_sub(SAID), feed);
    }

    /// Which process it is that speaks.
    pub(super) fn process(&self) -> Option<u64> {
        self.process
    }

    /// How many bytes of the end may be the last words, or begin them.
    fn may_be_last(&self) -> usize {
        let count = self.held.len();
        // A reason is one only if the command said nothing itself.
        if !self.passed
            && (SAID..=2 * SAID).contains(&count)
            && self.held.get(..SAID).is_some_and(is_said)
            && self.held.get(SAID..).is_some_and(could_be_said)
        {
            return count;
        }
        let longest = count.min(SAID);
        (0..=longest)
            .rev()
            .find(|kept| self.held.get(count - kept..).is_some_and(could_be_said))
            .unwrap_or_default()
    }

    fn pass_on(&mut self, count: usize, feed: &mut Feed) {
        if count > 0 {
            self.passed = true;
            feed.push(Stream::Stdout, self.held.get(..count).unwrap_or_default());
            self.held.drain(..count);
        }
    }
}

fn is_said(bytes: &[u8]) -> bool {
    said(bytes).is_some()
}

/// Whether these bytes are, or begin, something that the program says.
fn could_be_said(bytes: &[u8]) -> bool {
    bytes.len() <= SAID && (bytes.starts_with(&SIGN) || SIGN.starts_with(bytes))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::child::{Child, Killer};

    /// Feeds the pieces, whole and byte by byte, and tells the process, the last words and the output.
    #[track_caller]
    fn check(pieces: &[&[u8]], expected: Expect) {
        let whole = told(pieces);
        let bytes = pieces.concat();
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(told(&single), whole, "byte by byte");
        assert_eq!(told(&[&bytes]), whole, "at once");
        expected.assert_eq(&whole);
    }

    fn told(pieces: &[&[u8]]) -> String {
        let (_child, mut feed, _end) = Child::new(1000, Killer::new(|| {}));
        let mut speech = Speech::default();
        for piece in pieces {
            speech.read(piece, &mut feed);
        }
        let LastWords { reason, status } = speech.finish(&mut feed);
        let output = feed.into_captured().0;
        format!("{:?} {reason:?} {status:?} {:?}", speech.process(), output.text())
    }

    fn number(number: u64) -> Vec<u8> {
        [SIGN.as_slice(), &number.to_le_bytes()].concat()
    }

    #[test]
    fn a_command_speaks_between_our_words() {
        check(&[&number(7), b"text", &number(0x300)], expect![[r#"Some(7) None Some(768) "text""#]]);
        check(&[&number(7), &number(0)], expect![[r#"Some(7) None Some(0) """#]]);
    }

    #[test]
    fn a_reason_is_one_only_if_the_command_said_nothing() {
        check(&[&number(7), &number(2), &number(0x7f00)], expect![[r#"Some(7) Some(2) Some(32512) """#]]);
        check(
            &[&number(7), b"x", &number(2), &number(0x7f00)],
            expect![[r#"Some(7) None Some(32512) "x\0guild\0\0\u{2}\0\0\0\0\0\0\0""#]],
        );
        check(
            &[&number(7), &number(2), b"x", &number(0x7f00)],
            expect![[r#"Some(7) None Some(32512) "\0guild\0\0\u{2}\0\0\0\0\0\0\0x""#]],
        );
        check(
            &[&number(7), &number(2), &number(3), &number(0x7f00)],
            expect![[
                r#"Some(7) None Some(32512) "\0guild\0\0\u{2}\0\0\0\0\0\0\0\0guild\0\0\u{3}\0\0\0\0\0\0\0""#
            ]],
        );
    }

    #[test]
    fn without_last_words_nothing_is_lost() {
        check(&[&number(7), b"text"], expect![[r#"Some(7) None None "text""#]]);
        check(&[&number(7), b"text\0guild\0"], expect![[r#"Some(7) None None "text\0guild\0""#]]);
        check(&[&number(7)], expect![[r#"Some(7) None None """#]]);
    }

    #[test]
    fn what_does_not_begin_as_it_should_is_passed_on() {
        check(
            &[b"the engine says something else"],
            expect![[r#"None None None "the engine says something else""#]],
        );
        check(&[b"short"], expect![[r#"None None None "short""#]]);
        check(&[], expect![[r#"None None None """#]]);
    }

    #[test]
    fn the_end_is_seen_when_it_has_been_said() {
        let (_child, mut feed, _end) = Child::new(1000, Killer::new(|| {}));
        let mut speech = Speech::default();
        for (piece, over) in
            [(number(7), false), (b"text".to_vec(), false), (number(0), true), (b"more".to_vec(), false)]
        {
            speech.read(&piece, &mut feed);
            assert_eq!(speech.is_over(), over, "{piece:?}");
        }
    }
}
