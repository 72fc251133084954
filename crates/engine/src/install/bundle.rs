//! Bundles: one file with what is installed, its lock, the approvals of it and the receipts of this installation, for a machine without a network.
//!
//! ```text
//! bundle.json      who made it, when, and the digests of the parts
//! signature        of bundle.json, by the key of the installation
//! guild.lock       what is in it, byte by byte
//! blobs/…          the files, by digest
//! grants.json      what people have allowed and denied of it
//! receipts.jsonl   the whole chain, as `guild receipts export` writes it
//! ```
//!
//! Everything is checked before anything is kept: one byte that is not what was signed refuses all of it. What the approvals of another
//! installation are worth is for `grants` to say.

mod grants;
mod read;
mod write;

use guild_ledger::{PublicKey, Timestamp};
use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

pub use read::{import_bundle, is_bundle};
pub use write::export_bundle;

const FORMAT: &str = "guild-bundle";
const VERSION: u32 = 1;

const HEAD: &str = "bundle.json";
const SIGNATURE: &str = "signature";
const LOCK: &str = "guild.lock";
const GRANTS: &str = "grants.json";
const RECEIPTS: &str = "receipts.jsonl";

/// What is signed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    version: u32,
    at: Timestamp,
    public_key: PublicKey,
    /// Where the approvals were given; on the other side they are for where it is imported.
    workspace: String,
    lock: Digest,
    grants: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    receipts: Option<Digest>,
}

/// Where a file lies in a bundle.
fn blob(digest: &Digest) -> String {
    format!("blobs/{}", digest.to_hex())
}
