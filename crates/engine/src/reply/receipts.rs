//! The replies about receipts.

use guild_ledger::receipt::SignedReceipt;
use guild_ledger::{Broken, ChainReport, Page, PublicKey, Report};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::PrincipalLine;

/// A receipt in short.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReceiptLine {
    /// Its name, for `receipts show`.
    pub id: String,
    /// Its number in its chain.
    pub seq: u64,
    /// Whose chain it belongs to.
    pub installation: String,
    /// When it was written.
    pub at: String,
    /// `started`, `finished`, `interrupted`, `denied`, `load`, `asked`, `decision` or `cut`.
    pub kind: &'static str,
    /// How it ended: `ok` or another stable code.
    pub code: String,
    /// The skill's qualified name.
    pub skill: Option<String>,
    /// The skill's security hash, where one was computed.
    pub security_hash: Option<String>,
    /// At whose wish.
    pub principal: PrincipalLine,
    /// The run that it belongs to.
    pub run: Option<String>,
    /// A sentence for people.
    pub note: Option<String>,
}

/// `receipts list`: a page of receipts, the newest first.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReceiptsList {
    /// The receipts.
    pub receipts: Vec<ReceiptLine>,
    /// How many this page has.
    pub count: usize,
    /// The ids of those that cannot be read: they are damaged, or a newer program has written them.
    pub unreadable: Vec<String>,
    /// Where the next page begins, for `--after`; null where there is none.
    pub next: Option<String>,
}

/// `receipts show`: one receipt in full.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReceiptShow {
    /// Whether there is one.
    pub found: bool,
    /// Everything that it says.
    pub receipt: Option<Value>,
    /// The canonical text that was signed.
    pub text: Option<String>,
    /// The digest of that text, which the next receipt repeats.
    pub hash: Option<String>,
    /// The signature, in hexadecimal digits.
    pub signature: Option<String>,
    /// Whether the signature is the installation's; null where another installation has written it.
    pub signed: Option<bool>,
    /// What is kept of what the run printed; null where it printed nothing or it is no longer kept.
    pub stdout: Option<String>,
    /// The same of its standard error.
    pub stderr: Option<String>,
}

/// `receipts verify`: whether everything is as it was written.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReceiptsVerify {
    /// Whether nothing is wrong.
    pub verified: bool,
    /// How many receipts were checked.
    pub count: u64,
    /// What is wrong; at most a thousand.
    pub broken: Vec<BrokenReceipt>,
    /// How many more faults there are.
    pub more: u64,
    /// How many grants, requests, tokens and suppressions were checked.
    pub records: u64,
    /// The chains that were checked.
    pub chains: Vec<ChainLine>,
    /// The key that others check this installation's signatures with; null for a file.
    pub public_key: Option<String>,
}

/// Something that is wrong with a receipt, a record or a chain.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BrokenReceipt {
    /// The id of the receipt or record, where it is known.
    pub receipt: Option<String>,
    /// What is wrong, in one sentence.
    pub reason: String,
    /// A stable word for it.
    pub fault: &'static str,
    /// The number of the receipt in its chain.
    pub seq: Option<u64>,
    /// Whose chain or record it is.
    pub installation: String,
}

/// A chain that was checked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChainLine {
    /// Whose it is.
    pub installation: String,
    /// How many receipts it has.
    pub receipts: u64,
    /// The number of the last receipt that its head remembers; null where no head is known here, so that nobody can say whether
    /// the end is missing.
    pub head: Option<u64>,
    /// The receipts by which people accepted that the end was lost at some time.
    pub cuts: Vec<String>,
}

/// `receipts export`: the chain as a file.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReceiptsExport {
    /// The file.
    pub path: String,
    /// How many receipts it has.
    pub count: u64,
    /// Whose they are.
    pub installation: String,
    /// The key to check them with, which had better reach the reader on another way than the file.
    pub public_key: String,
}

/// `receipts accept-loss`: the end of the chain is lost, and a person has accepted it.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReceiptsAcceptLoss {
    /// The receipt of it; null where nothing was accepted.
    pub receipt: Option<ReceiptLine>,
}

impl ReceiptLine {
    pub(crate) fn of(signed: &SignedReceipt) -> Self {
        let (receipt, entry) = (&signed.receipt, &signed.receipt.entry);
        let skill = entry.skill.as_ref();
        Self {
            id: receipt.id.to_string(),
            seq: receipt.seq,
            installation: receipt.installation.to_string(),
            at: receipt.at.to_string(),
            kind: entry.kind.as_str(),
            code: entry.code.clone(),
            skill: skill.map(|skill| skill.name.clone()),
            security_hash: skill.and_then(|skill| skill.security_hash).map(|hash| hash.to_string()),
            principal: PrincipalLine::of(&entry.principal),
            run: entry.run.map(|run| run.to_string()),
            note: entry.note.clone(),
        }
    }
}

impl ReceiptsList {
    pub(crate) fn of(page: &Page) -> Self {
        let receipts: Vec<ReceiptLine> = page.receipts.iter().map(ReceiptLine::of).collect();
        let (unreadable, next) = (page.unreadable.clone(), page.next.clone());
        Self { count: receipts.len(), receipts, unreadable, next }
    }
}

impl ReceiptShow {
    pub(crate) fn of(signed: &SignedReceipt, key: &PublicKey) -> Self {
        let is_ours = signed.receipt.installation == key.installation();
        Self {
            found: true,
            receipt: serde_json::from_str(&signed.text).ok(),
            text: Some(signed.text.clone()),
            hash: Some(signed.hash.to_string()),
            signature: Some(signed.signature.clone()),
            signed: is_ours.then(|| signed.is_signed_by(key)),
            stdout: None,
            stderr: None,
        }
    }
}

impl ReceiptsVerify {
    pub(crate) fn of(report: &Report, key: Option<PublicKey>) -> Self {
        Self {
            verified: report.is_whole(),
            count: report.receipts(),
            broken: report.broken.iter().map(BrokenReceipt::of).collect(),
            more: report.more,
            records: report.records,
            chains: report.chains.iter().map(ChainLine::of).collect(),
            public_key: key.map(|key| key.to_string()),
        }
    }
}

impl BrokenReceipt {
    fn of(broken: &Broken) -> Self {
        Self {
            receipt: broken.id.clone(),
            reason: broken.fault.to_string(),
            fault: broken.fault.code(),
            seq: broken.seq,
            installation: broken.installation.clone(),
        }
    }
}

impl ChainLine {
    fn of(chain: &ChainReport) -> Self {
        Self {
            installation: chain.installation.to_string(),
            receipts: chain.receipts,
            head: chain.head,
            cuts: chain.cuts.iter().map(ToString::to_string).collect(),
        }
    }
}
