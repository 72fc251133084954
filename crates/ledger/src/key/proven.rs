//! Signatures that were found to be right: a process that serves looks at the same grant in every call, and whether a signature fits
//! does not change.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use guild_manifest::Digest;

use super::{PublicKey, Purpose, Signature};

/// No more are remembered; the grants of what is called again and again are few.
const MOST: usize = 32;

/// What was signed, by whom, and how.
type Proof = (PublicKey, Purpose, Digest, Signature);

/// The last signatures that were right.
#[derive(Debug, Default)]
pub(crate) struct Proven(Mutex<VecDeque<Proof>>);

impl Proven {
    /// Whether `signature` is the key's for `digest`.
    pub(crate) fn holds(
        &self,
        key: &PublicKey,
        purpose: Purpose,
        digest: &Digest,
        signature: &Signature,
    ) -> bool {
        let proof = (*key, purpose, *digest, *signature);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&proof) {
            return true;
        }
        let holds = key.verifies(purpose, digest, signature);
        if holds {
            let mut known = known();
            known.truncate(MOST - 1);
            known.push_front(proof);
        }
        holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;

    #[test]
    fn what_was_right_is_right_for_this_key_this_purpose_and_this_text_alone() {
        let directory = tempfile::tempdir().unwrap();
        let key = |name: &str| Key::open(&directory.path().join(name)).unwrap();
        let (ours, theirs) = (key("ours"), key("theirs"));
        let (digest, other) = (Digest::of(b"one"), Digest::of(b"other"));
        let signature = ours.sign(Purpose::Record, &digest);
        let proven = Proven::default();
        for _ in 0..2 {
            assert!(proven.holds(&ours.public, Purpose::Record, &digest, &signature));
            assert!(!proven.holds(&ours.public, Purpose::Receipt, &digest, &signature));
            assert!(!proven.holds(&ours.public, Purpose::Record, &other, &signature));
            assert!(!proven.holds(&theirs.public, Purpose::Record, &digest, &signature));
        }
    }

    #[test]
    fn only_so_many_are_remembered() {
        let directory = tempfile::tempdir().unwrap();
        let key = Key::open(directory.path()).unwrap();
        let proven = Proven::default();
        for number in 0..2 * MOST {
            let digest = Digest::of(&number.to_le_bytes());
            assert!(proven.holds(&key.public, Purpose::Record, &digest, &key.sign(Purpose::Record, &digest)));
        }
        assert_eq!(proven.0.lock().unwrap().len(), MOST);
    }
}
