//! Receipts: what is written down about a run or a decision, and the links that make them a chain.
//!
//! The engine decides what an [`Entry`] says. The ledger adds number, time and the digest of the receipt before, and signs the
//! canonical text of it all; nothing here can be changed afterwards without being found.

mod entry;
mod plan;

use guild_manifest::{Digest, canonical};
use serde::{Deserialize, Serialize};

pub use entry::{Cut, Entry, Kind, SkillRef};
pub use plan::{Access, Changes, Limits, Outcome, Output, Parameter, Plan, Resources};

use crate::key::{Purpose, Signature};
use crate::{InstallationId, PublicKey, ReceiptId, Timestamp};

/// The version of the format.
pub(crate) const VERSION: u32 = 1;

/// One link of a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The version of the format.
    pub version: u32,
    /// Its name.
    pub id: ReceiptId,
    /// Whose chain it belongs to.
    pub installation: InstallationId,
    /// Its number in the chain, from one on.
    pub seq: u64,
    /// The digest of the receipt before, or what the chain begins with.
    pub previous: Digest,
    /// When it was written.
    pub at: Timestamp,
    /// The record that it brought into force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<Reference>,
    /// The record that it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// What it says.
    #[serde(flatten)]
    pub entry: Entry,
}

/// A record and what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The record's id.
    pub id: String,
    /// The digest of its text.
    pub digest: Digest,
}

/// A receipt as it was signed.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedReceipt {
    /// What it says.
    pub receipt: Receipt,
    /// Its canonical text, which is what was signed.
    pub text: String,
    /// The digest of the text, which the next receipt repeats.
    pub hash: Digest,
    /// The signature, in hexadecimal digits.
    pub signature: String,
}

impl SignedReceipt {
    /// Reads a text and its signature; nothing if it is no receipt that this program understands. It checks no signature.
    pub(crate) fn read(text: String, signature: String) -> Option<Self> {
        let receipt: Receipt = serde_json::from_value(canonical::parse(&text)?).ok()?;
        let hash = Digest::of(text.as_bytes());
        (receipt.version <= VERSION).then_some(Self { receipt, text, hash, signature })
    }

    /// Whether the holder of `key` has signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let is_theirs = self.receipt.installation == key.installation();
        let signature = self.signature.parse::<Signature>();
        is_theirs && signature.is_ok_and(|signature| key.verifies(Purpose::Receipt, &self.hash, &signature))
    }
}
