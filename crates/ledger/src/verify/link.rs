//! Checking receipts each by itself: the text, what it is found by, and the signature.
//!
//! Whether they follow each other is for `walk`, which sees them in order.

use std::borrow::Cow;

use guild_manifest::Digest;
use serde::Deserialize;

use super::Fault;
use crate::chain::Columns;
use crate::key::{Purpose, Signature};
use crate::receipt::{self, Kind};
use crate::{PublicKey, ReceiptId};

/// A receipt as it was found.
#[derive(Debug)]
pub(crate) struct Link {
    /// Where it stands.
    pub(crate) seq: u64,
    /// Its text.
    pub(crate) text: String,
    /// Its signature.
    pub(crate) signature: String,
    /// What the database finds it by, where it comes from one; nothing if that cannot be read.
    pub(crate) columns: Option<Option<Columns>>,
}

/// A receipt that was checked by itself.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Where it stands.
    pub(crate) seq: u64,
    /// Its id, where it can be read.
    pub(crate) id: Option<ReceiptId>,
    /// The digest of its text.
    pub(crate) hash: Digest,
    /// What it says the digest of the one before is.
    pub(crate) previous: Option<Digest>,
    /// Whether its signature is good.
    pub(crate) signed: bool,
    /// Whether a person accepted a loss by it.
    pub(crate) is_cut: bool,
    /// What else is wrong with it.
    pub(crate) faults: Vec<Fault>,
}

/// Checks receipts of the installation that `key` is of.
pub(crate) fn check(key: &PublicKey, links: Vec<Link>) -> Vec<Checked> {
    let signatures: Vec<Option<Signature>> = links.iter().map(|link| link.signature.parse().ok()).collect();
    let mut checked: Vec<Checked> = links.into_iter().map(|link| check_text(key, link)).collect();
    let signed: Vec<(Digest, Signature)> = checked
        .iter()
        .zip(&signatures)
        .filter_map(|(it, signature)| Some((it.hash, (*signature)?)))
        .collect();
    let all_good = signed.len() == checked.len() && key.verifies_all(Purpose::Receipt, &signed);
    for (it, signature) in checked.iter_mut().zip(&signatures) {
        it.signed = all_good
            || signature.is_some_and(|signature| key.verifies(Purpose::Receipt, &it.hash, &signature));
    }
    checked
}

fn check_text(key: &PublicKey, link: Link) -> Checked {
    let hash = Digest::of(link.text.as_bytes());
    let mut checked = Checked {
        seq: link.seq,
        id: None,
        hash,
        previous: None,
        signed: false,
        is_cut: false,
        faults: vec![],
    };
    let Some(skim) = Skim::read(&link.text) else {
        checked.id = link.columns.flatten().and_then(|columns| columns.id());
        checked.faults.push(Fault::Unreadable);
        return checked;
    };
    checked.id = Some(skim.id);
    checked.previous = Some(skim.previous);
    checked.is_cut = skim.kind == Kind::Cut;
    if skim.seq != link.seq || skim.installation != key.installation().as_str() {
        let whose = skim.installation.to_string();
        checked.faults.push(Fault::Misplaced { says: skim.seq, whose });
    }
    if link.columns.is_some_and(|columns| columns.is_none_or(|columns| columns != skim.columns())) {
        checked.faults.push(Fault::ColumnsEdited);
    }
    checked
}

/// What has to be known of a receipt to check it. The rest of the text is what was signed, or the signature is wrong.
#[derive(Deserialize)]
pub(crate) struct Skim<'t> {
    version: u32,
    id: ReceiptId,
    #[serde(borrow)]
    installation: Cow<'t, str>,
    pub(crate) seq: u64,
    previous: Digest,
    kind: Kind,
    #[serde(borrow)]
    code: Cow<'t, str>,
    #[serde(borrow)]
    principal: Agent<'t>,
    #[serde(borrow, default)]
    skill: Option<Name<'t>>,
    #[serde(borrow, default)]
    run: Option<Cow<'t, str>>,
    #[serde(borrow, default)]
    begins: Option<Begun<'t>>,
    #[serde(borrow, default)]
    ends: Option<Cow<'t, str>>,
}

#[derive(Deserialize)]
struct Agent<'t> {
    #[serde(borrow)]
    agent: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Name<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Begun<'t> {
    #[serde(borrow)]
    id: Cow<'t, str>,
}

impl<'t> Skim<'t> {
    /// Reads a text, if it is a receipt that this program understands.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let skim: Self = serde_json::from_str(text).ok()?;
        (skim.version <= receipt::VERSION).then_some(skim)
    }

    /// What the database has to find it by.
    fn columns(self) -> Columns {
        Columns {
            id: self.id.to_string(),
            kind: self.kind.as_str().to_owned(),
            agent: self.principal.agent.into_owned(),
            code: self.code.into_owned(),
            skill: self.skill.map(|skill| skill.name.into_owned()),
            run: self.run.map(Cow::into_owned),
            begins: self.begins.map(|begun| begun.id.into_owned()),
            ends: self.ends.map(Cow::into_owned),
        }
    }
}
