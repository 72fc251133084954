//! Why something was not written, whatever it was.
//!
//! Operations add their own refusals to it. What to do about any of them is for the caller to say.

use super::MAX_TEXT;
use crate::StoreError;
use crate::entropy::NoEntropy;
use crate::head::HeadError;
use crate::receipt::Kind;

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The database did not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The chain's head cannot be read or written. If it was written to the database before, it stays there.
    #[error(transparent)]
    Head(#[from] HeadError),
    /// The database ends before the last receipt that was acknowledged.
    #[error(
        "the end of the chain is missing: {acknowledged} receipts were acknowledged and {found} are there"
    )]
    TailCut {
        /// How many there have been.
        acknowledged: u64,
        /// How many there are.
        found: u64,
    },
    /// The chain has receipts and no head remembers them.
    #[error("the chain's head is missing, and the chain has {found} receipts")]
    HeadMissing {
        /// How many there are.
        found: u64,
    },
    /// The end of the chain is not the one that was acknowledged.
    #[error("receipt {seq} is not the one that was acknowledged")]
    Forked {
        /// Its number.
        seq: u64,
    },
    /// The text is too long to be kept.
    #[error("{bytes} bytes are more than the {MAX_TEXT} that are kept; keep a digest instead")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// Receipts of this kind are written by the operation that they are about.
    #[error("a receipt of the kind `{}` is not written on its own", .0.as_str())]
    NotOnItsOwn(Kind),
    /// A name holds a character that databases do not take.
    #[error("{what} holds a zero character")]
    ZeroCharacter {
        /// Which name.
        what: &'static str,
    },
    /// The text has no form in JSON.
    #[error("what is to be written has no form in JSON")]
    Json(#[from] serde_json::Error),
    /// There are no random bytes for an id.
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
}

/// Every operation that writes can fail as writing does, and by the way the database does.
macro_rules! fails_as_writing_does {
    ($($error:ty)*) => {$(
        impl From<StoreError> for $error {
            fn from(error: StoreError) -> Self {
                Self::Write(error.into())
            }
        }

        impl From<NoEntropy> for $error {
            fn from(error: NoEntropy) -> Self {
                Self::Write(error.into())
            }
        }
    )*};
}

fails_as_writing_does! {
    crate::DecideError
    crate::EndError
    crate::FinishError
    crate::GiveError
    crate::StartError
}
